"""Three projections, one of which gates another."""


class ModelConfig:
    # {% macro fields() %}
    hidden_dim: int = {{design.feed_forward.hidden_dim}}  # inner width of the feed-forward network
    # {% endmacro %}
