"""How many experts, and how wide."""


class ModelConfig:
    # {% macro fields() %}
    n_experts: int = {{design.feed_forward.n_experts}}  # in each layer, to choose from
    top_k: int = {{design.feed_forward.top_k}}  # experts that each token goes through
    n_shared_experts: int = {{design.feed_forward.n_shared_experts}}  # for every token, besides
    hidden_dim: int = {{design.feed_forward.hidden_dim}}  # inner width of each expert
    # {% endmacro %}
