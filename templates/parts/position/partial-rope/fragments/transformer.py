"""Positions turn a part of queries and keys.

# {% macro summary() %}
- Rotary position embedding of a part of each query and key (arXiv:2104.09864, 2204.06745).
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
