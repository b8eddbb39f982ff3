"""Positions turn queries and keys of most layers.

# {% macro summary() %}
- Rotary position embedding of queries and keys (arXiv:2104.09864), but in some layers no positions
  at all (RNoPE, arXiv:2501.18795).
# {% endmacro %}
"""
