"""Two query heads share each key and value head."""


def model_config():
    return dict(
        # {% macro tiny() %}
        n_kv_heads=2,
        # {% endmacro %}
    )
