"""Scores fall with the distance, at slopes of 1/4, 1/16, 1/64 and 1/256."""


def test_attention(attention, q, k, scores, distance):
    # {% macro rotate() %}
    # {% endmacro %}
    # {% macro bias() %}
    slopes = 4.0 ** -torch.arange(1, 5, dtype=torch.float64)  # of 4 heads
    scores = scores - slopes[:, None, None] * distance
    # {% endmacro %}
    return attention, q, k, scores, distance
