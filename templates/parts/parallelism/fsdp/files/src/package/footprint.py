"""What a training step keeps in memory and sends to other ranks, counted as it runs.

It counts tensors without data as well, so one process can find out what a rank of many would take.
"""

import weakref
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

NAMESPACES = ("c10d", "_c10d_functional")  # of torch's collectives
WAITS = ("wait_tensor", "wrap_tensor_autograd")  # which send nothing


@dataclass
class Traffic:
    """Calls of one kind of collective, and the bytes of the whole tensors that they were about."""

    calls: int = 0
    n_bytes: int = 0


class Footprint(TorchDispatchMode):
    """Bytes of storages: those alive now, and the most at once; and what collectives sent.

    It sees the tensors that operations give, and those that ``watch`` is told of. FSDP frees and
    takes back the memory of gathered weights by resizing storages, of which ``resized`` is told.
    """

    def __init__(self) -> None:
        initialize: Callable[[], None] = super().__init__  # which has no types of its own
        initialize()
        self.live = 0
        self.peak = 0
        self.traffic: dict[str, Traffic] = defaultdict(Traffic)
        self._sizes: weakref.WeakKeyDictionary[torch.UntypedStorage, list[int]]
        self._sizes = weakref.WeakKeyDictionary()

    def watch(self, values: Iterable[object]) -> None:
        """Count those of the values that are tensors, from now until their storage is freed."""
        for value in values:
            tensor = value.to_local() if isinstance(value, DTensor) else value
            if not isinstance(tensor, Tensor):
                continue
            storage = tensor.untyped_storage()
            if storage not in self._sizes:
                size = [0]
                self._sizes[storage] = size
                self._set(size, storage.nbytes())
                weakref.finalize(storage, self._set, size, 0)

    def restart(self) -> None:
        """Begin to look for the peak, and to count what is sent, from here."""
        self.peak = self.live
        self.traffic.clear()

    def resized(self, storage: torch.UntypedStorage, n_bytes: int) -> None:
        """Take note of a storage that has another size now."""
        if storage in self._sizes:
            self._set(self._sizes[storage], n_bytes)

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        self.watch(tree_leaves(result))
        kind = func.overloadpacket.__name__.strip("_")
        if func.namespace in NAMESPACES and kind not in WAITS:
            # Of input and output the larger: what was gathered, or what was to be spread.
            tensors = [t for t in tree_leaves((args, result)) if isinstance(t, Tensor)]
            sent = self.traffic[kind]
            sent.calls += 1
            sent.n_bytes += max((t.numel() * t.element_size() for t in tensors), default=0)
        return result

    def _set(self, size: list[int], n_bytes: int) -> None:
        self.live += n_bytes - size[0]
        self.peak = max(self.peak, self.live)
        size[0] = n_bytes


class Unread(TorchDispatchMode):
    """For tensors without data: whatever the host asks them for is 1, which is finite."""

    def __init__(self) -> None:
        initialize: Callable[[], None] = super().__init__
        initialize()

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        if func is torch.ops.aten._local_scalar_dense.default:
            return 1
        return func(*args, **(kwargs or {}))


@contextmanager
def counted() -> Iterator[Footprint]:
    """Count what the body of the ``with`` statement keeps and sends."""
    footprint = Footprint()
    resize: Callable[..., object] = torch.UntypedStorage.resize_

    def counted_resize(storage: torch.UntypedStorage, n_bytes: int) -> object:
        result = resize(storage, n_bytes)
        footprint.resized(storage, n_bytes)
        return result

    with mock.patch.object(torch.UntypedStorage, "resize_", counted_resize), footprint:
        yield footprint


@contextmanager
def fused_norms() -> Iterator[None]:
    """RMSNorm as on a GPU: its kernel keeps the input and a number a token, and no copies.

    On the CPU it is several operations, each of which keeps a tensor in float32. What comes out has
    the right shape and type, and other values.
    """
    apply: Callable[..., Tensor] = _FusedNorm.apply  # which has no types of its own

    def rms_norm(
        x: Tensor, _shape: object, weight: Tensor | None = None, *_eps: object, **_named: object
    ) -> Tensor:
        return apply(x, weight)

    with mock.patch.object(F, "rms_norm", rms_norm):
        yield


class _FusedNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor | None) -> Tensor:
        scales = x.new_empty(x.shape[:-1], dtype=torch.float32)
        ctx.save_for_backward(x, weight, scales)
        return x.clone()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor | None]:
        _, weight, _ = ctx.saved_tensors
        return gradients[0].clone(), None if weight is None else torch.zeros_like(weight)
