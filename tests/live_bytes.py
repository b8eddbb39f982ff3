"""How many bytes of tensors are alive, at present and at most, on any device."""

import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class LiveBytes(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch gives it no types
    """Follows every storage that an operation returns, until it is freed."""

    def __init__(self) -> None:
        initialize: Callable[[], None] = super().__init__  # which has no types of its own
        initialize()
        self.current = self.peak = 0
        self._sizes: weakref.WeakKeyDictionary[Any, list[int]] = weakref.WeakKeyDictionary()

    def add(self, value: object) -> None:
        """Count a tensor, also one that was there before."""
        tensor = value.to_local() if isinstance(value, DTensor) else value
        if isinstance(tensor, Tensor) and tensor.untyped_storage() not in self._sizes:
            storage = tensor.untyped_storage()
            size = self._sizes[storage] = [0]
            self._resize(size, storage.nbytes())
            weakref.finalize(storage, self._resize, size, 0)

    def leave_out(self, tensors: Iterable[Tensor]) -> None:
        """Do not count tensors that are there already."""
        self._sizes.update({tensor.untyped_storage(): [0] for tensor in tensors})

    def resized(self, storage: Any, n_bytes: int) -> None:
        """Take note of a storage that has another size now."""
        if storage in self._sizes:
            self._resize(self._sizes[storage], n_bytes)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(out):
            self.add(leaf)
        return out

    def _resize(self, size: list[int], n_bytes: int) -> None:
        self.current += n_bytes - size[0]
        self.peak = max(self.peak, self.current)
        size[0] = n_bytes


@contextmanager
def live_bytes() -> Iterator[LiveBytes]:
    """Count in the body of the ``with`` statement.

    FSDP frees gathered weights, and takes memory for them again, by resizing their storage.
    """
    live = LiveBytes()
    original: Callable[..., object] = torch.UntypedStorage.resize_

    def resize(storage: Any, n_bytes: int) -> object:
        result = original(storage, n_bytes)
        live.resized(storage, n_bytes)
        return result

    with patch.object(torch.UntypedStorage, "resize_", resize), live:
        yield live


def peak_bytes(work: Callable[[], object], existing: Iterable[Tensor]) -> int:
    """The most bytes that tensors hold at once during ``work``, beside those of ``existing``."""
    live = LiveBytes()
    live.leave_out(existing)
    with live:
        work()
    return live.peak
