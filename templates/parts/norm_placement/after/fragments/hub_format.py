"""What a sublayer adds is normalized."""


def layer_names(config):
    return {
        # {% macro layer_names() %}
        "attention_norm.weight": "post_attention_layernorm.weight",
        "ffn_norm.weight": "post_feedforward_layernorm.weight",
        # {% endmacro %}
    }
