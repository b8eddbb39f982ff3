"""Micro-batches, prepared by a thread while the device computes.

There is no position to save: the samples of a step follow from ``seen``, the number of samples that
the run has trained on. It can therefore resume at any step, and every sample is used exactly once.
"""

import queue
import threading
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Self

import torch

from .data import Batch, TrainSet


class Loader:
    """Endless steps of micro-batches on ``device``, starting after ``seen`` samples.

    ``wait_seconds`` is the time spent so far in waiting for data. If it is more than a few percent
    of the run, preparing the samples is the bottleneck.
    """

    def __init__(
        self,
        train_set: TrainSet,
        seen: int,
        batch_size: int,
        micro_batch_size: int,
        device: torch.device,
    ) -> None:
        self.wait_seconds = 0.0
        self._train_set = train_set
        self._batch_size = batch_size
        self._micro_batch_size = micro_batch_size
        self._device = device
        self._n_batches = len(self._first_samples(seen))
        # Two steps ahead: one that is ready, and one in the making to even out slow reads.
        self._ready: queue.Queue[Batch | BaseException] = queue.Queue(2 * self._n_batches)
        self._closed = threading.Event()
        self._thread = threading.Thread(
            target=self._prepare, args=(seen,), name="loader", daemon=True
        )
        self._thread.start()

    def next_step(self) -> list[Batch]:
        """The micro-batches of the next optimizer step, on the device.

        Raises whatever stopped the thread, such as a file that cannot be read.
        """
        return [self._next_batch().to(self._device) for _ in range(self._n_batches)]

    def close(self) -> None:
        """Stop the thread; safe to call twice."""
        self._closed.set()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _next_batch(self) -> Batch:
        if self._closed.is_set():
            raise RuntimeError("the loader is closed")
        start = time.perf_counter()
        item = self._ready.get()
        self.wait_seconds += time.perf_counter() - start
        if isinstance(item, BaseException):
            self._ready.put(item)  # the thread is gone: a further call must fail too, not wait
            raise item
        return item

    def _prepare(self, seen: int) -> None:
        """The thread: fill the queue until the loader is closed or a sample cannot be had."""
        try:
            if self._device.type == "cuda":
                # Pinning uses the thread's current GPU; by default every rank would open GPU 0.
                with torch.cuda.device(self._device):
                    for batch in self._batches(seen):
                        self._put(Batch(*(tensor.pin_memory() for tensor in batch)))
            else:
                for batch in self._batches(seen):
                    self._put(batch)
        except BaseException as error:
            self._put(error)

    def _batches(self, seen: int) -> Iterator[Batch]:
        while True:
            for first in self._first_samples(seen):
                if self._closed.is_set():
                    return
                yield self._train_set.samples(first, self._micro_batch_size)
            seen += self._batch_size

    def _first_samples(self, seen: int) -> range:
        """The first sample of each micro-batch in the step that follows ``seen`` samples."""
        return range(seen, seen + self._batch_size, self._micro_batch_size)

    def _put(self, item: Batch | BaseException) -> None:
        while not self._closed.is_set():
            try:
                # The wait is bounded so that a full queue cannot keep ``close`` waiting.
                self._ready.put(item, timeout=0.1)
            except queue.Full:
                continue
            return
