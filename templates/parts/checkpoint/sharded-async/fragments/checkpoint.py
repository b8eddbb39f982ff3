"""All ranks copy, then write in the background."""

import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from .agreement import on_first_rank, rank_or_zero
from .durable import Manifest
from .storage import find_fault_anywhere, read, start_writing


class Checkpoints:
    def __init__(self):
        # {% macro attributes() %}
        self._group: dist.ProcessGroup | None = None  # for the background alone
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="checkpoint")
        self._writing: Future[None] | None = None
        # {% endmacro %}

    # {% macro save() %}
    def save(self, step: int, state: Mapping[str, Any], best: bool) -> None:
        """Copy ``state``, and write it in the background as the checkpoint of ``step``.

        ``best`` says that none was better. Every rank must call it. One that is still being written
        is waited for; raises its ``OSError`` on all ranks if one could not write, as on a full
        disk, and what was there before stays usable. Once all ranks have written their parts, and
        they are durable, older ones are deleted but for the last ``keep_last`` and the best.
        """
        start = time.perf_counter()
        is_late = self._writing is not None and not self._writing.done()
        self.wait()
        if is_late and rank_or_zero() == 0:
            warnings.warn(
                f"step {step} waited {time.perf_counter() - start:.1f} s for the checkpoint before"
                " it to be written",
                stacklevel=2,
            )
        if self._group is None and dist.is_initialized():
            self._group = dist.new_group(backend="gloo")
        final, partial = on_first_rank(lambda: self._place(step, state.get("progress")))
        if partial is None:
            on_first_rank(lambda: self._keep(final, best))
        else:
            finish = start_writing(partial, state, self._group)
            self._writing = self._thread.submit(self._finish, finish, partial, final, best)

    def wait(self) -> None:
        """Wait until nothing is being written any more; raises what went wrong with it."""
        if self._writing is not None:
            writing, self._writing = self._writing, None
            writing.result()

    def _finish(
        self, finish: Callable[[], Manifest], partial: Path, final: Path, best: bool
    ) -> None:
        """In the background: move what has been written to its place."""
        try:
            manifest = finish()
            on_first_rank(lambda: self._commit(partial, final, manifest), self._group)
            on_first_rank(lambda: self._keep(final, best), self._group)
        except Exception as error:  # said now, since the next save may be far off
            warnings.warn(f"{final.name} was not written: {error}", stacklevel=2)
            raise

    # {% endmacro %}

    # {% macro load_latest() %}
    def load_latest(
        self, device: torch.device, like: Mapping[str, torch.Tensor] | None = None
    ) -> dict[str, Any] | None:
        """The newest state that is whole; None if there is none. Every rank must call it.

        Weights and moments of the parameters that ``like`` names are spread as those are; all else
        is on ``device``.
        """
        path = self._newest()
        return None if path is None else read(path, device, like)

    # {% endmacro %}

    def _newest(self):
        # {% macro steps() %}
        steps = on_first_rank(self._steps)
        # {% endmacro %}
        for path in steps:
            # {% macro fault() %}
            fault = find_fault_anywhere(path)
            # {% endmacro %}
        return fault
