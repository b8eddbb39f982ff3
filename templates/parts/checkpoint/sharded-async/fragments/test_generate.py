"""The command reads what has been written."""


def test_the_command(checkpoints):
    # {% macro saved() %}
    checkpoints.wait()
    # {% endmacro %}
