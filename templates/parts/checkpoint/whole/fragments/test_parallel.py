"""What the ranks hold between them is one state."""

from pathlib import Path
from typing import Any

import pytest
import torch
from conftest import new_state
from many_ranks import run_ranks
from package.checkpoint import Checkpoints
from package.config import Config
from package.data import TrainSet
from package.mesh import data_rank
from package.model import ModelConfig, build_model
from package.shards import gather
from package.step import train_step


# {% macro on_many_ranks() %}
def saved(config: Config, model_config: ModelConfig, directory: Path) -> None:
    state = new_state(config, model_config, CPU)
    batch = TrainSet(config.data, model_config, seed=0).samples(2 * data_rank(), 2)
    train_step(state, [batch], 1.0)
    Checkpoints(directory, keep_last=1).save(1, state.state_dict(), best=True)


def loaded(config: Config, model_config: ModelConfig, directory: Path) -> Any:
    state = new_state(config, model_config, CPU)
    found = Checkpoints(directory, keep_last=1).load_latest(CPU)
    assert found is not None
    state.load_state_dict(found)
    return gather(state.state_dict())


@pytest.mark.filterwarnings("ignore:saved by")
def test_any_number_of_ranks_continues_a_checkpoint_exactly(
    config: Config, model_config: ModelConfig, plain: dict[str, torch.Tensor], tmp_path: Path
) -> None:
    directory = tmp_path / "checkpoints"
    run_ranks(N_RANKS, tmp_path / "save", saved, config, model_config, directory)
    written = Checkpoints(directory, keep_last=1).load_latest(CPU)
    assert written is not None
    assert written["model"].keys() == plain.keys()
    build_model(model_config, CPU, seed=0).load_state_dict(written["model"])
    for total in (1, N_RANKS):
        place = tmp_path / f"load-{total}"
        found = run_ranks(total, place, loaded, config, model_config, directory)[0]
        for name in written.keys() - {"rng"}:
            assert identical(found[name], written[name]), name


# {% endmacro %}
