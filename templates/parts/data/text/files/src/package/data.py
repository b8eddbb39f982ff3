"""Windows of tokens to train and to validate on, read from memory-mapped files.

Shapes: B samples, T tokens (``max_seq_len``). The order of the training samples is a function of
the seed and the epoch, and a sample one of its number: there is no position to save, and resuming
is exact on any number of devices.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .config import ConfigError, DataConfig
from .corpus import list_documents
from .model import ModelConfig

IGNORE_INDEX = -100  # a target that is not trained on; the default of torch's cross-entropy
META_NAME = "meta.json"
LEAST_WINDOWS = {"train": 2, "val": 1}  # an epoch of training leaves one out, see TrainSet


class Batch(NamedTuple):
    """Token ids, and for each of them the id that comes next: both (B, T), int64."""

    inputs: Tensor
    targets: Tensor

    def to(self, device: torch.device) -> "Batch":
        """The batch on the device; from pinned memory, the copy runs beside the GPU's work."""
        is_cuda = device.type == "cuda"
        return Batch(
            self.inputs.to(device, non_blocking=is_cuda),
            self.targets.to(device, non_blocking=is_cuda),
        )


@dataclass(frozen=True)
class Meta:
    """What was prepared: the values it was prepared with, and what came of them."""

    text: str
    file_patterns: str
    val_fraction: float
    vocab_size: int
    n_documents: int
    n_bytes: int
    sha256: str
    train_tokens: int
    val_tokens: int
    dtype: str
    end_of_text: int


class TrainSet:
    """An endless stream of samples, shuffled anew in every epoch.

    An epoch is every window of T tokens once, with a random start of the first window, so that the
    cuts between windows fall elsewhere each time. ``len`` is the number of samples in an epoch;
    ``identity`` tells streams apart.
    """

    def __init__(self, config: DataConfig, model: ModelConfig, seed: int) -> None:
        meta = _read_meta(config, model)
        require_tokens(meta.train_tokens, "train", model)
        self._tokens = _Tokens(Path(config.prepared_dir), "train", meta.train_tokens, meta.dtype)
        self._end_of_text = meta.end_of_text
        self._seq_len = model.max_seq_len
        self._seed = seed
        self.identity = (
            f"text {meta.sha256[:16]}, validation fraction {meta.val_fraction}, seed {seed}"
        )

    def __len__(self) -> int:
        return len(self._tokens) // self._seq_len - 1  # a window fewer, to leave room for the start

    def samples(self, first: int, count: int) -> Batch:
        """The samples ``first`` to ``first + count`` of the stream."""
        windows = [
            self._tokens.read(self._start(index), self._seq_len + 1)
            for index in range(first, first + count)
        ]
        return _to_batch(np.stack(windows), self._end_of_text)

    def _start(self, index: int) -> int:
        """Where in the tokens a sample starts."""
        epoch, place = divmod(index, len(self))
        offset, order = _epoch_order(self._seed, epoch, len(self), self._seq_len)
        return offset + int(order[place]) * self._seq_len


class ValidationSet:
    """The validation tokens in consecutive windows: each token but the first is a target once."""

    def __init__(self, config: DataConfig, model: ModelConfig) -> None:
        meta = _read_meta(config, model)
        require_tokens(meta.val_tokens, "val", model)
        self._tokens = _Tokens(Path(config.prepared_dir), "val", meta.val_tokens, meta.dtype)
        self._end_of_text = meta.end_of_text
        self._seq_len = model.max_seq_len

    def __len__(self) -> int:
        return 1 + (len(self._tokens) - 2) // self._seq_len  # the last one may be short

    def samples(self, first: int, count: int) -> Batch:
        """The samples ``first`` to ``first + count``; fewer at the end of the set.

        The last window is filled up with inputs whose targets are ``IGNORE_INDEX``.
        """
        count = min(count, len(self) - first)
        windows = np.full((count, self._seq_len + 1), IGNORE_INDEX, np.int64)
        for row in range(count):
            start = (first + row) * self._seq_len
            tokens = self._tokens.read(start, self._seq_len + 1)
            windows[row, : len(tokens)] = tokens
        return _to_batch(windows, self._end_of_text)


def shard_name(split: str, number: int) -> str:
    """The file name of one part of a split's tokens."""
    return f"{split}-{number:05d}.bin"


