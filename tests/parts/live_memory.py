"""How much memory of tensors is alive at most while something is computed, on any device."""

import weakref
from collections.abc import Callable, Iterable
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class _Live(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts the bytes of storages from the operation that makes them until they are freed."""

    now = peak = 0

    def leave_out(self, tensors: Iterable[Tensor]) -> None:
        """Do not count tensors that are there already."""
        storages = {tensor.untyped_storage(): 0 for tensor in tensors}
        self._seen: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary(storages)

    def _add(self, leaf: object) -> None:
        if isinstance(leaf, Tensor) and (storage := leaf.untyped_storage()) not in self._seen:
            size = self._seen[storage] = storage.nbytes()
            self.now += size
            self.peak = max(self.peak, self.now)
            weakref.finalize(storage, self._free, size)

    def _free(self, size: int) -> None:
        self.now -= size

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        del types
        out = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(out):
            self._add(leaf)
        return out


def peak_bytes(work: Callable[[], object], existing: Iterable[Tensor]) -> int:
    """The most bytes that tensors hold at once during ``work``, beside those of ``existing``."""
    live = _Live()  # type: ignore[no-untyped-call]
    live.leave_out(existing)
    with live:
        work()
    return live.peak
