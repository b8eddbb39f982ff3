"""How a state lies in a directory: its tensors in shards, one file a rank, the rest beside them.

The shards are those of ``torch.distributed.checkpoint``, under the names of the parameters. A
tensor that all ranks hold is written by one of them; one that is spread is written by all, each its
piece, and read again in any other pieces.
"""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.checkpoint.api import CheckpointException
from torch.distributed.checkpoint.filesystem import FileSystemReader
from torch.distributed.checkpoint.metadata import TensorStorageMetadata
from torch.distributed.checkpoint.state_dict_loader import load

from .agreement import n_ranks, on_every_rank, on_first_rank, rank_or_zero
from .durable import Manifest, find_fault, save, seal, sync

SHARDS = "shards"


# {# Slot: write is the function that writes. #}
# {% print checkpoint.write() %}
def read(
    directory: Path, device: torch.device, like: Mapping[str, Tensor] | None = None
) -> dict[str, Any]:
    """The state in a directory.

    Weights and moments of a parameter that ``like`` names are spread as that one is, and this rank
    reads its pieces only; all else is whole, on ``device``.
    """
    state: dict[str, Any] = {
        file.stem: torch.load(file, map_location=device, weights_only=True)
        for file in sorted(directory.glob("*.pt"))
    }
    for name, tensor in _read_shards(directory, "", device, like or {}).items():
        part, _, rest = name.partition(".")
        state.setdefault(part, {})[rest] = tensor
    return state


def read_model(directory: Path, device: torch.device) -> dict[str, Tensor]:
    """The weights in a directory, whole and on ``device``; it takes no other process."""
    weights = _read_shards(directory, "model.", device, {})
    return {name.removeprefix("model."): tensor for name, tensor in weights.items()}


def find_fault_anywhere(directory: Path) -> str | None:
    """What is wrong with a directory, the same on each rank; every one must call it.

    The ranks share out the files: one alone would read a large checkpoint for minutes.
    """
    share = slice(rank_or_zero(), None, n_ranks())
    return next(filter(None, on_every_rank(lambda: find_fault(directory, share))), None)


def _read_shards(
    directory: Path, start: str, device: torch.device, like: Mapping[str, Tensor]
) -> dict[str, Tensor]:
    """The tensors whose names begin with ``start``."""
    reader = FileSystemReader(directory / SHARDS)
    tensors: dict[str, Any] = {}
    for name, entry in reader.read_metadata().state_dict_metadata.items():
        if name.startswith(start) and isinstance(entry, TensorStorageMetadata):
            _, _, owner = name.partition(".")
            parameter = like.get(owner, like.get(owner.rpartition(".")[0]))
            dtype = entry.properties.dtype
            if parameter is not None and parameter.shape == entry.size:
                tensors[name] = torch.empty_like(parameter, dtype=dtype, requires_grad=False)
            else:
                tensors[name] = torch.empty(entry.size, dtype=dtype, device=device)
    # Each rank plans its own reads, so none waits for another.
    with _alone():
        load(tensors, storage_reader=reader, no_dist=True)
    return tensors


def _split(state: Mapping[str, Any]) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors of all parts that are tensors by name, and the other parts."""
    tensors: dict[str, Tensor] = {}
    values: dict[str, Any] = {}
    for part, value in state.items():
        if isinstance(value, dict) and value and all(map(torch.is_tensor, value.values())):
            tensors |= {f"{part}.{name}": tensor for name, tensor in value.items()}
        else:
            values[part] = value
    return tensors, values


def _seal_all(
    directory: Path, values: Mapping[str, Any], group: dist.ProcessGroup | None = None
) -> Manifest:
    """Write ``values`` on rank 0, and make all files of all ranks durable."""

    def seal_own() -> Manifest:
        rank = rank_or_zero(group)
        files = sorted((directory / SHARDS).glob(f"__{rank}_*"))
        if rank == 0:
            for name, value in values.items():
                save(value, directory / f"{name}.pt")
            files += [directory / SHARDS / ".metadata", *sorted(directory.glob("*.pt"))]
        sealed = {file.relative_to(directory).as_posix(): seal(file) for file in files}
        sync(directory / SHARDS)
        return sealed

    def require_all_in_sight() -> None:
        for name in manifest:
            if not (directory / name).exists():
                raise OSError(
                    f"{directory / name}: another rank wrote it, and rank 0 does not see it;"
                    " train.run_dir must be the same directory on all machines"
                )

    manifest: Manifest = {}
    for sealed in on_every_rank(seal_own, group):
        manifest |= sealed
    on_first_rank(require_all_in_sight, group)
    return manifest


@contextmanager
def _alone() -> Iterator[None]:
    """Without the warning that no process group is used."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="torch.distributed is disabled")
        yield


@contextmanager
def _faults_of_ranks(directory: Path) -> Iterator[None]:
    """What went wrong on some rank, and all have been told of, as an ``OSError``."""
    try:
        yield
    except CheckpointException as error:
        faults = [f"rank {rank}: {fault}" for rank, (fault, _) in sorted(error.failures.items())]
        raise OSError(f"{directory} cannot be written: {'; '.join(faults)}") from error
