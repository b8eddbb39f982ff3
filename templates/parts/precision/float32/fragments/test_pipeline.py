"""How far the same sums may be apart."""

# {% macro tolerance() %}
TOLERANCE = 1e-5  # float32 keeps 24 bits; sums of them are rounded in another order
# {% endmacro %}
