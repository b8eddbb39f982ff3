"""Positions turn queries and keys.

# {% macro summary() %}
- Rotary position embedding of queries and keys (arXiv:2104.09864).
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
