"""One vector for each position.

# {% macro summary() %}
- Learned position embeddings, added to the token embeddings (GPT-2).
# {% endmacro %}
"""
