"""All tokens of a sample are on one rank."""


# {% macro data_ranks() %}
# {% print tensor_parallel.data_ranks() %}
# {% endmacro %}
def build_mesh(n_data_ranks):
    return {
        # {% macro shard() %}
        "shard": n_data_ranks(),
        # {% endmacro %}
    }


def build_copies(shard_ranks):
    return {
        # {% macro shard_of_a_copy() %}
        "shard": shard_ranks,
        # {% endmacro %}
    }


def build_sharded(shard_ranks):
    # {% macro of_a_machine() %}
    # {% print tensor_parallel.of_a_machine() %}
    # {% endmacro %}
    return shard_ranks
