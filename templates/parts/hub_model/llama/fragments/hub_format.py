"""Llama.

# {% macro summary() %}
There it is LlamaForCausalLM.
# {% endmacro %}
"""


def settings(config):
    return {
        # {% macro identity() %}
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        # {% endmacro %}
    }


def in_full(full):
    # {% macro other_names() %}
    full.setdefault("rope_theta", 10000.0)  # which the first files do not say
    # {% endmacro %}
    return full
