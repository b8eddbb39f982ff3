"""The last tokens in most layers, all in some.

# {% macro summary() %}
- Alternating spans: a token sees the few before it, and in some layers all (arXiv:2503.19786).
# {% endmacro %}
"""
