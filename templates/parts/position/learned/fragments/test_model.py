"""Position embeddings start smaller than matrices do."""


def test_every_weight_is_drawn_as_the_table_says(weights, std):
    for name in weights:
        # {% macro expected_std() %}
        if name == "pos_embeddings.weight":
            std = 0.02
        # {% endmacro %}
        assert weights[name].std() == std
