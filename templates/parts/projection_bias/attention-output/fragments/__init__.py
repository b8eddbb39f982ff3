"""A bias of what attention gives.

# {% macro summary() %}
- No biases but one of what attention gives (what values may have comes to the same,
  arXiv:2302.08626).
# {% endmacro %}
"""
