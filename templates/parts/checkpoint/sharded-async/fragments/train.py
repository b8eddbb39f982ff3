"""The last checkpoint is waited for; what went wrong with it ends the run with an error."""


def train(checkpoints):
    # {% macro wait() %}
    checkpoints.wait()
    # {% endmacro %}
