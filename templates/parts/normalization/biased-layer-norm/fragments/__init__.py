"""Shifted to a mean of 0, scaled to a variance of 1.

# {% macro summary() %}
- LayerNorm with a scale and a bias (arXiv:1607.06450).
# {% endmacro %}
"""
