"""Qwen 3.

# {% macro summary() %}
There it is Qwen3ForCausalLM.
# {% endmacro %}
"""


def settings(config):
    return {
        # {% macro identity() %}
        "architectures": ["Qwen3ForCausalLM"],
        "model_type": "qwen3",
        "use_sliding_window": {{design.span.is_window}},
        # {% endmacro %}
    }
