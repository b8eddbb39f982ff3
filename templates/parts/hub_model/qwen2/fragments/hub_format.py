"""Qwen 2.

# {% macro summary() %}
There it is Qwen2ForCausalLM.
# {% endmacro %}
"""


def settings(config):
    return {
        # {% macro identity() %}
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "use_sliding_window": {{design.span.is_window}},
        # {% endmacro %}
    }
