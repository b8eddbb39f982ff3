"""OLMo 2.

# {% macro summary() %}
There it is Olmo2ForCausalLM.
# {% endmacro %}
"""


def settings(config):
    return {
        # {% macro identity() %}
        "architectures": ["Olmo2ForCausalLM"],
        "model_type": "olmo2",
        # {% endmacro %}
    }
