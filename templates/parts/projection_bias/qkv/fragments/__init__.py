"""Biases of queries, keys and values.

# {% macro summary() %}
- No biases but those of queries, keys and values (Qwen, arXiv:2309.16609).
# {% endmacro %}
"""
