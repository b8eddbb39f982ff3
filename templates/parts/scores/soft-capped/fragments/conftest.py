"""A bound so low that it shows."""


def model_config():
    return dict(
        # {% macro tiny() %}
        score_cap=2.0,
        # {% endmacro %}
    )
