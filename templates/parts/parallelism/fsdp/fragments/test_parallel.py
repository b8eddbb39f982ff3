"""One group of ranks."""

# {% macro ranks() %}
N_RANKS = N_SHARDS = 2
# {% endmacro %}
