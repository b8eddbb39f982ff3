"""Samples: every window once an epoch, whatever the order and however the files are cut."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from package.config import ConfigError, DataConfig
from package.data import IGNORE_INDEX, META_NAME, Batch, TrainSet, ValidationSet
from package.model import ModelConfig
from package.prepare import prepare

MODEL = ModelConfig()
T = MODEL.max_seq_len


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> DataConfig:
    """Six documents of random words, so that no two windows are alike, in several files."""
    folder = tmp_path_factory.mktemp("data")
    generator = torch.Generator().manual_seed(0)
    (folder / "text").mkdir()
    for number in range(6):
        letters = torch.randint(ord("a"), ord("z"), (15 * T,), generator=generator)
        letters[::3] = ord(" ")
        (folder / "text" / f"{number}.txt").write_bytes(bytes(letters.tolist()))
    config = DataConfig(
        text=str(folder / "text"),
        file_patterns="*.txt",
        prepared_dir=str(folder / "prepared"),
        val_fraction=0.4,
    )
    prepare(config, MODEL, shard_tokens=T * 3 // 2)
    return config


def read_tokens(config: DataConfig, split: str) -> NDArray[np.int64]:
    """All tokens of a split, and with them its end-of-text id."""
    folder = Path(config.prepared_dir)
    dtype = json.loads((folder / META_NAME).read_text())["dtype"]
    shards = sorted(folder.glob(f"{split}-*.bin"))
    assert len(shards) > 1
    return np.concatenate([np.fromfile(path, dtype) for path in shards]).astype(np.int64)


def rows(batch: Batch) -> list[tuple[int, ...]]:
    """The inputs of each sample as something that can be compared."""
    return [tuple(row) for row in batch.inputs.tolist()]


def test_shapes_and_types(config: DataConfig) -> None:
    for tensor in TrainSet(config, MODEL, seed=0).samples(5, 3):
        assert tensor.shape == (3, T)
        assert tensor.dtype == torch.int64


def test_an_epoch_is_every_window_once(config: DataConfig) -> None:
    tokens = read_tokens(config, "train").tolist()
    places = {tuple(tokens[start : start + T]): start for start in range(len(tokens) - T)}
    train_set = TrainSet(config, MODEL, seed=0)
    n = len(train_set)
    epochs = [[places[row] for row in rows(train_set.samples(n * e, n))] for e in range(3)]
    for starts in epochs:
        assert sorted(starts) == list(range(min(starts), min(starts) + n * T, T))
        assert 0 <= min(starts) < T
    assert epochs[0] != epochs[1] != epochs[2]


def test_a_sample_depends_on_its_number_and_the_seed_alone(config: DataConfig) -> None:
    train_set = TrainSet(config, MODEL, seed=0)
    n = 2 * len(train_set) + 1  # over the seams of epochs
    expected = rows(train_set.samples(0, n))
    fresh = TrainSet(config, MODEL, seed=0)
    assert [rows(fresh.samples(i, 1))[0] for i in reversed(range(n))] == expected[::-1]
    assert rows(TrainSet(config, MODEL, seed=1).samples(0, n)) != expected


def test_targets_are_the_next_tokens_but_not_those_of_the_next_document(
    config: DataConfig,
) -> None:
    end_of_text = json.loads((Path(config.prepared_dir) / META_NAME).read_text())["end_of_text"]
    train_set = TrainSet(config, MODEL, seed=0)
    inputs, targets = train_set.samples(0, len(train_set))
    ends = inputs == end_of_text
    assert ends.any()
    assert (targets[ends] == IGNORE_INDEX).all()
    assert (targets[~ends] != IGNORE_INDEX).all()
    inner = ~ends[:, :-1]
    assert torch.equal(targets[:, :-1][inner], inputs[:, 1:][inner])


def test_validation_predicts_each_token_once(config: DataConfig) -> None:
    tokens = read_tokens(config, "val")
    validation = ValidationSet(config, MODEL)
    batches = [validation.samples(first, 2) for first in range(0, len(validation), 2)]
    inputs = torch.cat([batch.inputs for batch in batches])
    targets = torch.cat([batch.targets for batch in batches])
    assert len(inputs) == len(validation)
    n = len(tokens) - 1
    assert torch.equal(inputs.flatten()[:n], torch.from_numpy(tokens[:-1]))
    kept = targets.flatten()[:n] != IGNORE_INDEX
    assert torch.equal(targets.flatten()[:n][kept], torch.from_numpy(tokens[1:])[kept])
    assert (targets.flatten()[n:] == IGNORE_INDEX).all()


def test_data_that_was_prepared_otherwise_is_refused(config: DataConfig, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no tokens prepared"):
        TrainSet(replace(config, prepared_dir=str(tmp_path)), MODEL, seed=0)
    with pytest.raises(ConfigError, match=r"data\.val_fraction = 0\.2: .* prepared with 0\.4"):
        TrainSet(replace(config, val_fraction=0.2), MODEL, seed=0)
    added = Path(config.text) / "added.txt"
    added.write_text("more")
    try:
        with pytest.raises(ConfigError, match="is 7 documents"):
            TrainSet(config, MODEL, seed=0)
    finally:
        added.unlink()


def test_a_lost_file_is_noticed(config: DataConfig, tmp_path: Path) -> None:
    moved = replace(config, prepared_dir=str(tmp_path / "prepared"))
    prepare(moved, MODEL)
    next((tmp_path / "prepared").glob("train-*.bin")).unlink()
    with pytest.raises(ConfigError, match="holds 0 tokens for train"):
        TrainSet(moved, MODEL, seed=0)
