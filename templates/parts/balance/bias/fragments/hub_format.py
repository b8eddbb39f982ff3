"""A bias moves the choice."""


def layer_names(config):
    return {
        # {% macro layer_names() %}
        "feed_forward.router.bias": "mlp.gate.e_score_correction_bias",
        # {% endmacro %}
    }
