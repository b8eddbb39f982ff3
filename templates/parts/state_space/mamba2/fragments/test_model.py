"""What is no matrix has a table of its own, and a test of it."""


def test_weights(model):
    for name, weight in model.named_parameters():
        # {% macro expected() %}
        if name.endswith(("A_log", "dt_bias", "conv.weight", "conv.bias")):
            continue  # see tests/test_mamba.py
        # {% endmacro %}
        assert weight.any(), name
