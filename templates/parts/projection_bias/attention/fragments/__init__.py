"""Biases of all projections of attention.

# {% macro summary() %}
- Biases in every projection of attention, and in no other, as InternLM has them.
# {% endmacro %}
"""
