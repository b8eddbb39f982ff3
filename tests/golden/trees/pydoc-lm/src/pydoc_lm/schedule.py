"""The learning rate as a function of the step: nothing to save, nothing to restore."""

from .config import ScheduleConfig


def lr_factor(step: int, total_steps: int, config: ScheduleConfig) -> float:
    """The learning rate of step ``step`` (from 0) as a share of its peak.

    Rises in a straight line over the warm-up, stays, and falls in a straight line over the last
    ``decay_fraction`` of the run to ``final_ratio`` (https://arxiv.org/abs/2405.18392).
    """
    rising = (step + 1) / config.warmup_steps if step < config.warmup_steps else 1.0
    decay_steps = config.decay_fraction * total_steps
    remaining = total_steps - step
    falling = remaining / decay_steps if remaining < decay_steps else 1.0
    return min(rising, config.final_ratio + (1.0 - config.final_ratio) * falling)
