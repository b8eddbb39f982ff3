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
