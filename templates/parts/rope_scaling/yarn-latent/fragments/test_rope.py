"""Slow pairs are slowed down."""

import torch
from package.model.rope_scaling import scaled


def exact_cosines(pairs, positions, theta, width):
    # {% macro cosines() %}
    return torch.outer(positions, scaled(theta ** -(2 * pairs / width), theta)).cos()
    # {% endmacro %}


def test_lengths(x):
    # {% macro lengths() %}
    lengths = x.norm(dim=-1)
    # {% endmacro %}
    return lengths
