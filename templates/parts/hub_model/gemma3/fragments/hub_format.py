"""Gemma 3.

# {% macro summary() %}
There it is Gemma3ForCausalLM.
# {% endmacro %}
"""


def settings(config):
    return {
        # {% macro identity() %}
        "architectures": ["Gemma3ForCausalLM"],
        "model_type": "gemma3_text",
        "hidden_activation": "gelu_pytorch_tanh",
        "query_pre_attn_scalar": config.head_dim,
        "attn_logit_softcapping": None,
        "final_logit_softcapping": None,
        "use_bidirectional_attention": False,
        # {% endmacro %}
    }


def to_hub(tensors):
    # {% macro pack() %}
    for name, tensor in tensors.items():
        if name.endswith("norm.weight"):
            tensors[name] = tensor - 1  # norms scale by 1 + weight there
    # {% endmacro %}
    return tensors


def from_hub(weights):
    # {% macro unpack() %}
    for name, weight in weights.items():
        if name.endswith("norm.weight"):
            weights[name] = weight + 1
    # {% endmacro %}
    return weights


def in_full(full, found):
    # {% macro other_names() %}
    full = {
        "attn_logit_softcapping": None,
        "final_logit_softcapping": None,
        "use_bidirectional_attention": False,
        **full,
        "hidden_act": full.get("hidden_activation"),
        "tie_word_embeddings": found.get("tie_word_embeddings", True),
    }
    if not full.get("layer_types"):  # one in so many sees the whole context
        every, n_layers = full.get("sliding_window_pattern", 6), full.get("num_hidden_layers", 0)
        full["layer_types"] = [
            "sliding_attention" if layer % every else "full_attention"
            for layer in range(1, n_layers + 1)
        ]
    # transformers 5 has angles for each kind of layer; those of a window are not scaled.
    kinds = full.pop("rope_parameters", None)
    if kinds:
        full["rope_scaling"] = kinds.get("full_attention")
        local = kinds.get("sliding_attention", {})
        is_plain = local.get("rope_type", "default") == "default"
        full["rope_local_base_freq"] = local.get("rope_theta") if is_plain else local
    # {% endmacro %}
    return full
