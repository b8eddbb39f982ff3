"""The width between."""


class ModelConfig:
    # {% macro fields() %}
    q_lora_rank: int = {{design.queries.q_lora_rank}}  # what queries come from
    # {% endmacro %}
    pass
