"""The tests of shards are those of how they are stored."""

# {% macro on_many_ranks() %}
# {% endmacro %}
