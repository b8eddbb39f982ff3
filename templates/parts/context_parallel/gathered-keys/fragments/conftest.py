"""Two ranks share the tokens, however many do in a run."""


def config():
    return {
        # {% macro variables() %}
        "CONTEXT_RANKS": 2,
        # {% endmacro %}
    }
