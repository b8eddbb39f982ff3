"""The learning rate is a function of the step, with the shape that was asked for."""

import pytest
import torch
from package.config import ScheduleConfig
from package.schedule import lr_factor
from torch.optim.lr_scheduler import OneCycleLR

CONFIG = ScheduleConfig(warmup_steps=30, start_ratio=0.04, final_ratio=0.001)


def test_rises_along_a_cosine_to_the_peak() -> None:
    factors = [lr_factor(step, 100, CONFIG) for step in range(30)]
    assert factors[0] == pytest.approx(0.04)
    assert factors[-1] == 1.0
    assert factors == sorted(factors)


def test_falls_along_a_cosine_to_the_final_ratio() -> None:
    factors = [lr_factor(step, 100, CONFIG) for step in range(29, 100)]
    assert factors[35] == pytest.approx(0.5005)  # half-way down at half time
    assert factors[-1] == pytest.approx(0.001)
    assert factors == sorted(factors, reverse=True)


def test_every_step_is_that_of_torch() -> None:
    optimizer = torch.optim.SGD([torch.zeros(1)], lr=1.0)
    scheduler = OneCycleLR(
        optimizer,
        max_lr=1.0,
        total_steps=100,
        pct_start=0.3,
        cycle_momentum=False,
        div_factor=25,
        final_div_factor=0.04 / 0.001,
    )
    for step in range(100):
        assert lr_factor(step, 100, CONFIG) == pytest.approx(optimizer.param_groups[0]["lr"])
        optimizer.step()
        if step < 99:
            scheduler.step()


def test_first_step_is_not_wasted_at_rate_zero() -> None:
    assert lr_factor(0, 100, CONFIG) > 0
    no_warmup = ScheduleConfig(warmup_steps=0, start_ratio=0.04, final_ratio=0.0)
    assert lr_factor(0, 100, no_warmup) == 1.0
    assert lr_factor(0, 1, no_warmup) == 1.0
