"""DeepSeek-V3.

# {% macro summary() %}
There it is DeepseekV3ForCausalLM.
# {% endmacro %}
"""

import torch


def settings(config):
    return {
        # {% macro identity() %}
        "architectures": ["DeepseekV3ForCausalLM"],
        "model_type": "deepseek_v3",
        "n_routed_experts": config.n_experts,
        "n_shared_experts": config.n_shared_experts,
        "moe_intermediate_size": config.hidden_dim,
        "first_k_dense_replace": {{design.leading_layers.n_dense}},
        "moe_layer_freq": 1,
        "scoring_func": "sigmoid",
        "norm_topk_prob": True,
        "n_group": 1,
        "topk_group": 1,
        "num_nextn_predict_layers": 0,
        # {% endmacro %}
    }


def layer_names(config):
    return {
        # {% macro layer_names() %}
        "feed_forward.router.gate.weight": "mlp.gate.weight",
        **{
            f"feed_forward.experts.{expert}.{ours}.weight": f"mlp.experts.{expert}.{theirs}.weight"
            for expert in range(config.n_experts)
            for ours, theirs in (("w1", "gate_proj"), ("w2", "down_proj"), ("w3", "up_proj"))
        },
        "feed_forward.shared.w1.weight": "mlp.shared_experts.gate_proj.weight",
        "feed_forward.shared.w2.weight": "mlp.shared_experts.down_proj.weight",
        "feed_forward.shared.w3.weight": "mlp.shared_experts.up_proj.weight",
        # {% endmacro %}
    }


def to_hub(tensors, config):
    # {% macro pack() %}
    # The shared experts are one there, as wide as all together.
    for name in [name for name in tensors if ".shared.0." in name]:
        at, _, matrix = name.partition(".shared.0.")
        parts = [tensors.pop(f"{at}.shared.{i}.{matrix}") for i in range(config.n_shared_experts)]
        tensors[f"{at}.shared.{matrix}"] = torch.cat(parts, dim=int(matrix == "w2.weight"))
    # {% endmacro %}
    return tensors


def from_hub(weights, config):
    # {% macro unpack() %}
    for name in [name for name in weights if ".shared." in name]:
        at, _, matrix = name.partition(".shared.")
        parts = weights.pop(name).chunk(config.n_shared_experts, dim=int(matrix == "w2.weight"))
        weights |= {f"{at}.shared.{i}.{matrix}": part for i, part in enumerate(parts)}
    # {% endmacro %}
    return weights


def in_full(full):
    # {% macro other_names() %}
    full.setdefault("moe_layer_freq", 1)  # which transformers takes for granted, as what follows
    full.setdefault("scoring_func", "sigmoid")
    # {% endmacro %}
    return full
