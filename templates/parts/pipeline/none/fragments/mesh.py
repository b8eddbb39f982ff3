"""Every rank has all layers."""


# {% macro data_ranks() %}
# {% print tensor_parallel.data_ranks() %}
# {% endmacro %}
