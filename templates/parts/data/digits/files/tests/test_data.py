"""Digits: every image once an epoch, a fixed split, and shifts that come again."""

from dataclasses import replace

import pytest
import torch
from package.config import ConfigError, DataConfig
from package.data import Batch, TrainSet, ValidationSet
from package.model import ModelConfig

MODEL = ModelConfig()
CONFIG = DataConfig(val_fraction=0.2, shift_pixels=1)
UNMOVED = replace(CONFIG, shift_pixels=0)


def rows(batch: Batch) -> list[tuple[float, ...]]:
    """Image and class of each sample as something that can be compared and sorted."""
    return [
        (*image, target)
        for image, target in zip(batch.inputs.flatten(1).tolist(), batch.targets, strict=True)
    ]


def test_shapes_and_types() -> None:
    batch = TrainSet(CONFIG, MODEL, seed=0).samples(5, 3)
    assert batch.inputs.shape == (3, MODEL.n_channels, MODEL.image_size, MODEL.image_size)
    assert batch.inputs.dtype == torch.float32
    assert batch.targets.shape == (3,)
    assert batch.targets.dtype == torch.int64
    assert set(batch.targets.tolist()) <= set(range(MODEL.n_classes))


def test_an_epoch_is_every_image_once_and_each_in_another_order() -> None:
    train_set = TrainSet(UNMOVED, MODEL, seed=0)
    n = len(train_set)
    epochs = [rows(train_set.samples(n * epoch, n)) for epoch in range(3)]
    assert sorted(epochs[0]) == sorted(epochs[1]) == sorted(epochs[2])
    assert epochs[0] != epochs[1] != epochs[2]


def test_a_sample_depends_on_its_number_and_the_seed_alone() -> None:
    train_set = TrainSet(CONFIG, MODEL, seed=0)
    first = len(train_set) - 5  # over the seam of two epochs
    expected = rows(train_set.samples(first, 10))
    fresh = TrainSet(CONFIG, MODEL, seed=0)
    assert [rows(fresh.samples(first + i, 1))[0] for i in reversed(range(10))] == expected[::-1]
    assert rows(TrainSet(CONFIG, MODEL, seed=1).samples(first, 10)) != expected


def test_the_split_is_whole_and_the_same_for_every_seed() -> None:
    validation = ValidationSet(CONFIG, MODEL)
    batch = validation.samples(0, len(validation))
    train_sets = [TrainSet(UNMOVED, MODEL, seed) for seed in (0, 1)]
    n = len(train_sets[0])
    assert n + len(validation) == 1797
    assert sorted(rows(train_sets[0].samples(0, n))) == sorted(rows(train_sets[1].samples(0, n)))
    assert len(validation.samples(len(validation) - 2, 8).targets) == 2
    # Mean 0 and variance 1 over the training images; the others are near it.
    assert train_sets[0].samples(0, n).inputs.mean().abs() < 1e-4
    assert (batch.inputs.std() - 1).abs() < 0.05


def test_images_are_moved_by_whole_pixels() -> None:
    shifted, unmoved = (TrainSet(config, MODEL, seed=0) for config in (CONFIG, UNMOVED))
    moves = set()
    for index in range(40):
        image = unmoved.samples(index, 1).inputs[0, 0]
        padded = torch.nn.functional.pad(image, (1, 1, 1, 1), value=float(image.min()))
        found = shifted.samples(index, 1).inputs[0, 0]
        moves |= {
            (down, right)
            for down in (-1, 0, 1)
            for right in (-1, 0, 1)
            if torch.equal(found, padded[1 - down : 9 - down, 1 - right : 9 - right])
        }
    assert len(moves) == 9


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (replace(CONFIG, val_fraction=0.0001), "leaves a part"),
        (replace(CONFIG, shift_pixels=8), "moves a digit out"),
    ],
)
def test_values_that_leave_nothing_to_learn_are_refused(config: DataConfig, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        TrainSet(config, MODEL, seed=0)
