"""Positions lower scores.

# {% macro summary() %}
- Attention with linear biases: scores fall with the distance (ALiBi, arXiv:2108.12409).
# {% endmacro %}
"""
