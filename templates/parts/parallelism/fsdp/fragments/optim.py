"""Matrices are whole once a step."""

from collections.abc import Callable
from typing import Any, overload

import torch
from torch import Tensor
from torch.optim import Muon

from .shards import part_of, whole


# {% macro orthogonalize() %}
class ShardedMuon(Muon):
    """Muon for matrices of which every rank holds some rows; the momentum is kept by row, too.

    The update of a matrix is not made of those of its rows. So it is gathered, once a step, and
    each rank takes its rows of the result (https://arxiv.org/abs/2502.16982, algorithm 1).
    """

    @overload
    def step(self, closure: None = None) -> None: ...

    @overload
    def step(self, closure: Callable[[], float]) -> float: ...

    def step(self, closure: Callable[[], float] | None = None) -> float | None:
        loss = None if closure is None else closure()
        for group in self.param_groups:
            for matrix in group["params"]:
                if matrix.grad is not None:
                    self._update(matrix, matrix.grad, group)
        return loss

    @torch.no_grad()
    def _update(self, matrix: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        state = self.state[matrix]
        if not state:
            state["momentum_buffer"] = torch.zeros_like(gradient)
        momentum = state["momentum_buffer"].lerp_(gradient, 1 - group["momentum"])
        direction = gradient.lerp(momentum, group["momentum"])  # Nesterov
        update = orthogonalized(whole(direction.bfloat16()), group)
        rate = group["lr"] * max(1.0, matrix.size(0) / matrix.size(1)) ** 0.5
        matrix.mul_(1 - group["lr"] * group["weight_decay"])
        matrix.add_(part_of(update.type_as(matrix), matrix), alpha=-rate)


def orthogonalized(matrix: Tensor, group: dict[str, Any]) -> Tensor:
    """The nearest matrix whose singular values are all near 1, by Newton-Schulz iterations."""
    a, b, c = group["ns_coefficients"]
    x = matrix.T if matrix.size(0) > matrix.size(1) else matrix
    x = x / x.norm().clamp(min=group["eps"])  # no singular value is above the norm
    for _ in range(group["ns_steps"]):
        gram = x @ x.T
        x = torch.addmm(x, torch.addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.T if matrix.size(0) > matrix.size(1) else x


# {% endmacro %}


def build_optimizer(hidden, config):
    # {% macro muon() %}
    muon = ShardedMuon([hidden], lr=config.muon_learning_rate, momentum=config.muon_momentum)
    # {% endmacro %}
    return muon
