"""Each token goes through a few of many networks."""


def settings(config):
    return {
        # {% macro settings() %}
        "num_experts_per_tok": config.top_k,
        "hidden_act": "silu",
        # {% endmacro %}
    }
