"""What a run reports: JSON lines for programs, and the same numbers in columns for people."""

import json
import math
import os
import time
import warnings
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import torch

from .config import Config, ConfigError
from .console import drop_output
from .device import peak_memory_bytes
from .model import Model
from .peak import PEAK_OF, peak_flops
from .run_dir import LOG_NAME, lock, record

LONGEST_ETA = 1e12  # seconds; a time span in Python holds less than a hundred times as many

# How a metric is shown: its label, and a format that is wide enough to keep the columns aligned.
COLUMNS = {
    "loss": ("loss", "{:7.4f}"),
    "val_loss": ("val loss", "{:7.4f}"),
    "grad_norm": ("grad norm", "{:7.3f}"),
    "lr": ("lr", "{:.2e}"),
    "tokens_per_s": ("tokens/s", "{:9,.0f}"),
    "mfu": ("mfu", "{:5.1%}"),
    "memory_gb": ("memory", "{:5.2f} GB"),
    "data_wait": ("data wait", "{:5.1%}"),
}


class Entry(NamedTuple):
    """One line of a log; None stands for a value that is not known."""

    step: int
    metrics: dict[str, float | None]


class RunLog:
    """The log of a run: ``log.jsonl`` in its directory, and a line on the console per entry.

    A run that resumes after ``step`` steps keeps the entries up to that step and drops those after
    it, which will be written again.
    """

    def __init__(self, config: Config, model: Model, step: int, device: torch.device) -> None:
        self._values = config.train
        self._device = device
        self._tokens_per_step = config.train.batch_size * model.config.tokens_per_sample
        self._flops_per_token = model.flops_per_token()
        self._peak = peak_flops(device)
        self._first_step = self._step = step
        self._start = self._step_start = time.perf_counter()
        self._begin_interval(0.0)
        self._open = ExitStack()  # what must be closed
        run_dir = Path(config.train.run_dir)
        try:
            run_dir.mkdir(parents=True, exist_ok=True)
            self._open.enter_context(lock(run_dir))
            path = _reopen(run_dir, step)
            self.record("start", step, steps=config.train.steps)
        except OSError as error:
            raise ConfigError([f"train.run_dir = {run_dir}: {error}"]) from error
        self._file = self._open.enter_context(
            path.open("a", encoding="utf-8", buffering=1)  # by the line
        )

    def say(self, *lines: str) -> None:
        """Print lines that are not metrics."""
        try:
            print(*lines, sep="\n", flush=True)
        except BrokenPipeError:  # the console is gone, and the run goes on: its log is the file
            drop_output()

    def describe_mfu(self) -> str:
        """What MFU is a share of, and the FLOPs that it counts."""
        counted = f"{self._flops_per_token:,} FLOPs per token"
        if self._peak is None:
            return f"MFU n/a: the peak of this device is not known; {counted}"
        return f"MFU: share of {self._peak / 1e12:g} TFLOP/s ({PEAK_OF}); {counted}"

    def start_step(self) -> None:
        """Start the clock: evaluations and checkpoints between the steps are not training time."""
        self._step_start = time.perf_counter()

    def end_step(self, step: int) -> bool:
        """Stop the clock, after the host has waited for the device: else time is missing.

        Returns whether the metrics of the step are written: every ``log_every`` and the last.
        """
        self._interval_seconds += time.perf_counter() - self._step_start
        self._interval_steps += 1
        self._step = step
        return step % self._values.log_every == 0 or step == self._values.steps

    def step(self, step: int, metrics: Mapping[str, float], wait_seconds: float) -> None:
        """Write the metrics of a step.

        Speed, MFU and data wait are those of all steps since the last entry; ``wait_seconds`` is
        the loader's count.
        """
        speed = self._interval_steps * self._tokens_per_step / self._interval_seconds
        used = speed * self._flops_per_token  # FLOP/s
        waited = wait_seconds - self._interval_wait_start
        memory = peak_memory_bytes(self._device)
        self._write(
            step,
            {
                **metrics,
                "tokens_per_s": speed,
                "mfu": None if self._peak is None else used / self._peak,
                "memory_gb": None if memory is None else memory / 1e9,
                "data_wait": waited / self._interval_seconds,
            },
        )
        self._begin_interval(wait_seconds)

    def validation(self, step: int, metrics: Mapping[str, float]) -> None:
        """Write the metrics of an evaluation after ``step`` steps."""
        self._write(step, metrics)

    def skip(self, step: int, reason: str) -> None:
        """Say and write that the step after ``step`` was left out."""
        self.say(reason)
        self.record("skip", step, reason=reason)

    def stop(self, step: int, complete: bool) -> None:
        """Say and write that the run ends after ``step``, because it is done or was asked to."""
        if not complete:
            self.say(f"stopped after step {step}; the same command continues from here")
        self.record("stop", step, state="complete" if complete else "stopped", reason=None)

    def record(self, event: str, step: int, **details: object) -> None:
        """Write an event of the run."""
        record(Path(self._values.run_dir), event, step, **details)

    def close(self) -> None:
        """Close the files; nothing can be written afterwards."""
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            reason = f"{type(error).__name__}: {error}"
            with suppress(OSError):  # a full disk may be what ended it
                self.record("stop", self._step, state="failed", reason=reason)
        self.close()

    def _begin_interval(self, wait_seconds: float) -> None:
        self._interval_steps = 0
        self._interval_seconds = 0.0
        self._interval_wait_start = wait_seconds

    def _write(self, step: int, metrics: Mapping[str, float | None]) -> None:
        self._file.write(_to_json(Entry(step, dict(metrics))))
        total = self._values.steps
        columns = [f"step {step:>{len(str(total))}}/{total}"]
        columns += [_to_text(name, value) for name, value in metrics.items()]
        if step > self._first_step:
            per_step = (time.perf_counter() - self._start) / (step - self._first_step)
            seconds = min(per_step * (total - step), LONGEST_ETA)
            columns.append(f"eta {timedelta(seconds=round(seconds))}")
        self.say("  ".join(columns))


