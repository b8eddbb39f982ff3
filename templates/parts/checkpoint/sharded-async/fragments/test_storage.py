"""The tests look at what has been written."""


def save(checkpoints):
    # {% macro saved() %}
    checkpoints.wait()
    # {% endmacro %}
