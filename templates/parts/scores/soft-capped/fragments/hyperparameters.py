"""The bound of the scores."""


class ModelConfig:
    # {% macro fields() %}
    score_cap: float = {{design.scores.score_cap}}  # no score of attention is larger
    # {% endmacro %}
