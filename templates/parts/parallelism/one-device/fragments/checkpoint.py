"""This process writes."""

# {% macro save_on_one_rank() %}
# {% endmacro %}
