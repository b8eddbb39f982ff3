"""Two ranks of a generated project: processes that can be held at a place and sent a signal."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from runs import TIMEOUT, Project

# Runs the training with one function made to wait at one of its calls: argv[1] is where, argv[2]
# the call, counted from 1, at which a rank writes its process id into held-RANK and then waits
# until the file "go" is there. Once only: whoever comes later goes on.
HELD = """
import importlib, os, sys, time
from pathlib import Path
package, place, call = sys.argv[1], sys.argv[2], int(sys.argv[3])
train = importlib.import_module(package + ".train")
module, *owners, name = place.split(".")
owner = importlib.import_module(f"{package}.{module}")
for inner in owners:
    owner = getattr(owner, inner)
real, calls = getattr(owner, name), 0

def held(*arguments, **options):
    global calls
    calls += 1
    marker = Path("held-" + os.environ["RANK"])
    if calls == call and not marker.exists():
        marker.with_suffix(".tmp").write_text(str(os.getpid()))
        marker.with_suffix(".tmp").rename(marker)
        while not Path("go").exists():
            time.sleep(0.02)
    return real(*arguments, **options)

setattr(owner, name, held)
sys.exit(train.main(sys.argv[4:]))
"""


@dataclass
class Ranks:
    """A running training of two ranks, under torchrun or without it."""

    folder: Path
    processes: list[subprocess.Popen[str]]
    outputs: list[str] = field(default_factory=list)

    def wait_until_held(self, *ranks: int) -> list[int]:
        """The process ids of ranks, once they have come to the place where they wait."""
        deadline = time.monotonic() + TIMEOUT
        markers = [self.folder / f"held-{rank}" for rank in ranks]
        while not all(marker.exists() for marker in markers):
            assert time.monotonic() < deadline, "nobody was held"
            assert all(process.poll() is None for process in self.processes), self.finish()
            time.sleep(0.02)
        return [int(marker.read_text(encoding="utf-8")) for marker in markers]

    def release(self) -> None:
        """Let whoever is held go on."""
        (self.folder / "go").touch()

    def finish(self) -> list[int]:
        """Wait for the end; the exit codes."""
        for process in self.processes:
            self.outputs.append(process.communicate(timeout=TIMEOUT)[0])
        return [process.returncode for process in self.processes]


@contextmanager
def launched(
    project: Project, held: tuple[str, int], torchrun: Sequence[str] | None, *overrides: str
) -> Iterator[Ranks]:
    """Start two ranks that are held at a call of a function, such as ``("train.train_step", 3)``.

    Under torchrun with the given options, or each by itself. Whatever is left is killed at the end.
    """
    for name in ("go", "held-0", "held-1"):
        (project.folder / name).unlink(missing_ok=True)
    script = project.folder / "held.py"
    script.write_text(HELD, encoding="utf-8")
    command = [str(script), project.package, held[0], str(held[1]), *overrides]
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    environment = {**os.environ, "PYTHONPATH": "src", "OMP_NUM_THREADS": "1"}
    if torchrun is not None:
        launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", *torchrun]
        starts = [([*launcher, *command], environment)]
    else:
        meeting = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
        starts = [
            (command, {**environment, **meeting, "RANK": str(rank), "LOCAL_RANK": str(rank)})
            for rank in range(2)
        ]
    ranks = Ranks(
        project.folder,
        [
            subprocess.Popen(
                [sys.executable, *arguments],
                cwd=project.folder,
                env=variables,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for arguments, variables in starts
        ],
    )
    try:
        yield ranks
    finally:
        for process in ranks.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                process.wait()
