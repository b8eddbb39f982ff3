"""Nothing to set."""

# {% macro test_values() %}
# {% endmacro %}
