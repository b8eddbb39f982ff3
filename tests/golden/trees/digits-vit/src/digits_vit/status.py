"""How a run is doing, or why it ended: from its files alone, while it trains or afterwards.

    python -m digits_vit.status [run_dir] [--json]

Exit codes: 0 it trains or is complete; 1 it failed or was killed; 2 no run is there; 75 it was
asked to stop: start it again to continue.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .config import ConfigError
from .console import exit_code_of
from .run_dir import EVENTS_NAME, LOG_NAME, is_locked, read_lines

EXIT_CODES = {"complete": 0, "training": 0, "stopped": 75}
METRICS = ("loss", "val_loss", "tokens_per_s")


def status_of(run_dir: Path) -> dict[str, Any]:
    """What is known of a run; None stands for what is not.

    ``state`` is training, complete, stopped (when it was asked to), failed, or killed: it ended and
    nobody wrote why. Raises ``ConfigError`` if there is no run.
    """
    events, log = (read_lines(run_dir / name) for name in (EVENTS_NAME, LOG_NAME))
    if not events and not log:
        raise ConfigError([f"{run_dir}: no run is there; give the directory of one"])
    starts = [event for event in events if event["event"] == "start"]
    last = events[-1] if events else {}
    written = [path.stat().st_mtime for path in run_dir.glob("*.jsonl")]
    found: dict[str, Any] = {
        "run_dir": str(run_dir),
        **_state_of(last, is_locked(run_dir)),
        "step": max(entry["step"] for entry in (*log, *events[-1:])),
        "steps": starts[-1]["steps"] if starts else None,
        "restarts": max(0, len(starts) - 1),
        "skipped_steps": sum(event["event"] == "skip" for event in events),
        "seconds_since_last_line": round(time.time() - max(written), 1),
    }
    for name in METRICS:
        values = [entry[name] for entry in log if name in entry]
        found[name] = values[-1] if values else None
    for pointer in ("latest", "best"):
        found[f"{pointer}_checkpoint"] = _named_by(run_dir / "checkpoints" / pointer)
    return found


def _state_of(last: dict[str, Any], is_locked: bool | None) -> dict[str, str | None]:
    """The state, from the last event and whether a process holds the lock."""
    if is_locked:
        return {"state": "training", "reason": None}
    if last.get("event") == "stop":
        return {"state": last["state"], "reason": last["reason"]}
    if is_locked is None:
        return {"state": "training", "reason": "or killed: there are no locks here to tell"}
    return {"state": "killed", "reason": "its process is gone and left no word"}


def _named_by(pointer: Path) -> str | None:
    """The checkpoint that ``latest`` or ``best`` names."""
    return pointer.read_text(encoding="utf-8").strip() if pointer.exists() else None


def describe(status: dict[str, Any]) -> str:
    """The status in lines, for people."""
    reason = f": {status['reason']}" if status["reason"] else ""
    of = f" of {status['steps']:,}" if status["steps"] else ""
    rows = [
        ("step", f"{status['step']:,}{of}"),
        ("loss", status["loss"]),
        ("validation loss", status["val_loss"]),
        ("tokens/s", status["tokens_per_s"]),
        ("last checkpoint", status["latest_checkpoint"]),
        ("best checkpoint", status["best_checkpoint"]),
        ("restarts", status["restarts"]),
        ("skipped steps", status["skipped_steps"]),
        ("last line", f"{status['seconds_since_last_line']:,.0f} s ago"),
    ]
    lines = [f"{status['run_dir']}: {status['state']}{reason}"]
    for label, value in rows:
        shown = f"{value:,.4g}" if isinstance(value, float) else "-" if value is None else value
        lines.append(f"{label:<16} {shown}")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the status of the run named on the command line; returns the exit code."""
    return exit_code_of(lambda: _show(argv))


def _show(argv: Sequence[str] | None) -> int:
    parser = argparse.ArgumentParser(prog="status", description="Show how a run is doing.")
    parser.add_argument("run_dir", type=Path, nargs="?", default=Path("runs/default"))
    parser.add_argument("--json", action="store_true", help="one object, for programs")
    options = parser.parse_args(argv)
    status = status_of(options.run_dir)
    print(json.dumps(status) if options.json else describe(status))
    return EXIT_CODES.get(status["state"], 1)


if __name__ == "__main__":
    sys.exit(main())
