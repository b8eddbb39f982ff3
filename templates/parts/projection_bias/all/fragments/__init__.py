"""Biases of every projection.

# {% macro summary() %}
- Biases in every projection of attention and of the feed-forward network, as in GPT-2.
# {% endmacro %}
"""
