"""Slow pairs are slowed down, and scores sharpened."""

import torch
from package.model.rope_scaling import ATTENTION_FACTOR, scaled


def exact_cosines(pairs, positions, theta, width):
    # {% macro cosines() %}
    angles = torch.outer(positions, scaled(theta ** -(2 * pairs / width), theta))
    return ATTENTION_FACTOR * angles.cos()
    # {% endmacro %}


def test_lengths(x):
    # {% macro lengths() %}
    lengths = ATTENTION_FACTOR * x.norm(dim=-1)
    # {% endmacro %}
    return lengths