def require_tokens(n_tokens: int, split: str, model: ModelConfig) -> None:
    """Raises ``ConfigError`` if the tokens of a split are too few to make windows of them."""
    least = LEAST_WINDOWS[split] * model.max_seq_len + 1  # the last one is only a target
    if n_tokens < least:
        raise ConfigError(
            [
                f"data.text: gives {n_tokens} tokens for {split}, and max_seq_len ="
                f" {model.max_seq_len} needs at least {least}; give more text, another"
                " data.val_fraction or a shorter max_seq_len"
            ]
        )


class _Tokens:
    """The tokens of one split, read from its files as if they were one array."""

    def __init__(self, folder: Path, split: str, n_tokens: int, dtype: str) -> None:
        paths = sorted(folder.glob(f"{split}-*.bin"))
        try:
            self._shards = [np.memmap(path, dtype=dtype, mode="r") for path in paths]
        except (OSError, ValueError) as error:  # an empty file cannot be mapped
            problem = f"data.prepared_dir = {folder}: {error}; prepare the text again"
            raise ConfigError([problem]) from error
        self._ends = np.cumsum([len(shard) for shard in self._shards])
        found = int(self._ends[-1]) if paths else 0
        if found != n_tokens:
            raise ConfigError(
                [
                    f"data.prepared_dir = {folder}: holds {found} tokens for {split}, and should"
                    f" hold {n_tokens}; run python -m {{package}}.prepare again"
                ]
            )

    def __len__(self) -> int:
        return int(self._ends[-1])

    def read(self, first: int, count: int) -> NDArray[np.int64]:
        """The tokens ``first`` to ``first + count``, int64; fewer at the end."""
        return np.concatenate(list(self._parts(first, min(first + count, len(self)))))

    def _parts(self, first: int, last: int) -> Iterator[NDArray[np.int64]]:
        shard = int(np.searchsorted(self._ends, first, side="right"))
        while first < last:
            tokens = self._shards[shard]
            start = first - (int(self._ends[shard]) - len(tokens))
            part = tokens[start : start + last - first].astype(np.int64)
            yield part
            first += len(part)
            shard += 1


def _to_batch(windows: NDArray[np.int64], end_of_text: int) -> Batch:
    """Split windows (B, T + 1) into inputs and targets; beyond the data they hold IGNORE_INDEX.

    Nothing is learned from what follows an end of text: it belongs to an unrelated document.
    """
    inputs = torch.from_numpy(windows[:, :-1].copy())
    targets = torch.from_numpy(windows[:, 1:].copy())
    inputs[inputs == IGNORE_INDEX] = end_of_text
    targets[inputs == end_of_text] = IGNORE_INDEX
    return Batch(inputs, targets)


@lru_cache(maxsize=2)  # the batch at the seam of two epochs needs both
def _epoch_order(
    seed: int, epoch: int, n_windows: int, seq_len: int
) -> tuple[int, NDArray[np.int64]]:
    """The start of an epoch's first window, and the order of its windows.

    Sorting raw Philox numbers gives the same order with every version of NumPy, which promises that
    for raw numbers only, not for ``Generator.permutation``.
    """
    numbers = np.random.Philox(key=np.array([seed, epoch], np.uint64)).random_raw(n_windows + 1)
    return int(numbers[0]) % seq_len, np.argsort(numbers[1:], kind="stable")


def _read_meta(config: DataConfig, model: ModelConfig) -> Meta:
    """What is prepared; raises ``ConfigError`` unless it is what the configuration asks for."""
    remedy = "run python -m {{package}}.prepare"
    path = Path(config.prepared_dir) / META_NAME
    try:
        meta = Meta(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, TypeError, ValueError) as error:
        raise ConfigError(
            [f"data.prepared_dir = {config.prepared_dir}: no tokens prepared; {remedy} first"]
        ) from error
    asked = {
        "data.text": (config.text, meta.text),
        "data.file_patterns": (config.file_patterns, meta.file_patterns),
        "data.val_fraction": (config.val_fraction, meta.val_fraction),
        "vocab_size": (model.vocab_size, meta.vocab_size),
    }
    problems = [
        f"{name} = {now}: the data was prepared with {then}; set it to that, or {remedy} again"
        for name, (now, then) in asked.items()
        if now != then
    ]
    # Where only the tokens were copied to, there is no text to compare with.
    if not problems and (config.text == "builtin" or Path(config.text).exists()):
        documents = list_documents(config)
        found = len(documents), sum(document.n_bytes for document in documents)
        if found != (meta.n_documents, meta.n_bytes):
            problems.append(
                f"data.text = {config.text}: is {found[0]} documents of {found[1]} bytes, and was"
                f" {meta.n_documents} of {meta.n_bytes} when it was prepared; {remedy} again"
            )
    if problems:
        raise ConfigError(problems)
    return meta
