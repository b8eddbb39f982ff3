"""Nothing is being written when a save has returned."""

# {% macro wait() %}
# {% endmacro %}
