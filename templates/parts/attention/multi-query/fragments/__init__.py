"""One key and value head for all query heads.

# {% macro summary() %}
- Multi-query attention: all query heads share one key and value head (arXiv:1911.02150).
# {% endmacro %}
"""
