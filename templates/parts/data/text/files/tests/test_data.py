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


@pytest.fixture
def data_config(tmp_path: Path, model_config: ModelConfig) -> DataConfig:
    """Six documents of random words, so that no two windows are alike, in several files."""
    seq_len = model_config.max_seq_len
    generator = torch.Generator().manual_seed(0)
    (tmp_path / "text").mkdir()
    for number in range(6):
        letters = torch.randint(ord("a"), ord("z"), (15 * seq_len,), generator=generator)
        letters[::3] = ord(" ")
        (tmp_path / "text" / f"{number}.txt").write_bytes(bytes(letters.tolist()))
    config = DataConfig(
        text=str(tmp_path / "text"),
        file_patterns="*.txt",
        prepared_dir=str(tmp_path / "prepared"),
        val_fraction=0.4,
    )
    prepare(config, model_config, shard_tokens=seq_len * 3 // 2)
    return config


def read_tokens(config: DataConfig, split: str) -> NDArray[np.int64]:
    """All prepared tokens of a split, from all of its files."""
    folder = Path(config.prepared_dir)
    dtype = json.loads((folder / META_NAME).read_text())["dtype"]
    shards = sorted(folder.glob(f"{split}-*.bin"))
    assert len(shards) > 1
    return np.concatenate([np.fromfile(path, dtype) for path in shards]).astype(np.int64)


def rows(batch: Batch) -> list[tuple[int, ...]]:
    """The inputs of each sample as something that can be compared."""
    return [tuple(row) for row in batch.inputs.tolist()]


def test_shapes_and_types(data_config: DataConfig, model_config: ModelConfig) -> None:
    for tensor in TrainSet(data_config, model_config, seed=0).samples(5, 3):
        assert tensor.shape == (3, model_config.max_seq_len)
        assert tensor.dtype == torch.int64


def test_an_epoch_is_every_window_once(data_config: DataConfig, model_config: ModelConfig) -> None:
    tokens = read_tokens(data_config, "train").tolist()
    seq_len = model_config.max_seq_len
    places = {tuple(tokens[i : i + seq_len]): i for i in range(len(tokens) - seq_len)}
    train_set = TrainSet(data_config, model_config, seed=0)
    n = len(train_set)
    epochs = [[places[row] for row in rows(train_set.samples(n * e, n))] for e in range(3)]
    for starts in epochs:
        assert sorted(starts) == list(range(min(starts), min(starts) + n * seq_len, seq_len))
        assert 0 <= min(starts) < seq_len
    assert epochs[0] != epochs[1] != epochs[2]


def test_a_sample_depends_on_its_number_and_the_seed_alone(
    data_config: DataConfig, model_config: ModelConfig
) -> None:
    train_set = TrainSet(data_config, model_config, seed=0)
    n = 2 * len(train_set) + 1  # over the seams of epochs
    expected = rows(train_set.samples(0, n))
    fresh = TrainSet(data_config, model_config, seed=0)
    assert [rows(fresh.samples(i, 1))[0] for i in reversed(range(n))] == expected[::-1]
    assert rows(TrainSet(data_config, model_config, seed=1).samples(0, n)) != expected


def test_targets_are_the_next_tokens_but_not_those_of_the_next_document(
    data_config: DataConfig, model_config: ModelConfig
) -> None:
    meta = json.loads((Path(data_config.prepared_dir) / META_NAME).read_text())
    train_set = TrainSet(data_config, model_config, seed=0)
    inputs, targets = train_set.samples(0, len(train_set))
    ends = inputs == meta["end_of_text"]
    assert ends.any()
    assert (targets[ends] == IGNORE_INDEX).all()
    assert (targets[~ends] != IGNORE_INDEX).all()
    inner = ~ends[:, :-1]
    assert torch.equal(targets[:, :-1][inner], inputs[:, 1:][inner])


def test_validation_predicts_each_token_once(
    data_config: DataConfig, model_config: ModelConfig
) -> None:
    tokens = read_tokens(data_config, "val")
    validation = ValidationSet(data_config, model_config)
    batches = [validation.samples(first, 2) for first in range(0, len(validation), 2)]
    inputs = torch.cat([batch.inputs for batch in batches])
    targets = torch.cat([batch.targets for batch in batches])
    assert len(inputs) == len(validation)
    n = len(tokens) - 1
    assert torch.equal(inputs.flatten()[:n], torch.from_numpy(tokens[:-1]))
    kept = targets.flatten()[:n] != IGNORE_INDEX
    assert torch.equal(targets.flatten()[:n][kept], torch.from_numpy(tokens[1:])[kept])
    assert (targets.flatten()[n:] == IGNORE_INDEX).all()


def test_data_that_was_prepared_otherwise_is_refused(
    data_config: DataConfig, model_config: ModelConfig, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match="no tokens prepared"):
        TrainSet(replace(data_config, prepared_dir=str(tmp_path)), model_config, seed=0)
    with pytest.raises(ConfigError, match=r"data\.val_fraction = 0\.2: .* prepared with 0\.4"):
        TrainSet(replace(data_config, val_fraction=0.2), model_config, seed=0)
    added = Path(data_config.text) / "added.txt"
    added.write_text("more")
    try:
        with pytest.raises(ConfigError, match="is 7 documents"):
            TrainSet(data_config, model_config, seed=0)
    finally:
        added.unlink()


def test_a_lost_file_is_noticed(
    data_config: DataConfig, model_config: ModelConfig, tmp_path: Path
) -> None:
    moved = replace(data_config, prepared_dir=str(tmp_path / "prepared"))
    prepare(moved, model_config)
    shard = next((tmp_path / "prepared").glob("train-*.bin"))
    shard.write_bytes(b"")  # as a full disk leaves it
    with pytest.raises(ConfigError, match="prepare the text again"):
        TrainSet(moved, model_config, seed=0)
    shard.unlink()
    with pytest.raises(ConfigError, match="holds 0 tokens for train"):
        TrainSet(moved, model_config, seed=0)
