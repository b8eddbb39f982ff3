"""Times, and how they are shown beside the goal."""

import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

MILLISECONDS = 1000
TENTHS_BELOW = 0.1  # seconds


@dataclass(frozen=True)
class Times:
    """What one action took, round by round, in seconds.

    ``wall`` is what a person waits; ``cpu`` counts the processors' work, child processes included,
    and says more on a machine that others use at the same time.
    """

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)


def interleaved(actions: Mapping[str, Callable[[], None]], rounds: int) -> dict[str, Times]:
    """What each action takes; all in turn, so that a busy minute hits all of them.

    A round more comes first and is not counted: it fills the caches of all of them.
    """
    times = {name: Times() for name in actions}
    for counted in range(-1, rounds):
        for name, action in actions.items():
            wall, cpu = time.perf_counter(), _cpu_seconds()
            action()
            if counted >= 0:
                times[name].wall.append(time.perf_counter() - wall)
                times[name].cpu.append(_cpu_seconds() - cpu)
    return times


def _cpu_seconds() -> float:
    """Seconds that this process and its finished children have computed."""
    mine, system, children, children_system, _ = os.times()
    return mine + system + children + children_system


def median_text(seconds: Sequence[float]) -> str:
    """The median, and the range around it: ``123 ms (120 to 131)``."""
    middle, least, most = statistics.median(seconds), min(seconds), max(seconds)
    decimals = 1 if middle < TENTHS_BELOW else 0
    low, high = (f"{value * MILLISECONDS:.{decimals}f}" for value in (least, most))
    return f"{middle * MILLISECONDS:.{decimals}f} ms ({low} to {high})"


def verdict(name: str, value: float, limit: float, digits: int = 2) -> bool:
    """Prints a result beside its goal, an upper limit; returns whether it is met."""
    is_met = value <= limit
    print(f"{name}: {value:.{digits}f} (goal: at most {limit}; {'met' if is_met else 'MISSED'})")
    return is_met


def machine() -> str:
    """The machine in words."""
    return f"{os.cpu_count()} CPU cores, {platform.machine()}, Python {platform.python_version()}"
