"""Two copies of two shards."""

# {% macro ranks() %}
N_RANKS, N_SHARDS = 4, 2  # two copies
# {% endmacro %}
