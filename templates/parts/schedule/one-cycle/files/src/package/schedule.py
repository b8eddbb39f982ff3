"""The learning rate as a function of the step: nothing to save, nothing to restore."""

import math

from .config import ScheduleConfig


def lr_factor(step: int, total_steps: int, config: ScheduleConfig) -> float:
    """The learning rate of step ``step`` (from 0) as a share of its peak.

    One cycle (https://arxiv.org/abs/1708.07120): rises along half a cosine from ``start_ratio``, to
    the peak in the last step of the warm-up, and falls along another half to ``final_ratio`` in the
    last step of the run. The momentum stays as it is.
    """
    peak = max(0, config.warmup_steps - 1)
    if step < peak:
        return _along_cosine(config.start_ratio, 1.0, step / peak)
    return _along_cosine(1.0, config.final_ratio, (step - peak) / max(1, total_steps - 1 - peak))


def _along_cosine(start: float, end: float, progress: float) -> float:
    return end + 0.5 * (start - end) * (1.0 + math.cos(math.pi * progress))
