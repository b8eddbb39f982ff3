"""Every process reads all of it."""


def resume(checkpoints):
    # {% macro load() %}
    # {% print parallelism.load() %}
    # {% endmacro %}
    return checkpoints
