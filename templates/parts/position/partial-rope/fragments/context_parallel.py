"""Each half of the tokens is rotated from where it stands."""

import torch
from torch import Tensor, nn


# {% macro classes() %}
class RotatedHalves(nn.Module):
    """A rotary embedding of tokens of which each half stands at a place of its own in the row."""

    def __init__(self, rope: nn.Module, numbers: tuple[int, int]) -> None:
        super().__init__()
        self.rope = rope
        self.numbers = numbers

    def forward(self, x: Tensor, _start: int) -> Tensor:
        """Turn x (B, T, N, H)."""
        half = x.size(1) // 2
        halves = zip(self.numbers, x.split(half, dim=1), strict=True)
        return torch.cat([self.rope(part, number * half) for number, part in halves], dim=1)


# {% endmacro %}
def share_tokens(model, mesh):
    # {% macro places() %}
    numbers = numbers_of_halves(mesh.get_local_rank(), mesh.size())
    for layer in model.layers:
        attention = layer.get_submodule("attention")
        attention.rope = RotatedHalves(attention.get_submodule("rope"), numbers)
    # {% endmacro %}
