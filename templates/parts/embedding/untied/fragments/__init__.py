"""The output matrix is another than that of the embeddings.

# {% macro summary() %}
- Untied embeddings: the output matrix has weights of its own (Llama 3, arXiv:2407.21783).
# {% endmacro %}
"""
