"""Two ranks share out the experts, however many do in a run."""


def config():
    return {
        # {% macro variables() %}
        "EXPERT_RANKS": 2,
        # {% endmacro %}
    }
