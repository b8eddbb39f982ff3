"""The load of the experts is that of the whole step."""

import pytest
import torch
from package.config import Config
from package.data import TrainSet, ValidationSet
from package.evaluate import evaluate
from package.expert_load import load_metrics, routers_of, take_loads
from package.signals import StopSignal
from package.state import TrainState
from package.step import train_step


def test_a_step_counts_all_micro_batches_and_no_evaluation(
    state: TrainState, config: Config, device: torch.device
) -> None:
    shape = state.model.config
    train_set = TrainSet(config.data, shape, seed=0)
    evaluate(state.model, ValidationSet(config.data, shape), config.train, device, StopSignal())
    train_step(state, [train_set.samples(first, 2) for first in (0, 2, 4)], 1.0)
    n_routers = len(routers_of(state.model))
    assert state.loads.shape == (n_routers, shape.n_experts)
    n_tokens = 6 * shape.max_seq_len
    assert state.loads.sum(dim=1).tolist() == [n_tokens * shape.top_k] * n_routers
    assert not take_loads(state.model).any()  # counting starts anew


def test_the_metrics_are_shares_of_an_even_load() -> None:
    loads = torch.tensor([[10, 10, 10, 10], [4, 16, 12, 8]])
    expected = {"expert_load_max": 1.6, "expert_load_min": 0.4}
    assert load_metrics(loads) == pytest.approx(expected)
