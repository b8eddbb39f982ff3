"""Positions are nowhere.

# {% macro summary() %}
- No position embedding: the causal mask tells tokens apart (NoPE, arXiv:2305.19466).
# {% endmacro %}
"""
