"""All tokens before it.

# {% macro summary() %}
- Causal attention: every token sees itself and all tokens before it.
# {% endmacro %}
"""
