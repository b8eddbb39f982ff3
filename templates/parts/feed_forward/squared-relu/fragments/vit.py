"""Two projections with a squared ReLU between them.

# {% macro summary() %}
- Feed-forward network with a squared ReLU (arXiv:2109.08668).
# {% endmacro %}
"""
