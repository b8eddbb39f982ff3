"""What each device of a group has, and that nothing but the layout changes with it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from many_ranks import run_ranks
from package.clipping import clip_gradients
from package.config import Config, ConfigError
from package.data import IGNORE_INDEX, Batch
from package.mesh import data_rank, n_data_ranks
from package.model import Model, ModelConfig, build_model
from package.objective import evaluate_batch, summed_loss
from package.ranks import init_ranks, tensor_ranks
from package.tensor_parallel import spread
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Shard, distribute_tensor

# {# Slot: alone reads monkeypatch, for ranks that share nothing else. #}
CPU = torch.device("cpu")


def two_rows(config: ModelConfig) -> Batch:
    """Two rows of tokens; some targets do not count."""
    shape = (2, config.max_seq_len)
    generator = torch.Generator().manual_seed(0)
    tokens, targets = torch.randint(0, config.vocab_size, (2, *shape), generator=generator)
    targets[0, :5] = IGNORE_INDEX
    return Batch(tokens, targets)


def new_model(config: ModelConfig) -> Model:
    """With larger weights than new ones, so that all of them matter."""
    model = build_model(config, CPU, seed=0)
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(1.5)
    return model


def loss_and_gradients(model: Model) -> dict[str, torch.Tensor]:
    loss = summed_loss(model, two_rows(model.config))
    loss.backward()
    gradients = {
        name: weight.grad.full_tensor() if isinstance(weight.grad, DTensor) else weight.grad
        for name, weight in model.named_parameters()
        if weight.grad is not None
    }
    return {"": loss.detach(), **gradients}


def spread_over_two(config: ModelConfig) -> dict[str, Any]:
    model = new_model(config)
    spread(model, init_device_mesh("cpu", (2,)))
    held = {
        name: weight.to_local().numel() / weight.numel()
        for name, weight in model.named_parameters()
        if isinstance(weight, DTensor)
    }
    results = loss_and_gradients(model)
    nothing = Batch(*(tensor[:0] for tensor in two_rows(config)))
    return {"held": held, "results": results, "empty": evaluate_batch(model, nothing)}


def test_two_devices_compute_what_one_does(model_config: ModelConfig, tmp_path: Path) -> None:
    first, second = run_ranks(2, tmp_path / "two", spread_over_two, model_config)
    whole = loss_and_gradients(new_model(model_config))
    torch.testing.assert_close(first["results"], second["results"], rtol=0, atol=0)
    torch.testing.assert_close(first["results"], whole, rtol=1e-3, atol=1e-4)
    assert {value.item() for value in first["empty"].values()} == {0}
    held = first["held"]
    assert held.keys() == whole.keys() - {""}
    for name in ("tok_embeddings", "layers.0.attention.wq", "layers.0.feed_forward.w2"):
        assert held[f"{name}.weight"] == 1 / 2
    assert held["norm.weight"] == 1


def test_sizes_that_do_not_divide_are_named(model_config: ModelConfig, tmp_path: Path) -> None:
    config = replace(model_config, hidden_dim=33, max_seq_len=31)
    messages = run_ranks(2, tmp_path / "odd", message_of_spread, config)
    for message in messages:
        assert "hidden_dim = 33: must be a multiple of 2" in message
        assert "max_seq_len = 31: must be a multiple of 2" in message
        assert "n_heads" not in message


def message_of_spread(config: ModelConfig) -> str:
    with torch.device("meta"):
        model = Model(config)
    with pytest.raises(ConfigError) as caught:
        spread(model, init_device_mesh("cpu", (2,)))
    return str(caught.value)


def clipped() -> dict[str, Any]:
    """Two gradients on a mesh of two dimensions: rows on both, and a whole one on every rank."""
    mesh = init_device_mesh("cpu", (1, 2))
    matrix, vector = torch.arange(8.0).view(4, 2), torch.arange(3.0)
    parameters = []
    for value, placements in ((matrix, [Shard(0), Shard(1)]), (vector, None)):
        weight = nn.Parameter(distribute_tensor(value, mesh, placements))
        weight.grad = weight.detach().clone()
        parameters.append(weight)
    norm = clip_gradients(parameters, 1.0)
    return {"norm": norm, "gradients": [whole_gradient(weight) for weight in parameters]}


def whole_gradient(weight: nn.Parameter) -> torch.Tensor:
    assert isinstance(weight.grad, DTensor)
    return weight.grad.full_tensor()


def test_every_value_counts_once_in_the_norm(tmp_path: Path) -> None:
    expected = torch.cat([torch.arange(8.0), torch.arange(3.0)])
    for result in run_ranks(2, tmp_path / "clip", clipped):
        torch.testing.assert_close(result["norm"], expected.norm())
        flat = torch.cat([gradient.flatten() for gradient in result["gradients"]])
        torch.testing.assert_close(flat, expected / expected.norm())


@pytest.mark.parametrize(
    ("total", "number", "expected"), [(1, 0, (0, 1, 1)), (4, 1, (0, 2, 2)), (4, 2, (1, 2, 2))]
)
def test_ranks_next_to_each_other_share_samples(
    monkeypatch: pytest.MonkeyPatch, total: int, number: int, expected: tuple[int, int, int]
) -> None:
    monkeypatch.setenv("TENSOR_RANKS", "2")
    # {% print each.alone() %}
    monkeypatch.setenv("WORLD_SIZE", str(total))
    monkeypatch.setenv("RANK", str(number))
    assert (data_rank(), n_data_ranks(), tensor_ranks()) == expected


def test_ranks_that_do_not_divide_are_refused(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "3")
    with pytest.raises(ConfigError, match="WORLD_SIZE = 3: must be a multiple of 2"):
        init_ranks(config.train)
