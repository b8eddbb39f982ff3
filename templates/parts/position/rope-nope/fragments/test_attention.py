"""Queries and keys are turned before they meet, where they are at all."""


def test_attention(attention, q, k, scores, distance):
    # {% macro rotate() %}
    if attention.rope is not None:
        q, k = attention.rope(q, 0), attention.rope(k, 0)
    # {% endmacro %}
    # {% macro bias() %}
    # {% endmacro %}
    return attention, q, k, scores, distance
