"""The digits need no preparation."""

# {% macro prepare() %}
# {% endmacro %}
