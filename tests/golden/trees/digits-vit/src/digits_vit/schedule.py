"""The learning rate as a function of the step: nothing to save, nothing to restore."""

import math

from .config import ScheduleConfig


def lr_factor(step: int, total_steps: int, config: ScheduleConfig) -> float:
    """The learning rate of step ``step`` (from 0) as a share of its peak.

    Rises in a straight line over the warm-up, then falls along half a cosine
    (https://arxiv.org/abs/1608.03983) to ``final_ratio`` at the end.
    """
    if step < config.warmup_steps:
        return (step + 1) / config.warmup_steps
    progress = (step - config.warmup_steps) / (total_steps - config.warmup_steps)
    cosine = 0.5 * (1.0 + math.cos(math.pi * progress))
    return config.final_ratio + (1.0 - config.final_ratio) * cosine
