"""The angles as they are."""

import torch


class RotaryEmbedding:
    def _make_table(self, positions, exponents):
        # {% macro table() %}
        angles = torch.outer(positions, self.theta**-exponents)
        return torch.stack((angles.cos(), angles.sin())).float()
        # {% endmacro %}
