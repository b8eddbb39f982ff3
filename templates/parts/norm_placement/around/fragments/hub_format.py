"""What each sublayer reads and adds is normalized."""


def layer_names(config):
    return {
        # {% macro layer_names() %}
        "attention_norm.weight": "input_layernorm.weight",
        "post_attention_norm.weight": "post_attention_layernorm.weight",
        "ffn_norm.weight": "pre_feedforward_layernorm.weight",
        "post_ffn_norm.weight": "post_feedforward_layernorm.weight",
        # {% endmacro %}
    }
