"""The size of the weights is a question of its own."""


def test_every_weight_is_drawn_as_the_table_says(model):
    for name, weight in model.named_parameters():
        # {% macro std() %}
        # {% endmacro %}
        assert weight.any(), name
