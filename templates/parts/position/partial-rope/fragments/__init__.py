"""Positions turn a part of queries and keys.

# {% macro summary() %}
- Rotary position embedding of a part of each query and key (arXiv:2104.09864, 2204.06745).
# {% endmacro %}
"""
