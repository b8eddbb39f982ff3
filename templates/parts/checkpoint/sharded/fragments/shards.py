"""A checkpoint holds the shards."""

# {% macro whole_states() %}
# {% endmacro %}
