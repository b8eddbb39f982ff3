"""Gemma 2.

# {% macro summary() %}
There it is Gemma2ForCausalLM.
# {% endmacro %}
"""


def settings(config):
    return {
        # {% macro identity() %}
        "architectures": ["Gemma2ForCausalLM"],
        "model_type": "gemma2",
        "hidden_activation": "gelu_pytorch_tanh",
        "query_pre_attn_scalar": config.head_dim,
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
    full["hidden_act"] = full.get("hidden_activation")
    full["tie_word_embeddings"] = found.get("tie_word_embeddings", True)
    full.setdefault("attn_logit_softcapping", 50.0)
    full.setdefault("final_logit_softcapping", 30.0)
    if not full.get("layer_types"):  # every other layer sees the whole context
        full["layer_types"] = [
            "full_attention" if layer % 2 else "sliding_attention"
            for layer in range(full.get("num_hidden_layers", 0))
        ]
    # One base for all layers.
    angles = full.get("rope_parameters") or full
    full["rope_local_base_freq"] = angles.get("rope_theta")
    # {% endmacro %}
    return full
