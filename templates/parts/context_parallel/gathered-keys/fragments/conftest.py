"""How many ranks share the tokens, however many do in a run."""


def config():
    return {
        # {% macro variables() %}
        "CONTEXT_RANKS": {{design.context_parallel.tested_degree}},
        # {% endmacro %}
    }
