"""Few and narrow."""


def model_config():
    return dict(
        # {% macro tiny() %}
        n_experts=4,
        top_k=2,
        n_shared_experts=1,
        hidden_dim=24,
        # {% endmacro %}
    )
