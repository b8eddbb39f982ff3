"""Each token goes through a few of many networks.

# {% macro summary() %}
- Mixture of experts: a router chooses a few SwiGLU networks for each token (arXiv:2401.04088).
# {% endmacro %}
"""
