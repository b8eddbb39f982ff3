"""Keys and values come from one narrow vector for each token.

# {% macro summary() %}
- Multi-head latent attention: the keys and values of all heads are made from one narrow vector for
  each token, and only that is cached (DeepSeek-V2, arXiv:2405.04434).
# {% endmacro %}
"""
