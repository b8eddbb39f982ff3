"""Queries and keys are turned before they meet."""


def test_attention(attention, q, k):
    # {% macro rotate() %}
    q, k = attention.rope(q, 0), attention.rope(k, 0)
    # {% endmacro %}
    return attention, q, k
