"""Queries and keys meet as they are."""


def test_attention(attention, q, k, scores, distance):
    # {% macro rotate() %}
    # {% endmacro %}
    # {% macro bias() %}
    # {% endmacro %}
    return attention, q, k, scores, distance
