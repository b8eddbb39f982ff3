"""How far the same sums may be apart."""

# {% macro tolerance() %}
TOLERANCE = 4e-3  # float16 keeps 11 bits
# {% endmacro %}
