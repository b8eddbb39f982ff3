"""No biases."""


def test_weights(model):
    for name, weight in model.named_parameters():
        # {% macro expected() %}
        # {% endmacro %}
        assert weight.any(), name
