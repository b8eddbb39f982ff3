"""No biases."""


class Attention:
    def __init__(self, config):
        # {% macro biases() %}
        # {% endmacro %}
        self.config = config
