"""The output matrix is that of the embeddings.

# {% macro summary() %}
- Tied embeddings: logits are inner products with the token embeddings (arXiv:1608.05859).
# {% endmacro %}
"""
