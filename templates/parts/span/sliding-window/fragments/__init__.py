"""The last tokens.

# {% macro summary() %}
- Sliding window: every token sees itself and the few before it (arXiv:2004.05150).
# {% endmacro %}
"""
