"""No weights of its own."""


def test_every_weight_is_drawn_as_the_table_says(weights, std):
    for name in weights:
        # {% macro expected_std() %}
        # {% endmacro %}
        assert weights[name].std() == std
