"""Three projections, one of which gates another."""


def settings(config):
    return {
        # {% macro settings() %}
        "intermediate_size": config.hidden_dim,
        "hidden_act": "gelu_pytorch_tanh",
        # {% endmacro %}
    }


def layer_names(config):
    return {
        # {% macro layer_names() %}
        "feed_forward.w1.weight": "mlp.gate_proj.weight",
        "feed_forward.w2.weight": "mlp.down_proj.weight",
        "feed_forward.w3.weight": "mlp.up_proj.weight",
        # {% endmacro %}
    }
