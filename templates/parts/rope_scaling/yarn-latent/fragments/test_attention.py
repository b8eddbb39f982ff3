"""Scores are sharpened."""

from package.model.rope_scaling import SCORE_FACTOR


def test_attention(q):
    # {% macro sharpen() %}
    q = SCORE_FACTOR * q
    # {% endmacro %}
    return q
