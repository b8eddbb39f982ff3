"""Three projections, one of which gates another.

# {% macro summary() %}
- SwiGLU feed-forward network (arXiv:2002.05202).
# {% endmacro %}
"""