def read_log(run_dir: Path) -> list[Entry]:
    """The entries of a run's log in order; none if there is no log.

    A last line that was cut off when the run was killed is left out, and so is, with a warning, one
    that is no entry, such as the zeros that a power failure can leave.
    """
    path = run_dir / LOG_NAME
    if not path.exists():
        return []
    entries = []
    for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], start=1):
        try:
            entries.append(_from_json(line))
        except (ValueError, TypeError, KeyError, AttributeError):
            warnings.warn(f"{path}: line {number} is no entry and left out", stacklevel=2)
    return entries


def _reopen(run_dir: Path, step: int) -> Path:
    """The path of the log, after the entries of steps later than ``step`` have been dropped."""
    path = run_dir / LOG_NAME
    kept = [_to_json(entry) for entry in read_log(run_dir) if entry.step <= step]
    # Written beside the log and renamed, so that a crash cannot lose the entries that stay.
    rewritten = path.with_suffix(".tmp")
    rewritten.write_text("".join(kept), encoding="utf-8")
    os.replace(rewritten, path)
    return path


def _to_json(entry: Entry) -> str:
    """One line of JSON. JSON has no NaN and no infinity: they are the strings nan, inf and -inf."""
    values: dict[str, float | str | None] = {"step": entry.step}
    for name, value in entry.metrics.items():
        values[name] = value if value is None or math.isfinite(value) else str(value)
    return json.dumps(values, allow_nan=False) + "\n"


def _from_json(line: bytes) -> Entry:
    values = json.loads(line)
    step = values.pop("step")
    return Entry(step, {k: None if v is None else float(v) for k, v in values.items()})


def _to_text(name: str, value: float | None) -> str:
    label, form = COLUMNS.get(name, (name.replace("_", " "), "{:.4f}"))
    return f"{label} {'n/a' if value is None else form.format(value)}"
