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
        "first_k_dense_replace": 0,
        "norm_topk_prob": True,
        "routed_scaling_factor": 1.0,
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
    for layer in range(config.n_layers):
        at = f"layers.{layer}.feed_forward.shared"
        for name, dim in (("w1", 0), ("w2", 1), ("w3", 0)):
            experts = range(config.n_shared_experts)
            parts = [tensors.pop(f"{at}.{expert}.{name}.weight") for expert in experts]
            tensors[f"{at}.{name}.weight"] = torch.cat(parts, dim=dim)
    # {% endmacro %}
    return tensors


def from_hub(weights, config):
    # {% macro unpack() %}
    for layer in range(config.n_layers):
        at = f"layers.{layer}.feed_forward.shared"
        for name, dim in (("w1", 0), ("w2", 1), ("w3", 0)):
            parts = weights.pop(f"{at}.{name}.weight").chunk(config.n_shared_experts, dim=dim)
            for expert, part in enumerate(parts):
                weights[f"{at}.{expert}.{name}.weight"] = part
    # {% endmacro %}
    return weights
