"""Each sublayer reads the normalized stream."""


def layer_names(config):
    return {
        # {% macro layer_names() %}
        "attention_norm.weight": "input_layernorm.weight",
        "ffn_norm.weight": "post_attention_layernorm.weight",
        # {% endmacro %}
    }
