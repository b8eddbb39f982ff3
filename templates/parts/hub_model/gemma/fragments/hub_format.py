"""Gemma.

# {% macro summary() %}
There it is GemmaForCausalLM.
# {% endmacro %}
"""


def settings(config):
    return {
        # {% macro identity() %}
        "architectures": ["GemmaForCausalLM"],
        "model_type": "gemma",
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
    full["tie_word_embeddings"] = found.get("tie_word_embeddings", True)
    if full.get("hidden_act") == "gelu":  # in the first files, which mean the approximation
        full["hidden_act"] = "gelu_pytorch_tanh"
    # {% endmacro %}
    return full
