"""Slow pairs are slowed down."""

import torch

from .rope_scaling import scaled


class RotaryEmbedding:
    def _make_table(self, positions, exponents):
        # {% macro table() %}
        angles = torch.outer(positions, scaled(self.theta**-exponents, self.theta))
        return torch.stack((angles.cos(), angles.sin())).float()
        # {% endmacro %}
