"""How many layers are dense, and how wide."""


class ModelConfig:
    # {% macro fields() %}
    n_dense_layers: int = {{design.leading_layers.n_dense_layers}}  # first layers, without experts
    dense_hidden_dim: int = {{design.leading_layers.dense_hidden_dim}}  # their inner width
    # {% endmacro %}
