"""The bound of the logits."""


def settings(config):
    return {
        # {% macro settings() %}
        "final_logit_softcapping": config.logit_softcap,
        # {% endmacro %}
    }
