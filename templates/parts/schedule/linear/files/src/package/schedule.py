"""The learning rate as a function of the step: nothing to save, nothing to restore."""

from .config import ScheduleConfig


def lr_factor(step: int, total_steps: int, config: ScheduleConfig) -> float:
    """The learning rate of step ``step`` (from 0) as a share of its peak.

    Rises in a straight line over the warm-up, then falls in a straight line to ``final_ratio`` at
    the end (https://arxiv.org/abs/2502.15938).
    """
    if step < config.warmup_steps:
        return (step + 1) / config.warmup_steps
    progress = (step - config.warmup_steps) / (total_steps - config.warmup_steps)
    return 1.0 - (1.0 - config.final_ratio) * progress
