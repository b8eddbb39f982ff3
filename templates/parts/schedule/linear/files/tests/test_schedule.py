"""The learning rate is a function of the step, with the shape that was asked for."""

import pytest
from package.config import ScheduleConfig
from package.schedule import lr_factor

CONFIG = ScheduleConfig(warmup_steps=10, final_ratio=0.1)


def test_rises_in_equal_steps_to_the_peak() -> None:
    factors = [lr_factor(step, 100, CONFIG) for step in range(10)]
    assert factors == pytest.approx([(step + 1) / 10 for step in range(10)])


def test_falls_in_a_straight_line_to_the_final_ratio() -> None:
    factors = [lr_factor(step, 100, CONFIG) for step in range(10, 101)]
    assert factors == pytest.approx([1.0 - 0.9 * step / 90 for step in range(91)])


def test_first_step_is_not_wasted_at_rate_zero() -> None:
    assert lr_factor(0, 100, CONFIG) > 0
    assert lr_factor(0, 100, ScheduleConfig(warmup_steps=0, final_ratio=0.0)) == 1.0
