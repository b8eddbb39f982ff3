"""No biases."""


class Model:
    def init_weights(self):
        """Draw every weight.

        # {% macro table() %}
        # {% endmacro %}
        """
        for name, weight in self.named_parameters():
            # {% macro init() %}
            # {% endmacro %}
            weight.fill_(len(name))
