"""One key and value head for all query heads."""


def settings(config):
    return {
        # {% macro settings() %}
        "num_key_value_heads": 1,
        "head_dim": config.head_dim,
        # {% endmacro %}
    }


def layer_names(config):
    return {
        # {% macro layer_names() %}
        "attention.wq.weight": "self_attn.q_proj.weight",
        "attention.wk.weight": "self_attn.k_proj.weight",
        "attention.wv.weight": "self_attn.v_proj.weight",
        "attention.wo.weight": "self_attn.o_proj.weight",
        # {% endmacro %}
    }
