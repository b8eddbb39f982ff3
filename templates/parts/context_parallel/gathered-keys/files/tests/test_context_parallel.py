"""Devices that share the tokens of samples compute what one does that has them all."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from many_ranks import run_ranks
from package.config import Config, ConfigError
from package.context_parallel import own_tokens, part_of, share_tokens
from package.data import IGNORE_INDEX, Batch
from package.mesh import data_rank, n_data_ranks
from package.model import Model, ModelConfig, build_model
from package.model.context import ContextRows
from package.objective import cross_entropy
from package.ranks import context_rank, context_ranks, init_ranks
from torch.distributed.device_mesh import init_device_mesh

# {# Slot: alone reads monkeypatch, for ranks that share nothing else. #}
CPU = torch.device("cpu")


def two_rows(config: ModelConfig) -> Batch:
    """Two rows of tokens; more targets do not count on one device than on another."""
    shape = (2, config.max_seq_len)
    generator = torch.Generator().manual_seed(0)
    tokens, targets = torch.randint(0, config.vocab_size, (2, *shape), generator=generator)
    targets[0, :5] = IGNORE_INDEX
    return Batch(tokens, targets)


def new_model(config: ModelConfig) -> Model:
    """With larger weights than new ones, so that attention is far from even."""
    model = build_model(config, CPU, seed=0)
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(1.5)
    return model.eval()


def loss_and_gradients(model: Model, batch: Batch) -> dict[str, torch.Tensor]:
    loss = cross_entropy(model(batch.inputs), batch)
    loss.backward()
    gradients = {
        name: weight.grad for name, weight in model.named_parameters() if weight.grad is not None
    }
    return {"": loss.detach(), **gradients}


def shared(config: ModelConfig) -> dict[str, Any]:
    rank, n_ranks = dist.get_rank(), dist.get_world_size()
    model = new_model(config)
    share_tokens(model, init_device_mesh("cpu", (n_ranks,)))
    batch = Batch(*(part_of(rows, rank, n_ranks) for rows in two_rows(config)))
    results = loss_and_gradients(model, batch)
    return {"results": results, "of none": model(batch.inputs[:0]).shape}


@pytest.mark.parametrize("n_ranks", [2, 4])
def test_losses_and_gradients_add_up(
    model_config: ModelConfig, tmp_path: Path, n_ranks: int
) -> None:
    config = replace(model_config, max_seq_len=32)
    ranks = run_ranks(n_ranks, tmp_path / "ranks", shared, config)
    whole = loss_and_gradients(new_model(config), two_rows(config))
    for name, expected in whole.items():
        total = torch.stack([rank["results"][name] for rank in ranks]).sum(dim=0)
        torch.testing.assert_close(total, expected, rtol=1e-3, atol=1e-4)
    assert all(rank["of none"][:2] == (0, 32 // n_ranks) for rank in ranks)


def gathered(config: ModelConfig) -> list[torch.Tensor]:
    """The keys and values of a row of as many tokens, each of which is its place."""
    rank, n_ranks = dist.get_rank(), dist.get_world_size()
    rows = ContextRows(config, init_device_mesh("cpu", (n_ranks,)))
    places = part_of(torch.arange(16.0)[None], rank, n_ranks)[:, None, :, None]  # (1, 1, T, 1)
    keys, values, _ = rows.layers[0].extend(places, -places)
    return [keys.flatten(), -values.flatten()]


def test_keys_and_values_are_gathered_in_order(model_config: ModelConfig, tmp_path: Path) -> None:
    for both in run_ranks(2, tmp_path / "ranks", gathered, model_config):
        for places in both:
            assert places.tolist() == list(range(16))


def test_each_token_is_on_one_device_and_all_see_as_much() -> None:
    row = torch.arange(16)[None]
    parts = [part_of(row, number, 4).flatten() for number in range(4)]
    assert sorted(torch.cat(parts).tolist()) == row.flatten().tolist()
    assert {part.sum().item() for part in parts} == {30}


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_ranks_next_to_each_other_share_samples(
    monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setenv("CONTEXT_RANKS", "2")
    # {% print each.alone() %}
    monkeypatch.setenv("WORLD_SIZE", "4")
    monkeypatch.setenv("RANK", str(number))
    assert (data_rank(), n_data_ranks()) == (number // 2, 2)
    assert (context_rank(), context_ranks()) == (number % 2, 2)
    rows = torch.arange(8)[None]
    expected = [[0, 1, 6, 7], [2, 3, 4, 5]][number % 2]
    assert own_tokens(Batch(rows, rows)).inputs.tolist() == [expected]


def test_ranks_that_do_not_divide_are_refused(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONTEXT_RANKS", "2")
    # {% print each.alone() %}
    monkeypatch.setenv("WORLD_SIZE", "3")
    with pytest.raises(ConfigError, match="WORLD_SIZE = 3: must be a multiple of 2"):
        init_ranks(config.train)
