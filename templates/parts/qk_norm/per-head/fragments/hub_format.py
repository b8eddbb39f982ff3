"""Each head has a root mean square of 1, which transformers has as weights of 1."""

import torch


def layer_names(config):
    return {
        # {% macro layer_names() %}
        "attention.q_norm.weight": "self_attn.q_norm.weight",
        "attention.k_norm.weight": "self_attn.k_norm.weight",
        # {% endmacro %}
    }


def to_hub(tensors, config):
    # {% macro pack() %}
    # Our norms of queries and keys have no weights, which is as good as weights of 1.
    for layer in range(config.n_layers):
        for name in ("q_norm", "k_norm"):
            tensors[f"layers.{layer}.attention.{name}.weight"] = torch.ones(config.head_dim)
    # {% endmacro %}
    return tensors


def from_hub(weights, config):
    # {% macro unpack() %}
    for name in [name for name in weights if name.endswith(("q_norm.weight", "k_norm.weight"))]:
        if not bool((weights.pop(name) == 1).all()):
            raise ValueError(f"{name}: must be 1, since our norms of queries and keys have none")
    # {% endmacro %}
    return weights
