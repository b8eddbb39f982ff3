"""As many key and value heads as query heads.

# {% macro summary() %}
- Multi-head attention: every head has queries, keys and values of its own (arXiv:1706.03762).
# {% endmacro %}
"""
