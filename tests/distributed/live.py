"""How many bytes of tensors are alive, at present and at most."""

import weakref
from typing import Any
from unittest.mock import patch

import torch
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class LiveBytes(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Follows every storage that an operation returns, until it is freed.

    FSDP frees gathered weights, and takes memory for them again, by resizing their storage.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.current = self.peak = 0
        self._sizes: weakref.WeakKeyDictionary[Any, list[int]] = weakref.WeakKeyDictionary()

    def add(self, value: Any) -> None:
        """Count a tensor, also one that was there before."""
        tensor = value.to_local() if isinstance(value, DTensor) else value
        if isinstance(tensor, torch.Tensor) and tensor.untyped_storage() not in self._sizes:
            storage = tensor.untyped_storage()
            size = self._sizes[storage] = [storage.nbytes()]
            self._change(size[0])
            weakref.finalize(storage, self._freed, size)

    def __enter__(self) -> "LiveBytes":
        original = torch.UntypedStorage.resize_

        def resize(storage: Any, size: int) -> Any:
            result = original(storage, size)
            known = self._sizes.get(storage)
            if known is not None:
                self._change(size - known[0])
                known[0] = size
            return result

        self._patch = patch.object(torch.UntypedStorage, "resize_", resize)
        self._patch.start()
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *error: Any) -> None:
        self._patch.stop()
        super().__exit__(*error)  # type: ignore[no-untyped-call]

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(out):
            self.add(leaf)
        return out

    def _change(self, size: int) -> None:
        self.current += size
        self.peak = max(self.peak, self.current)

    def _freed(self, size: list[int]) -> None:
        self._change(-size[0])
        size[0] = 0
