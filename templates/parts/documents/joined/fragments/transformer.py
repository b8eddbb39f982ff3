"""A row is one text."""


class Model:
    def forward(
        self,
        tokens,
        # {% macro parameter() %}
        # {% endmacro %}
    ):
        return tokens
