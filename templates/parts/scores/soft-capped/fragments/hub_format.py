"""The bound of the scores."""


def settings(config):
    return {
        # {% macro settings() %}
        "attn_logit_softcapping": config.score_cap,
        # {% endmacro %}
    }
