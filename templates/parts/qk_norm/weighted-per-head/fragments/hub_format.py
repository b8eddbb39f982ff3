"""Each head has a root mean square that is learned."""


def layer_names(config):
    return {
        # {% macro layer_names() %}
        "attention.q_norm.weight": "self_attn.q_norm.weight",
        "attention.k_norm.weight": "self_attn.k_norm.weight",
        # {% endmacro %}
    }
