"""The model runs as written."""

# {% macro compile() %}
# {% endmacro %}
