"""The feed-forward network: a mixture of experts, of which each token uses a few.

Sparsely-gated mixture of experts, https://arxiv.org/abs/1701.06538, with SwiGLU experts as in
Mixtral, https://arxiv.org/abs/2401.04088. No token is dropped, however uneven the load.

Shapes: N tokens, D width, K experts of each token, E experts, R = N x K rows.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .hyperparameters import ModelConfig
from .router import Router

ALIGNMENT = 8  # rows; grouped products need groups that start at 16 bytes, also when transposed


# {# Slot: spread rebinds multiply. #}
class SwiGLU(nn.Module):
    """``w2(silu(w1 x) * w3 x)``, https://arxiv.org/abs/2002.05202."""

    def __init__(self, dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.w1 = nn.Linear(dim, hidden_dim, bias=False)
        self.w2 = nn.Linear(hidden_dim, dim, bias=False)
        self.w3 = nn.Linear(dim, hidden_dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """x (..., D) -> (..., D)."""
        out: Tensor = self.w2(F.silu(self.w1(x)) * self.w3(x))
        return out


class FeedForward(nn.Module):
    """Each token goes through the ``top_k`` experts chosen for it and through all shared ones.

    Every expert has matrices of its own, so that an optimizer sees matrices and nothing else.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.router = Router(config)
        dim, hidden_dim = config.dim, config.hidden_dim
        self.experts = nn.ModuleList(SwiGLU(dim, hidden_dim) for _ in range(config.n_experts))
        self.shared = nn.ModuleList(SwiGLU(dim, hidden_dim) for _ in range(config.n_shared_experts))

    def forward(self, x: Tensor) -> Tensor:
        """x (..., D) -> (..., D)."""
        tokens = x.flatten(0, -2)  # (N, D)
        experts, weights, counts = self.router(tokens)
        order = experts.flatten().argsort(stable=True)  # rows by expert, (R,)
        rows = tokens[order // experts.size(-1)]
        multiply = grouped_products if _has_grouped_products(rows) else looped_products
        # {% print each.spread() %}
        outputs = multiply(self.experts, rows, counts)
        # Back in the order of the tokens, so that the sum over experts is the same at each run.
        outputs = outputs[order.argsort()].unflatten(0, experts.shape)  # (N, K, D)
        mixed: Tensor = (outputs * weights[..., None]).sum(dim=1)
        for expert in self.shared:
            mixed = mixed + expert(tokens)
        return mixed.view(x.shape)


def looped_products(experts: nn.ModuleList, rows: Tensor, counts: Tensor) -> Tensor:
    """The outputs of the experts, each for its ``counts`` of the rows (R, D), which are in order.

    An expert without rows multiplies none: its gradient is then zero, and not missing.
    """
    parts = rows.split(group_sizes(counts, len(rows)))
    return torch.cat([expert(part) for expert, part in zip(experts, parts, strict=True)])


def grouped_products(experts: nn.ModuleList, rows: Tensor, counts: Tensor) -> Tensor:
    """The same in bfloat16, as three products for all experts together; needs no sync."""
    w1, w2, w3 = (_stacked(experts, name) for name in ("w1", "w2", "w3"))
    padded = (counts + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
    ends = padded.cumsum(0)
    moved = (ends - padded) - (counts.cumsum(0) - counts)  # by how many rows each group moves on
    groups = torch.arange(len(counts), device=rows.device)
    places = (
        torch.arange(len(rows), device=rows.device)
        + moved[groups.repeat_interleave(counts, output_size=len(rows))]
    )
    shape = (len(rows) + ALIGNMENT * len(counts), rows.size(1))
    x = torch.zeros(shape, dtype=torch.bfloat16, device=rows.device)
    x = x.index_copy(0, places, rows.bfloat16())
    offsets = ends.int()
    hidden = F.silu(F.grouped_mm(x, w1, offs=offsets)) * F.grouped_mm(x, w3, offs=offsets)
    return F.grouped_mm(hidden, w2, offs=offsets)[places]


def _has_grouped_products(rows: Tensor) -> bool:
    """Whether products are in bfloat16 and on a GPU, where one kernel serves all experts."""
    autocast = torch.is_autocast_enabled("cuda")
    dtype = torch.get_autocast_dtype("cuda") if autocast else rows.dtype
    return rows.is_cuda and dtype == torch.bfloat16


def _stacked(experts: nn.ModuleList, name: str) -> Tensor:
    """One matrix of every expert, transposed, in bfloat16: (E, inputs, outputs)."""
    matrices = [experts.get_parameter(f"{i}.{name}.weight") for i in range(len(experts))]
    return torch.stack([matrix.bfloat16() for matrix in matrices]).mT


def group_sizes(counts: Tensor, n_rows: int) -> list[int]:
    """The counts as numbers; on the meta device, which has none, an even spread."""
    if counts.is_meta:
        return even_sizes(counts, n_rows)
    sizes: list[int] = counts.tolist()  # host-device sync
    return sizes


def even_sizes(counts: Tensor, n_rows: int) -> list[int]:
    """Sizes of as many groups as there are counts, which differ by one row at most."""
    ends = [n_rows * i // len(counts) for i in range(len(counts) + 1)]
    return [end - start for start, end in zip(ends, ends[1:], strict=False)]
