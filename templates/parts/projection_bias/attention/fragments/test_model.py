"""Biases of all projections of attention."""


def test_weights(model):
    for name, weight in model.named_parameters():
        # {% macro expected() %}
        if name.endswith("bias"):
            assert not weight.any(), name
            continue
        # {% endmacro %}
        assert weight.any(), name
