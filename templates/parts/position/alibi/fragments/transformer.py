"""Positions lower scores.

# {% macro summary() %}
- Attention with linear biases: scores fall with the distance (ALiBi, arXiv:2108.12409).
# {% endmacro %}
"""


class Model:
    def __init__(self, config):
        # {% macro embedding() %}
        # {% endmacro %}
        self.config = config

    def forward(self, x, start, end):
        # {% macro embed() %}
        # {% endmacro %}
        return x, start, end
