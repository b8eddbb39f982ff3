"""No biases.

# {% macro summary() %}
- No biases (PaLM, arXiv:2204.02311).
# {% endmacro %}
"""
