"""SmolLM3.

# {% macro summary() %}
There it is SmolLM3ForCausalLM.
# {% endmacro %}
"""


def settings(config):
    return {
        # {% macro identity() %}
        "architectures": ["SmolLM3ForCausalLM"],
        "model_type": "smollm3",
        "no_rope_layers": [int(config.has_rope(layer)) for layer in range(config.n_layers)],
        "use_sliding_window": False,
        # {% endmacro %}
    }


def in_full(full, found):
    # {% macro other_names() %}
    full["tie_word_embeddings"] = found.get("tie_word_embeddings", True)
    if not full.get("use_sliding_window"):  # the width of a window is of no account then
        full |= {"use_sliding_window": False, "sliding_window": None}
    if not full.get("no_rope_layers"):  # each of them, or how many there are to one without
        every, n_layers = full.get("no_rope_layer_interval", 4), full.get("num_hidden_layers", 0)
        full["no_rope_layers"] = [int(layer % every != 0) for layer in range(1, n_layers + 1)]
    # {% endmacro %}
    return full
