"""Each sublayer reads the normalized stream.

# {% macro summary() %}
- Pre-norm residual blocks: the residual stream itself is never normalized (arXiv:2002.04745).
# {% endmacro %}
"""
