"""Biases of all projections of attention."""


def settings(config):
    return {
        # {% macro settings() %}
        "attention_bias": True,
        # {% endmacro %}
    }


def layer_names(config):
    return {
        # {% macro layer_names() %}
        "attention.wq.bias": "self_attn.q_proj.bias",
        "attention.wk.bias": "self_attn.k_proj.bias",
        "attention.wv.bias": "self_attn.v_proj.bias",
        "attention.wo.bias": "self_attn.o_proj.bias",
        # {% endmacro %}
    }
