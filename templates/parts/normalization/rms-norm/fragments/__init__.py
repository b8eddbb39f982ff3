"""Scaled to a root mean square of 1.

# {% macro summary() %}
- RMSNorm (arXiv:1910.07467).
# {% endmacro %}
"""
