"""Nothing to set."""

# {% macro train_fields() %}
# {% endmacro %}
