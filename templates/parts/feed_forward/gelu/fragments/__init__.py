"""Two projections with GELU between them.

# {% macro summary() %}
- Feed-forward network with GELU (arXiv:1606.08415).
# {% endmacro %}
"""
