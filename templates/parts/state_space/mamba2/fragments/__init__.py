"""A recurrence in place of attention.

# {% macro summary() %}
- Mamba-2: every head carries a matrix from token to token, which decays and grows by what the token
  says; computed in chunks (arXiv:2405.21060).
# {% endmacro %}
"""
