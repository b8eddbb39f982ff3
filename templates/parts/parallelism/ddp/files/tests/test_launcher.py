"""The launcher ends with the exit code that a scheduler decides by."""

import signal
from collections.abc import Callable, Sequence

import pytest
from package import launcher
from torch.distributed import run
from torch.distributed.elastic.multiprocessing import SignalException
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError, ProcessFailure


def ending_with(error: BaseException | None) -> Callable[[Sequence[str]], None]:
    """What torchrun does, in the end."""

    def main(arguments: Sequence[str]) -> None:
        assert arguments == ["-m", "train"]
        if error is not None:
            raise error

    return main


def failed(*exit_codes: int) -> ChildFailedError:
    """Processes that ended one second after the other."""
    failures = {
        rank: ProcessFailure(local_rank=rank, pid=1, exitcode=code, error_file="none")
        for rank, code in enumerate(exit_codes)
    }
    for second, failure in enumerate(failures.values()):
        failure.timestamp = second
    return ChildFailedError("train", failures)


@pytest.mark.parametrize(
    ("error", "exit_code"),
    [
        (None, 0),
        (failed(75, 75), 75),
        (failed(2), 2),
        (failed(1, -signal.SIGTERM), 1),
        (failed(-signal.SIGKILL), 1),
        (SignalException("asked to stop", signal.SIGTERM), 75),
    ],
)
def test_the_exit_code_is_that_of_the_processes(
    monkeypatch: pytest.MonkeyPatch, error: BaseException | None, exit_code: int
) -> None:
    monkeypatch.setattr(run, "main", ending_with(error))
    assert launcher.main(["-m", "train"]) == exit_code
