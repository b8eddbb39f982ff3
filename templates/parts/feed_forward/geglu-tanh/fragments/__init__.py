"""Three projections, one of which gates another.

# {% macro summary() %}
- GEGLU feed-forward network, GELU in its approximation by tanh (arXiv:2002.05202, 1606.08415).
# {% endmacro %}
"""
