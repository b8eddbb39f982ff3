"""The angles as they are."""


def exact_cosines(pairs, positions, theta, width):
    # {% macro cosines() %}
    return (positions[:, None] / theta ** (2 * pairs / width)).cos()
    # {% endmacro %}


def test_lengths(x):
    # {% macro lengths() %}
    lengths = x.norm(dim=-1)
    # {% endmacro %}
    return lengths
