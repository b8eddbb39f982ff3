"""How many layers it takes to tell an order."""

from dataclasses import replace


def test_the_order_of_tokens_matters(model_config):
    # {% macro layers() %}
    # The first tells a token how many came before it, the second reads that.
    config = replace(model_config, n_layers=2)
    # {% endmacro %}
    return config
