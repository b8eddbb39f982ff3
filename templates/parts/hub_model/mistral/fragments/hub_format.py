"""Mistral.

# {% macro summary() %}
There it is MistralForCausalLM.
# {% endmacro %}
"""


def settings(config):
    return {
        # {% macro identity() %}
        "architectures": ["MistralForCausalLM"],
        "model_type": "mistral",
        # {% endmacro %}
    }


def in_full(full, found):
    # {% macro other_names() %}
    full["sliding_window"] = found.get("sliding_window", 4096)
    # {% endmacro %}
    return full
