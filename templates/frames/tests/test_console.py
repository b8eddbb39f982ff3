"""A command ends with an exit code and a message, whatever happens in it."""

import subprocess
import sys
from collections.abc import Callable

import pytest
from package.config import ConfigError
from package.console import exit_code_of


def raising(error: BaseException) -> Callable[[], int]:
    def command() -> int:
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError(["train.steps = 0: must be at least 1"]), 2),
        (OSError(28, "No space left on device"), 1),
        (KeyboardInterrupt(), 130),
    ],
)
def test_what_stands_in_the_way_is_one_message(
    error: BaseException, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code_of(raising(error)) == code
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_fault_of_the_code_keeps_its_traceback() -> None:
    with pytest.raises(ZeroDivisionError):
        exit_code_of(raising(ZeroDivisionError()))


def test_a_reader_may_stop_early() -> None:
    code = (
        f"import sys; from {exit_code_of.__module__} import exit_code_of\n"
        "def command():\n    [print('x' * 100) for _ in range(10000)]\n    return 0\n"
        "sys.exit(exit_code_of(command))"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0
