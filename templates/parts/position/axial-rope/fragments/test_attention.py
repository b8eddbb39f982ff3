"""Queries and keys are turned before they meet."""


def test_attention(attention, q, k):
    # {% macro rotate() %}
    q, k = attention.rope(q), attention.rope(k)
    # {% endmacro %}
    return attention, q, k
