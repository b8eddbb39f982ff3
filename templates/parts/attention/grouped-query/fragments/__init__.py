"""Fewer key and value heads than query heads.

# {% macro summary() %}
- Grouped-query attention: several query heads share one key and value head (arXiv:2305.13245).
# {% endmacro %}
"""
