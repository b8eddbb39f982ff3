"""Nothing besides the log file."""


class RunLog:
    def __init__(self):
        # {% macro open() %}
        # {% endmacro %}
        # {% macro write() %}
        # {% endmacro %}
        pass
