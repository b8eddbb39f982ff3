"""Attention between tokens that are on several devices.

Shapes: B batch, T tokens on this device, S = T x devices, N heads, M key and value heads, H head
width.
"""

import torch
from torch import Tensor
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Partial, Shard

from .cache import Cache, LayerCache
from .hyperparameters import ModelConfig


def numbers_of_halves(number: int, n_devices: int) -> tuple[int, int]:
    """Which of the 2 x ``n_devices`` parts of a row the device of this number has."""
    return number, 2 * n_devices - 1 - number


# {# Slots: biases are definitions; parameter is one of the constructor, bind puts it into self;
#    attend reads self, q, k and v, returns heads; layers reads config, mesh and layers, their numbers,
#    binds self.layers. #}
# {% print each.biases() %}
class ContextLayer(LayerCache):
    """In place of the cache of one layer: all devices have some of the keys and values."""

    def __init__(
        self,
        mesh: DeviceMesh,
        # {% print span.parameter() %}
    ) -> None:
        self.length = 0  # tokens are those of whole rows
        self.mesh = mesh
        # {% print span.bind() %}
        self.numbers = numbers_of_halves(mesh.get_local_rank(), mesh.size())

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Heads (B, T, N, H) of queries of that shape, and keys and values (B, T, M, H)."""
        # Norms of queries and keys may have left the type that autocast has chosen.
        q, k, v = (heads.transpose(1, 2) for heads in (q.type_as(v), k.type_as(v), v))
        k, v, _ = self.extend(k, v)
        half = q.size(2) // 2
        heads = []
        for number, queries in zip(self.numbers, q.split(half, dim=2), strict=True):
            end = (number + 1) * half  # of what the last of them sees
            heads.append(self._attend(queries, k[:, :, :end], v[:, :, :end]))
        return torch.cat(heads, dim=2).transpose(1, 2)

    def extend(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Keys and values (B, M, S, H) of whole rows, in their order, from (B, M, T, H) of each.

        And an empty mask: what a token sees follows from its place. Backward sums up what all
        devices ask of a key, and each gets the sums of its own.
        """
        own = torch.stack((k, v))[None]
        if own.numel() > 0:
            shared = DTensor.from_local(own, self.mesh, [Shard(0)], run_check=False)
            pairs = shared.full_tensor(grad_placements=[Partial()])
        else:
            pairs = own.expand(self.mesh.size(), *own.shape[1:])  # gloo would wait for ever
        early, late = pairs.chunk(2, dim=4)
        parts = torch.cat((early, late.flip(0)))  # (parts, 2, B, M, T / 2, H)
        k, v = parts.movedim(0, 3).flatten(3, 4)
        return k, v, torch.empty(0, dtype=torch.bool, device=k.device)

    def _attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Heads of queries that are the last of the tokens of k and v."""
        # {% print span.attend() %}


class ContextRows(Cache):
    """In place of a cache: rows of which each device of the mesh has some tokens."""

    def __init__(self, config: ModelConfig, mesh: DeviceMesh) -> None:
        layers = range(config.n_layers)
        # {% print span.layers() %}
