"""Biases of every projection."""


class Model:
    def init_weights(self):
        """Draw every weight.

        # {% macro table() %}
        biases                 0
        # {% endmacro %}
        """
        for name, weight in self.named_parameters():
            # {% macro init() %}
            if name.endswith("bias"):
                weight.zero_()
                continue
            # {% endmacro %}
            weight.fill_(len(name))
