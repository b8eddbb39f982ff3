"""Queries and keys meet as they are."""


def test_attention(attention, q, k):
    # {% macro rotate() %}
    # {% endmacro %}
    return attention, q, k
