"""One matrix for the queries."""

import torch


def settings(config):
    return {
        # {% macro settings() %}
        "q_lora_rank": None,
        # {% endmacro %}
    }


def layer_names(config):
    return {
        # {% macro layer_names() %}
        "attention.wq.weight": "self_attn.q_proj.weight",
        # {% endmacro %}
    }


def to_hub(tensors, config, order):
    # {% macro pack() %}
    query_widths = (config.qk_nope_head_dim, config.qk_rope_head_dim)
    for layer in range(config.n_layers):
        name = f"layers.{layer}.attention.wq.weight"
        heads = tensors[name].unflatten(0, (config.n_heads, -1))
        content, turned = heads.split(query_widths, dim=1)
        tensors[name] = torch.cat((content, turned[:, order]), dim=1).flatten(0, 1)
    # {% endmacro %}
    return tensors


def from_hub(weights, config, order):
    # {% macro unpack() %}
    query_widths = (config.qk_nope_head_dim, config.qk_rope_head_dim)
    for layer in range(config.n_layers):
        name = f"layers.{layer}.attention.wq.weight"
        heads = weights[name].unflatten(0, (config.n_heads, -1))
        content, turned = heads.split(query_widths, dim=1)
        weights[name] = torch.cat((content, turned[:, order]), dim=1).flatten(0, 1)
    # {% endmacro %}
    return weights
