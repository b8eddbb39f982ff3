"""Stages do what one process does: same weights, losses, gradients, evaluation, checkpoints."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from conftest import identical, new_state
from many_ranks import run_ranks
from package.checkpoint import Checkpoints
from package.config import Config, ConfigError
from package.data import IGNORE_INDEX, Batch, ValidationSet
from package.evaluate import evaluate
from package.mesh import data_rank, n_data_ranks
from package.model import Model, ModelConfig, build_model
from package.ranks import init_ranks
from package.shards import gather
from package.signals import StopSignal
from package.stage import Stage, split_layers
from package.stage_state import join_stages
from package.step import train_step
from test_dryrun import measured, report_of

# {# Slot: tolerance binds TOLERANCE. #}
CPU = torch.device("cpu")
# {% print precision.tolerance() %}


@pytest.fixture
def four_layers(model_config: ModelConfig) -> ModelConfig:
    return replace(model_config, n_layers=4)


@pytest.fixture
def pipelined(config: Config, monkeypatch: pytest.MonkeyPatch) -> Config:
    """A run of two stages."""
    monkeypatch.setenv("PIPELINE_STAGES", "2")
    return replace(config, train=replace(config.train, batch_size=8, micro_batch_size=1))


def own_batches(model_config: ModelConfig, step: int) -> list[Batch]:
    """Of eight samples, those of this rank; the later a sample, the fewer of its targets count."""
    generator = torch.Generator().manual_seed(step)
    shape = (8, model_config.max_seq_len)
    tokens, targets = torch.randint(0, model_config.vocab_size, (2, *shape), generator=generator)
    for number, row in enumerate(targets):
        row[: 4 * number] = IGNORE_INDEX
    own = range(data_rank(), 8, n_data_ranks())
    return [Batch(tokens[n : n + 1], targets[n : n + 1]) for n in own]


def trained(config: Config, model_config: ModelConfig) -> dict[str, Any]:
    """Three steps and an evaluation, on this rank; the states as one process would save them."""
    state = new_state(config, model_config, CPU)
    model = state.model
    start = join_stages(gather(state.state_dict()))["model"]
    gradients: list[Any] = []
    hook = state.optimizer.register_step_pre_hook(
        lambda *_: gradients.append(gather({n: p.grad for n, p in model.named_parameters()}))
    )
    steps = [
        train_step(state, own_batches(model_config, step), config.train.max_grad_norm)
        for step in range(3)
    ]
    hook.remove()
    return {
        "start": start,
        "names": list(model.state_dict()),
        "gradients": gradients[0],
        "losses": [step.loss for step in steps],
        "norms": [step.grad_norm for step in steps],
        "evaluation": evaluate(
            model, ValidationSet(config.data, model_config), config.train, CPU, StopSignal()
        ),
        "end": join_stages(gather(state.state_dict()))["model"],
    }


@pytest.mark.parametrize("total", [2, 4])
def test_stages_equal_one_process(
    pipelined: Config, four_layers: ModelConfig, tmp_path: Path, total: int
) -> None:
    (one,) = run_ranks(1, tmp_path / "one", trained, pipelined, four_layers)
    results = run_ranks(total, tmp_path / "many", trained, pipelined, four_layers)
    first, last = results[0], results[total // 2]
    plain = build_model(four_layers, CPU, pipelined.train.seed).state_dict()
    assert identical(first["start"], dict(plain))
    assert first["names"] + last["names"] == one["names"]
    for name in ("losses", "norms", "evaluation"):
        assert all(identical(first[name], other[name]) for other in results)
        torch.testing.assert_close(first[name], one[name], rtol=TOLERANCE, atol=TOLERANCE)
    gradients = {**first["gradients"], **last["gradients"]}
    for name, gradient in one["gradients"].items():
        assert (gradients[name] - gradient).norm() < TOLERANCE * gradient.norm(), name
    for name, weight in one["end"].items():
        assert (first["end"][name] - weight).norm() < TOLERANCE * weight.norm(), name


def saved(config: Config, model_config: ModelConfig, directory: Path) -> None:
    state = new_state(config, model_config, CPU)
    train_step(state, own_batches(model_config, 0)[:1], 1.0)  # fewer than there are stages
    Checkpoints(directory, keep_last=1).save(1, state.state_dict(), best=True)


def loaded(config: Config, model_config: ModelConfig, directory: Path) -> Any:
    state = new_state(config, model_config, CPU)
    found = Checkpoints(directory, keep_last=1).load_latest(CPU)
    assert found is not None
    state.load_state_dict(found)
    return join_stages(gather(state.state_dict()))


@pytest.mark.filterwarnings("ignore:saved by")
def test_any_number_of_stages_continues_a_checkpoint(
    pipelined: Config, four_layers: ModelConfig, tmp_path: Path
) -> None:
    """Saved by two stages, read by one rank and by two stages of two; and the other way around."""
    for writers, readers in ((2, (1, 4)), (1, (2,))):
        directory = tmp_path / f"by-{writers}"
        run_ranks(writers, tmp_path / f"save-{writers}", saved, pipelined, four_layers, directory)
        written = Checkpoints(directory, keep_last=1).load_latest(CPU)
        assert written is not None
        build_model(four_layers, CPU, seed=0).load_state_dict(written["model"])
        for total in readers:
            place = tmp_path / f"load-{writers}-{total}"
            found = run_ranks(total, place, loaded, pipelined, four_layers, directory)[0]
            for name in written.keys() - {"rng"}:
                assert identical(found[name], written[name]), name


def test_the_dry_run_takes_the_way_of_real_stages(
    pipelined: Config, four_layers: ModelConfig, tmp_path: Path
) -> None:
    report = report_of(pipelined, four_layers, 2, tmp_path)
    real = run_ranks(2, tmp_path / "real", measured, pipelined, four_layers)[0]
    assert report["traffic"] == real["traffic"]
    assert report["traffic"]["send"]["calls"] == report["micro_batches"] == 8
    assert report["peak"] == pytest.approx(real["peak"], rel=0.05)
    with torch.device("meta"):
        whole = sum(weight.numel() for weight in Model(four_layers).parameters())
    assert report["parameters"] < 4 * report["total_parameters"] == 4 * whole


def test_embeddings_and_head_are_paid_for_in_layers() -> None:
    assert split_layers(8, 2, 0, 0) == [range(4), range(4, 8)]
    assert split_layers(10, 4, 1, 1) == [range(2), range(2, 5), range(5, 8), range(8, 10)]
    assert split_layers(4, 2, 0, 9) == [range(3), range(3, 4)]  # none is left without a layer


def test_a_stage_reports_the_whole_model(four_layers: ModelConfig) -> None:
    with torch.device("meta"):
        whole, stage = Model(four_layers), Stage(four_layers, 1, 3)
    assert stage.flops_per_token() == whole.flops_per_token()
    assert stage.total_parameters == sum(weight.numel() for weight in whole.parameters())
    assert not stage.is_first
    assert not stage.is_last


def test_ranks_that_do_not_divide_are_refused(
    pipelined: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "3")
    with pytest.raises(ConfigError, match="WORLD_SIZE = 3: must be a multiple of 2"):
        init_ranks(pipelined.train)
