"""Biases of every projection."""


def settings(config):
    return {
        # {% macro settings() %}
        "attention_bias": True,
        "mlp_bias": True,
        # {% endmacro %}
    }


def layer_names(config):
    return {
        # {% macro layer_names() %}
        "attention.wq.bias": "self_attn.q_proj.bias",
        "attention.wk.bias": "self_attn.k_proj.bias",
        "attention.wv.bias": "self_attn.v_proj.bias",
        "attention.wo.bias": "self_attn.o_proj.bias",
        "feed_forward.w1.bias": "mlp.gate_proj.bias",
        "feed_forward.w2.bias": "mlp.down_proj.bias",
        "feed_forward.w3.bias": "mlp.up_proj.bias",
        # {% endmacro %}
    }
