"""The bound of the logits."""


class ModelConfig:
    # {% macro fields() %}
    logit_softcap: float = {{design.logits.logit_softcap}}  # no logit is larger
    # {% endmacro %}
