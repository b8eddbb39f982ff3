"""Keys and values come from one narrow vector for each token."""

import torch


def settings(config):
    return {
        # {% macro settings() %}
        "num_key_value_heads": config.n_heads,
        "kv_lora_rank": config.kv_lora_rank,
        "qk_nope_head_dim": config.qk_nope_head_dim,
        "qk_rope_head_dim": config.qk_rope_head_dim,
        "v_head_dim": config.v_head_dim,
        "rope_interleave": True,
        # {% endmacro %}
    }


def layer_names(config):
    return {
        # {% macro layer_names() %}
        "attention.wkv_a.weight": "self_attn.kv_a_proj_with_mqa.weight",
        "attention.kv_norm.weight": "self_attn.kv_a_layernorm.weight",
        "attention.wkv_b.weight": "self_attn.kv_b_proj.weight",
        "attention.wo.weight": "self_attn.o_proj.weight",
        # {% endmacro %}
    }


def to_hub(tensors, config):
    # {% macro pack() %}
    # Two features that turn as a pair are half a head apart here, and side by side there.
    order = torch.arange(config.qk_rope_head_dim).view(2, -1).T.flatten()
    for layer in range(config.n_layers):
        name = f"layers.{layer}.attention.wkv_a.weight"
        latent, key = tensors[name].split((config.kv_lora_rank, config.qk_rope_head_dim))
        tensors[name] = torch.cat((latent, key[order]))
    # {% endmacro %}
    return tensors


def from_hub(weights, config):
    # {% macro unpack() %}
    order = torch.arange(config.qk_rope_head_dim).view(-1, 2).T.flatten()
    for layer in range(config.n_layers):
        name = f"layers.{layer}.attention.wkv_a.weight"
        latent, key = weights[name].split((config.kv_lora_rank, config.qk_rope_head_dim))
        weights[name] = torch.cat((latent, key[order]))
    # {% endmacro %}
    return weights


def in_full(full):
    # {% macro other_names() %}
    full.setdefault("rope_interleave", True)  # which the first files do not say
    # {% endmacro %}
    return full
