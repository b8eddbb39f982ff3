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
        "max_window_layers": 0,  # before the first one with a window
        # {% endmacro %}
    }


def in_full(full):
    # {% macro other_names() %}
    if full.get("layer_types"):  # newer files name the kind of each, and do not count
        full["max_window_layers"] = full["layer_types"].count("full_attention")
    if not full.get("use_sliding_window"):  # the other numbers are of no account then
        full |= {"use_sliding_window": False, "sliding_window": None, "max_window_layers": 0}
    # {% endmacro %}
    return full
