"""How far the same sums may be apart."""

# {% macro tolerance() %}
TOLERANCE = 2e-2  # bfloat16 keeps 8 bits
# {% endmacro %}
