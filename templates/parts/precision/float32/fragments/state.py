"""Nothing more to keep."""

# {% macro init() %}
# {% endmacro %}
# {% macro save() %}
# {% endmacro %}
# {% macro load() %}
# {% endmacro %}
