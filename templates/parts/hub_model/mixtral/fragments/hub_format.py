"""Mixtral.

# {% macro summary() %}
There it is MixtralForCausalLM.
# {% endmacro %}
"""


def settings(config):
    return {
        # {% macro identity() %}
        "architectures": ["MixtralForCausalLM"],
        "model_type": "mixtral",
        "num_local_experts": config.n_experts,
        "intermediate_size": config.hidden_dim,
        # {% endmacro %}
    }


def layer_names(config):
    return {
        # {% macro layer_names() %}
        "feed_forward.router.gate.weight": "block_sparse_moe.gate.weight",
        **{
            f"feed_forward.experts.{i}.{name}.weight": f"block_sparse_moe.experts.{i}.{name}.weight"
            for i in range(config.n_experts)
            for name in ("w1", "w2", "w3")
        },
        # {% endmacro %}
    }
