"""The objective is the loss alone."""

# {% macro joined() %}
# {% endmacro %}
