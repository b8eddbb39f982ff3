"""Checkpoints that are whole or not there, whenever the process dies.

A checkpoint is a directory ``step-<number>`` with one file per part of the state and, written last,
a manifest with the size and checksum of each. It is written under another name, made durable, and
only then renamed; ``latest`` and ``best`` are small files naming a directory.
"""

import json
import os
import shutil
import warnings
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from .config import ConfigError

MANIFEST = "manifest.json"


# {# Slots: save_on_one_rank may rebind state and return early from save, before anything is written; read
#    reads path and device, returns what is in the files. #}
class Checkpoints:
    """The checkpoints of one run, in ``directory``."""

    def __init__(self, directory: Path, keep_last: int) -> None:
        self.directory = directory
        self.keep_last = keep_last

    def save(self, step: int, state: Mapping[str, Any], best: bool) -> None:
        """Write ``state`` as the checkpoint of ``step``; ``best`` says that none was better.

        Once it is durable, older ones are deleted but for the last ``keep_last`` and the best.
        Raises ``OSError`` if it cannot be written, as on a full disk; what was there before stays
        usable.
        """
        # {% print parallelism.save_on_one_rank() %}
        self.directory.mkdir(parents=True, exist_ok=True)
        final = self.directory / f"step-{step:08d}"
        # There already if a run continued from it and has taken no step since. If it was evaluated,
        # a second one is written beside it: no checkpoint that is whole is ever written over.
        for path in self._steps():
            if path.name.startswith(final.name) and _fault(path) is None:
                same = _progress(path) == state["progress"]
                final = path if same else path.with_name(f"{path.name}-again")
        if _fault(final) is not None:
            self._write(final, state)
        self._point("latest", final.name)
        if best:
            self._point("best", final.name)
        self._delete_old(final)

    def load_latest(self, device: torch.device) -> dict[str, Any] | None:
        """The newest state that is whole, on ``device``; None if there is none.

        Each one that is broken is passed over with a warning that says what is wrong with it.
        """
        for path in reversed(self._steps()):
            fault = _fault(path)
            if fault is None:
                return _load(path, device)
            warnings.warn(f"{path}: {fault}; trying the checkpoint before it", stacklevel=2)
        return None

    def load_model(
        self, which: str, hyperparameters: Mapping[str, Any], device: torch.device
    ) -> dict[str, torch.Tensor]:
        """The weights of the checkpoint that ``which`` names: ``latest`` or ``best``.

        Raises ``ConfigError`` if it is not there, broken, or of a model of another shape.
        """
        pointer = self.directory / which
        if not pointer.exists():
            raise ConfigError([f"{self.directory}: no {which} checkpoint yet; train first"])
        try:
            path = self.directory / pointer.read_text(encoding="utf-8").strip()
        except (OSError, ValueError) as error:
            raise ConfigError([f"{pointer}: names no checkpoint ({error})"]) from error
        fault = _fault(path)
        if fault is not None:
            raise ConfigError([f"{path}: {fault}"])
        saved = torch.load(path / "hyperparameters.pt", weights_only=True)
        require_same_shape(saved, hyperparameters)
        weights: dict[str, torch.Tensor] = torch.load(
            path / "model.pt", map_location=device, weights_only=True
        )
        return weights

    def _write(self, final: Path, state: Mapping[str, Any]) -> None:
        """Write the state beside its place, make it durable, then rename it into place."""
        partial = self.directory / f"{final.name}.tmp"
        shutil.rmtree(partial, ignore_errors=True)  # left by a process that died while writing
        partial.mkdir()
        manifest = {}
        for name, value in state.items():
            path = partial / f"{name}.pt"
            try:
                torch.save(value, path)
            except RuntimeError as error:  # what torch makes of a full disk
                raise OSError(f"{path} cannot be written: {error}") from error
            _sync(path)
            manifest[path.name] = {"bytes": path.stat().st_size, "crc32": _checksum(path)}
        _write_durably(partial / MANIFEST, json.dumps(manifest, indent=2))
        _sync(partial)
        shutil.rmtree(final, ignore_errors=True)  # there only if it is broken
        partial.rename(final)
        _sync(self.directory)

    def _steps(self) -> list[Path]:
        """The checkpoint directories, oldest first."""
        return sorted(
            path for path in self.directory.glob("step-*") if path.is_dir() and not path.suffix
        )

    def _point(self, name: str, target: str) -> None:
        partial = self.directory / f"{name}.tmp"
        _write_durably(partial, target + "\n")
        partial.replace(self.directory / name)
        _sync(self.directory)

    def _delete_old(self, newest: Path) -> None:
        """Keep the best and the last few up to ``newest``; any later one is broken."""
        best = self.directory / "best"
        kept = {best.read_text(encoding="utf-8").strip()} if best.exists() else set()
        written = [path for path in self._steps() if path.name <= newest.name]
        for path in written[: -self.keep_last]:
            if path.name not in kept:
                shutil.rmtree(path)


def require_same_shape(saved: Mapping[str, Any], ours: Mapping[str, Any]) -> None:
    """Raises ``ConfigError`` naming all hyperparameters of a checkpoint that are not ours."""
    different = [
        f"{name} is {ours.get(name)} here and {value} there"
        for name, value in saved.items()
        if ours.get(name) != value
    ]
    if different:
        raise ConfigError(
            [
                f"the checkpoint holds another model: {', '.join(different)};"
                " set train.run_dir to a new directory, or undo the change"
            ]
        )


def _load(path: Path, device: torch.device) -> dict[str, Any]:
    """What the files of a checkpoint hold, by name."""
    # {% print parallelism.read() %}


def _progress(path: Path) -> object:
    return torch.load(path / "progress.pt", weights_only=True)


def _fault(path: Path) -> str | None:
    """What is wrong with a checkpoint, or None if every file is as it was written."""
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
        if not manifest:
            return f"{MANIFEST} lists no file"
        for name, entry in manifest.items():
            if (path / name).stat().st_size != entry["bytes"]:
                return f"{name} is not {entry['bytes']} bytes long"
            if _checksum(path / name) != entry["crc32"]:
                return f"{name} does not have the checksum it was written with"
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        return f"not a whole checkpoint ({error})"
    return None


def _checksum(path: Path) -> int:
    checksum = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            checksum = zlib.crc32(block, checksum)
    return checksum


def _write_durably(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    _sync(path)


def _sync(path: Path) -> None:
    """Wait until the file or directory is on the disk; without it a rename can survive its data."""
    if os.name == "nt" and path.is_dir():
        return  # Windows cannot open a directory
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
