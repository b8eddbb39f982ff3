"""The loader gives every sample once and in order, passes errors on, and stops when told to."""

import threading
import time

import pytest
import torch
from package.data import Batch, TrainSet
from package.loader import Loader


class Numbers(TrainSet):
    """A training set in which each sample is its own number."""

    def __init__(self, lost_from: int = 1_000_000) -> None:
        self.lost_from = lost_from

    def samples(self, first: int, count: int) -> Batch:
        if first + count > self.lost_from:
            raise OSError("the disk is gone")
        numbers = torch.arange(first, first + count)
        return Batch(numbers, numbers)


class Slow(Numbers):
    """A training set that takes its time."""

    def samples(self, first: int, count: int) -> Batch:
        time.sleep(0.02)
        return super().samples(first, count)


def numbers(batches: list[Batch]) -> list[list[int]]:
    """The samples of each micro-batch of a step."""
    return [batch.inputs.tolist() for batch in batches]


def test_micro_batches_follow_each_other(device: torch.device) -> None:
    with Loader(Numbers(), 0, 6, 2, device) as loader:
        assert numbers(loader.next_step()) == [[0, 1], [2, 3], [4, 5]]
        assert numbers(loader.next_step()) == [[6, 7], [8, 9], [10, 11]]


def test_it_starts_after_the_samples_that_were_seen(device: torch.device) -> None:
    with Loader(Numbers(), 12, 6, 2, device) as loader:
        assert numbers(loader.next_step()) == [[12, 13], [14, 15], [16, 17]]


def test_an_error_in_the_thread_stops_every_later_step(device: torch.device) -> None:
    with Loader(Numbers(lost_from=8), 0, 4, 2, device) as loader:
        loader.next_step()
        loader.next_step()
        for _ in range(2):
            with pytest.raises(OSError, match="the disk is gone"):
                loader.next_step()


def test_closing_ends_the_thread(device: torch.device) -> None:
    before = set(threading.enumerate())  # of which some may end by themselves
    loader = Loader(Numbers(), 0, 4, 2, device)
    (thread,) = set(threading.enumerate()) - before
    loader.close()
    loader.close()
    assert not thread.is_alive()
    with pytest.raises(RuntimeError, match="closed"):
        loader.next_step()


def test_waiting_for_data_is_measured(device: torch.device) -> None:
    with Loader(Slow(), 0, 2, 2, device) as loader:
        for _ in range(5):
            loader.next_step()
        assert loader.wait_seconds > 0.05
        waited = loader.wait_seconds
        time.sleep(0.3)  # two steps are prepared meanwhile
        loader.next_step()
        assert loader.wait_seconds - waited < 0.02
