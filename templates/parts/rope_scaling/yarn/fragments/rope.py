"""Slow pairs are slowed down, and scores sharpened."""

import torch

from .rope_scaling import ATTENTION_FACTOR, scaled


class RotaryEmbedding:
    def _make_table(self, positions, exponents):
        # {% macro table() %}
        angles = torch.outer(positions, scaled(self.theta**-exponents, self.theta))
        return (ATTENTION_FACTOR * torch.stack((angles.cos(), angles.sin()))).float()
        # {% endmacro %}
