"""What each sublayer reads and adds is normalized.

# {% macro summary() %}
- Norms around the sublayers: what they read and what they add is normalized (arXiv:2408.00118).
# {% endmacro %}
"""
