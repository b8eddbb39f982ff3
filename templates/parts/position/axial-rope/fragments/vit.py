"""Positions turn queries and keys.

# {% macro summary() %}
- Axial rotary position embedding of queries and keys, by row and column (arXiv:2403.13298).
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

    # {% macro init_row() %}
    # {% endmacro %}

    # {% macro init_std() %}
    # {% endmacro %}
