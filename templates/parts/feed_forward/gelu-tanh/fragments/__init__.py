"""Two projections with GELU between them.

# {% macro summary() %}
- Feed-forward network with GELU in its approximation by tanh (arXiv:1606.08415, section 2).
# {% endmacro %}
"""
