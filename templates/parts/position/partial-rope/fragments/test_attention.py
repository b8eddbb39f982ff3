"""A part of queries and keys is turned before they meet."""


def test_attention(attention, q, k, scores, distance):
    # {% macro rotate() %}
    q, k = attention.rope(q, 0), attention.rope(k, 0)
    # {% endmacro %}
    # {% macro bias() %}
    # {% endmacro %}
    return attention, q, k, scores, distance
