"""Handwritten digits to train and to validate on: the 1,797 images that come with scikit-learn.

Shapes: B images, C channels (1, grey), H x W pixels (8 x 8). The order of the training images and
the shift of each are functions of the seed and the epoch, and a sample one of its number: there is
no position to save, and resuming is exact on any number of devices.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from torch import Tensor

from .config import ConfigError, DataConfig
from .model import ModelConfig

SPLIT_SEED = 0  # the split is the same for every seed of a run, so that accuracies can be compared


class Batch(NamedTuple):
    """Images (B, C, H, W), float32, and their classes (B,), int64."""

    inputs: Tensor
    targets: Tensor

    def to(self, device: torch.device) -> "Batch":
        """The batch on the device; from pinned memory, the copy runs beside the GPU's work."""
        is_cuda = device.type == "cuda"
        return Batch(
            self.inputs.to(device, non_blocking=is_cuda),
            self.targets.to(device, non_blocking=is_cuda),
        )


class TrainSet:
    """An endless stream of images, shuffled and shifted anew in every epoch.

    ``len`` is the number of images in an epoch, which uses each of them once; ``identity`` tells
    streams apart.
    """

    def __init__(self, config: DataConfig, model: ModelConfig, seed: int) -> None:
        self._images, self._classes = _load_split(config, model)[0]
        self._shift_pixels = config.shift_pixels
        self._seed = seed
        self.identity = (
            f"digits, validation fraction {config.val_fraction}, shifts of {config.shift_pixels},"
            f" seed {seed}"
        )

    def __len__(self) -> int:
        return len(self._classes)

    def samples(self, first: int, count: int) -> Batch:
        """The samples ``first`` to ``first + count`` of the stream."""
        images, chosen = [], []
        for index in range(first, first + count):
            epoch, place = divmod(index, len(self))
            order, shifts = _epoch_order(self._seed, epoch, len(self), self._shift_pixels)
            chosen.append(int(order[place]))
            images.append(_shifted(self._images[chosen[-1]], *shifts[place].tolist()))
        return Batch(torch.from_numpy(np.stack(images)), torch.from_numpy(self._classes[chosen]))


class ValidationSet:
    """The images that are kept for validation, as they are."""

    def __init__(self, config: DataConfig, model: ModelConfig) -> None:
        self._images, self._classes = _load_split(config, model)[1]

    def __len__(self) -> int:
        return len(self._classes)

    def samples(self, first: int, count: int) -> Batch:
        """The samples ``first`` to ``first + count``; fewer at the end of the set."""
        last = first + count
        return Batch(
            torch.from_numpy(self._images[first:last]), torch.from_numpy(self._classes[first:last])
        )


Images = tuple[NDArray[np.float32], NDArray[np.int64]]  # (N, C, H, W) and their classes (N,)


def _load_split(config: DataConfig, model: ModelConfig) -> tuple[Images, Images]:
    """Training and validation images, with mean 0 and variance 1 over the training pixels.

    Raises ``ConfigError`` if a part would be empty, or if the model is made for other images.
    """
    digits = load_digits()
    images = digits.images[:, None].astype(np.float32)
    n_val = round(len(images) * config.val_fraction)
    problems = []
    if not 0 < n_val < len(images):
        problems.append(
            f"data.val_fraction = {config.val_fraction}: leaves a part of the {len(images)} images"
            " empty; 0.2 is usual"
        )
    if config.shift_pixels >= model.image_size:
        problems.append(
            f"data.shift_pixels = {config.shift_pixels}: moves a digit out of its"
            f" {model.image_size} pixels; 1 is usual"
        )
    shape = (model.n_channels, model.image_size, model.image_size)
    if shape != images.shape[1:] or model.n_classes <= digits.target.max():
        problems.append(
            f"the model takes images of shape {shape} in {model.n_classes} classes; the digits are"
            f" {images.shape[1:]} in 10"
        )
    if problems:
        raise ConfigError(problems)
    numbers = np.random.Philox(key=SPLIT_SEED).random_raw(len(images))
    order = np.argsort(numbers, kind="stable")
    train, val = order[n_val:], order[:n_val]
    images = (images - images[train].mean()) / images[train].std()
    classes = digits.target.astype(np.int64)
    return (images[train], classes[train]), (images[val], classes[val])


@lru_cache(maxsize=2)  # the batch at the seam of two epochs needs both
def _epoch_order(
    seed: int, epoch: int, n_images: int, shift_pixels: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The order of an epoch's images (N,), and the shift of each in pixels (N, 2), down and right.

    Sorting raw Philox numbers gives the same order with every version of NumPy, which promises that
    for raw numbers only, not for ``Generator.permutation``.
    """
    numbers = np.random.Philox(key=np.array([seed, epoch], np.uint64)).random_raw(3 * n_images)
    order = np.argsort(numbers[:n_images], kind="stable")
    shifts = (numbers[n_images:] % (2 * shift_pixels + 1)).astype(np.int64) - shift_pixels
    return order, shifts.reshape(n_images, 2)


def _shifted(image: NDArray[np.float32], down: int, right: int) -> NDArray[np.float32]:
    """The image (C, H, W) moved by whole pixels; what comes in is background."""
    _, height, width = image.shape
    moved = np.full_like(image, image.min())
    moved[:, max(down, 0) : height + down, max(right, 0) : width + right] = image[
        :, max(-down, 0) : height - down, max(-right, 0) : width - right
    ]
    return moved
