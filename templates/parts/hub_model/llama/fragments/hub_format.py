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
