"""How many layers it takes to tell an order."""

from dataclasses import replace


def test_the_order_of_tokens_matters(model_config):
    # {% macro layers() %}
    # With one layer and no positions, the last token could not tell how the others are ordered.
    config = replace(model_config, n_layers=1)
    # {% endmacro %}
    return config
