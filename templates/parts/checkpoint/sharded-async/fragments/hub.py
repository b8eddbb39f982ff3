"""The weights are written before the command ends."""


def _import(checkpoints):
    # {% macro saved() %}
    checkpoints.wait()
    # {% endmacro %}
