"""What each sublayer adds is normalized.

# {% macro summary() %}
- Norms after the sublayers: what they add to the residual stream is normalized (arXiv:2501.00656).
# {% endmacro %}
"""
