"""A larger base."""

import torch
from package.model.rope_scaling import scaled


def exact_cosines(pairs, positions, theta, width):
    # {% macro cosines() %}
    return torch.outer(positions, scaled(theta ** -(2 * pairs / width))).cos()
    # {% endmacro %}


def test_lengths(x):
    # {% macro lengths() %}
    lengths = x.norm(dim=-1)
    # {% endmacro %}
    return lengths
