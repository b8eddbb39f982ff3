"""The value of Moonlight."""


def model_config():
    return dict(
        # {% macro tiny() %}
        routed_scaling_factor=2.446,
        # {% endmacro %}
    )
