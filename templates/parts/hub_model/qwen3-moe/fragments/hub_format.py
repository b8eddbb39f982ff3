"""Qwen 3 with experts.

# {% macro summary() %}
There it is Qwen3MoeForCausalLM.
# {% endmacro %}
"""


def settings(config):
    return {
        # {% macro identity() %}
        "architectures": ["Qwen3MoeForCausalLM"],
        "model_type": "qwen3_moe",
        "num_experts": config.n_experts,
        "moe_intermediate_size": config.hidden_dim,
        "norm_topk_prob": {{design.router.adds_up}},
        "decoder_sparse_step": 1,
        "mlp_only_layers": {{design.leading_layers.dense_layers}},
        "use_sliding_window": {{design.span.is_window}},
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
        # {% endmacro %}
    }


def in_full(full):
    # {% macro other_names() %}
    full.setdefault("num_experts", full.get("num_local_experts"))  # as transformers 5 writes it
    if not full.get("use_sliding_window"):  # the width of a window is of no account then
        full |= {"use_sliding_window": False, "sliding_window": None}
    # {% endmacro %}
    return full
