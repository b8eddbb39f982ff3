"""All ranks share the model."""


def test_state_is_divided_by_the_ranks():
    # {% macro shards() %}
    n_shards = 8
    # {% endmacro %}
    return n_shards
