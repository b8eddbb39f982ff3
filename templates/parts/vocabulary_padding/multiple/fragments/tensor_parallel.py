"""Each device has some of the rows, the last ones unused rows too."""

from functools import partial

import torch
from torch import Tensor, nn
from torch.distributed.tensor import DTensor


# {% macro classes() %}
def mask_unused(mesh: DeviceMesh, model: nn.Module, _inputs: object, own: Tensor) -> DTensor:
    """The logits (B, T, V) of all devices, from ``own``; those of unused rows are -inf."""
    assert isinstance(model, Model)
    rows = mesh.get_local_rank() * own.size(-1) + torch.arange(own.size(-1), device=own.device)
    masked = own.masked_fill(rows >= model.config.vocab_size, -torch.inf)
    return DTensor.from_local(masked, mesh, [Shard(2)], run_check=False)


# {% endmacro %}
def spread(model, mesh):
    # {% macro spread() %}
    model.register_forward_hook(partial(mask_unused, mesh))
    # {% endmacro %}
