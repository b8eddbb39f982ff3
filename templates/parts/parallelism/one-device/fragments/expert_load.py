"""All tokens were counted here."""

# {% macro all_ranks() %}
# {% endmacro %}
