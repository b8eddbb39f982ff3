"""Experts of which other ranks hold the most: their tokens are sent there, and the outputs back.

As in GShard, https://arxiv.org/abs/2006.16668, but nothing is padded or dropped: the ranks tell
each other first how many rows come.

Shapes: R rows of this rank, A rows that arrive, D width, G ranks that share out the experts, E
experts, L = E / G of them on each rank.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch
import torch.distributed as dist
from torch import Tensor, nn


class Products(Protocol):
    """The outputs of experts, each for its ``counts`` of the rows, which are in order."""

    def __call__(self, experts: nn.ModuleList, rows: Tensor, counts: Tensor) -> Tensor: ...


class SpreadExperts(nn.ModuleList):
    """All experts of a layer, of which this rank computes ``own``, for its whole group."""

    def __init__(self, experts: nn.ModuleList, own: range, group: dist.ProcessGroup) -> None:
        super().__init__(experts)
        self._own = own
        self._group = group

    def forward(self, multiply: Products, rows: Tensor, counts: Tensor) -> Tensor:
        """Rows (R, D) in the order of the E experts that ``counts`` is for -> outputs (R, D)."""
        n_ranks = self._group.size()
        coming = torch.empty_like(counts)  # rows from each rank for each of the own experts
        dist.all_to_all_single(coming, counts, group=self._group)
        coming = coming.view(n_ranks, -1)  # (G, L)
        of_ranks = torch.stack([counts.view(n_ranks, -1).sum(dim=1), coming.sum(dim=1)])
        sent, arrived = exchanged_rows(of_ranks, len(rows))
        rows = exchange(rows, sent, arrived, self._group)  # by rank, of each by expert: (A, D)
        chosen = torch.arange(coming.size(1), device=rows.device).repeat(n_ranks)
        chosen = chosen.repeat_interleave(coming.flatten(), output_size=len(rows))
        order = chosen.argsort(stable=True)
        own = nn.ModuleList(self[number] for number in self._own)
        outputs = multiply(own, rows[order], coming.sum(dim=0))
        return exchange(outputs[order.argsort()], arrived, sent, self._group)

    def over_ranks(self, multiply: Products) -> Products:
        """The same products, each by the rank that has the expert."""

        def spread(experts: nn.ModuleList, rows: Tensor, counts: Tensor) -> Tensor:
            outputs: Tensor = experts(multiply, rows, counts)
            return outputs

        return spread


def exchanged_rows(of_ranks: Tensor, _n_rows: int) -> list[list[int]]:
    """How many rows go to each rank, and come from each: (2, G), as numbers."""
    sizes: list[list[int]] = of_ranks.tolist()  # host-device sync: it must make room for them
    return sizes


def even_rows(of_ranks: Tensor, n_rows: int) -> list[list[int]]:
    """The same, if each rank were to get as many: for tensors without data."""
    n_ranks = of_ranks.size(1)
    ends = [n_rows * i // n_ranks for i in range(n_ranks + 1)]
    return [[end - start for start, end in zip(ends, ends[1:], strict=False)]] * 2


def exchange(
    rows: Tensor, sent: Sequence[int], arrived: Sequence[int], group: dist.ProcessGroup
) -> Tensor:
    """Rows (R, D), in the order of the ranks they are for -> (A, D), in that of the senders."""
    apply: Callable[..., Tensor] = _Exchange.apply  # which has no types of its own
    return apply(rows, sent, arrived, group)


class _Exchange(torch.autograd.Function):
    """Gradients go back where the rows came from."""

    @staticmethod
    def forward(
        ctx: Any,
        rows: Tensor,
        sent: Sequence[int],
        arrived: Sequence[int],
        group: dist.ProcessGroup,
    ) -> Tensor:
        ctx.sent, ctx.arrived, ctx.group = sent, arrived, group
        return _all_to_all(rows, sent, arrived, group)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None, None]:
        back = _all_to_all(gradients[0], ctx.arrived, ctx.sent, ctx.group)
        return back, None, None, None


def _all_to_all(
    rows: Tensor, sent: Sequence[int], arrived: Sequence[int], group: dist.ProcessGroup
) -> Tensor:
    result = rows.new_empty(sum(arrived), rows.size(1))
    dist.all_to_all_single(result, rows.contiguous(), list(arrived), list(sent), group=group)
    return result
