"""Every rank has all layers."""


# {% macro data_ranks() %}
# {% print context_parallel.data_ranks() %}
# {% endmacro %}
