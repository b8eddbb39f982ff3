"""The ranks of a machine share a copy of the model."""


def test_state_is_divided_by_the_ranks():
    # {% macro shards() %}
    n_shards = LOCAL
    # {% endmacro %}
    return n_shards
