"""So many ranks share a copy of the model."""


def test_state_is_divided_by_the_ranks(train):
    # {% macro shards() %}
    n_shards = train.shard_ranks
    # {% endmacro %}
    return n_shards
