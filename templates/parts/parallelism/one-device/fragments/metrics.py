"""One process reports for one device."""

# {% macro all_devices() %}
# {% endmacro %}
# {% macro only_first_rank() %}
# {% endmacro %}
# {% macro explain() %}
# {% endmacro %}
