"""Position embeddings start smaller than matrices do, and tell an order from the first layer on."""

from dataclasses import replace


def test_every_weight_is_drawn_as_the_table_says(weights, std):
    for name in weights:
        # {% macro expected_std() %}
        if name == "pos_embeddings.weight":
            std = 0.02
        # {% endmacro %}
        assert weights[name].std() == std


def test_the_order_of_tokens_matters(model_config):
    # {% macro layers() %}
    # With one layer and no positions, the last token could not tell how the others are ordered.
    config = replace(model_config, n_layers=1)
    # {% endmacro %}
    return config
