"""A model and a run that are small enough for a test."""

import multiprocessing
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest
import torch
from package.config import Config, load_config
from package.model import ModelConfig
from package.optim import build_optimizer
from package.state import TrainState

CONFIG_FILE = Path(__file__).parents[1] / "configs" / "train.yaml"
torch.set_num_threads(1)  # small tensors gain nothing from more, and results do not vary

# Processes start from a server that has no threads: a fork of this process could wait forever for a
# lock that one of its threads holds.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["torch", "{{package}}.train"])


def start_process(work: Callable[..., object], *arguments: object) -> BaseProcess:
    """Start ``work(*arguments)`` in a process with this one's environment variables."""
    process = PROCESSES.Process(target=_in_environment, args=(dict(os.environ), work, *arguments))
    process.start()
    return process


def _in_environment(
    environment: dict[str, str], work: Callable[..., object], *arguments: object
) -> None:
    os.environ.update(environment)
    torch.set_num_threads(1)
    work(*arguments)


def identical(one: Any, other: Any) -> bool:
    """Whether two nested states are equal, tensors bit by bit."""
    if torch.is_tensor(one):
        return torch.is_tensor(other) and one.dtype == other.dtype and torch.equal(one, other)
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(identical(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(identical, one, other))
    return bool(one == other)


# {# Slots: heads and tiny give keyword arguments of ModelConfig. environment reads monkeypatch.
#    test_values gives overrides. prepare reads tmp_path and overrides, adds to overrides.
#    device_fixture binds the fixture device. model reads model_config, device and config, binds
#    model. test_state reads state. #}
@pytest.fixture
def model_config() -> ModelConfig:
    return replace(
        ModelConfig(),
        dim=32,
        n_layers=2,
        # {% print each.heads() %}
        # {% print each.tiny() %}
    )


@pytest.fixture
def config(tmp_path: Path, model_config: ModelConfig, monkeypatch: pytest.MonkeyPatch) -> Config:
    """A run of six steps of the small model, evaluated and saved after three and six."""
    monkeypatch.setattr("{{package}}.train.ModelConfig", lambda: model_config)
    # {% print parallelism.environment() %}
    overrides = [
        f"train.run_dir={tmp_path / 'run'}",
        "train.device=cpu",
        "train.steps=6",
        "train.batch_size=4",
        "train.micro_batch_size=2",
        "train.log_every=1",
        "train.eval_every=3",
        "train.eval_samples=5",
        "train.checkpoint_every=3",
        "schedule.warmup_steps=2",
        # {% print each.test_values() %}
    ]
    # {% print data.prepare() %}
    return load_config(["--config", str(CONFIG_FILE), *overrides])


# {% print parallelism.device_fixture() %}
@pytest.fixture
def state(config: Config, model_config: ModelConfig, device: torch.device) -> TrainState:
    """The small model before its first step."""
    return new_state(config, model_config, device)


def new_state(config: Config, model_config: ModelConfig, device: torch.device) -> TrainState:
    """A model with new weights and its optimizer."""
    # {% print parallelism.model() %}
    state = TrainState(model, build_optimizer(model, config.optimizer), device)
    # {% print each.test_state() %}
    return state
