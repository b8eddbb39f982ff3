"""Context parallelism: several devices share the tokens of each sample.

Of n devices, the one of number i has the parts i and 2n - 1 - i of the 2n equal ones of a row: a
token looks at those before it, so that an early and a late part make the work of all devices alike
(Llama 3, section 3.3.2, https://arxiv.org/abs/2407.21783).
"""

import torch
from torch import Tensor
from torch.distributed.device_mesh import DeviceMesh

from .data import Batch
from .model import Model
from .model.context import ContextRows, numbers_of_halves
from .ranks import context_rank, context_ranks


# {# Slots: classes are what the other needs; places reads model and halves. #}
def own_tokens(batch: Batch) -> Batch:
    """What this rank has of the rows (B, S) of inputs and targets: (B, T) each."""
    return Batch(*(part_of(rows, context_rank(), context_ranks()) for rows in batch))


def part_of(rows: Tensor, number: int, n_devices: int) -> Tensor:
    """The tokens (B, T) of rows (B, S) that one of so many devices has: two halves."""
    parts = rows.chunk(2 * n_devices, dim=1)
    return torch.cat([parts[i] for i in numbers_of_halves(number, n_devices)], dim=1)


# {% print each.classes() %}
def share_tokens(model: Model, mesh: DeviceMesh) -> None:
    """Let the devices of ``mesh``, which has one dimension, share the tokens of a row.

    The model is then given (B, T) tokens of rows of S = T x devices, as ``own_tokens`` does, and
    returns their logits. Called before layers are compiled and sharded.
    """
    # {% print each.places() %}
    rows = ContextRows(model.config, mesh)
    model.register_forward_pre_hook(lambda _model, inputs: (*inputs, rows))
