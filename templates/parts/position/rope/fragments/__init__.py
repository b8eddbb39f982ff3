"""Positions turn queries and keys.

# {% macro summary() %}
- Rotary position embedding of queries and keys (arXiv:2104.09864).
# {% endmacro %}
"""
