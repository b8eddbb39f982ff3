"""Checkpoints that are whole or not there, whenever the process dies.

A checkpoint is a directory ``step-<number>`` with the files of the state and, written last, a
manifest with the size and checksum of each. It is written under another name, made durable, and
only then renamed; ``latest`` and ``best`` are small files naming a directory.
"""

import json
import secrets
import shutil
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from .config import ConfigError
from .durable import MANIFEST, Manifest, find_fault, sync, write_text
from .storage import read, read_model, write


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
        final, partial = self._place(step, state.get("progress"))
        if partial is not None:
            self._commit(partial, final, write(partial, state))
        self._keep(final, best)

    def load_latest(self, device: torch.device) -> dict[str, Any] | None:
        """The newest state that is whole, on ``device``; None if there is none."""
        path = self._newest()
        return None if path is None else read(path, device)

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
        fault = find_fault(path)
        if fault is not None:
            raise ConfigError([f"{path}: {fault}"])
        saved = torch.load(path / "hyperparameters.pt", weights_only=True)
        require_same_shape(saved, hyperparameters)
        return read_model(path, device)

    def _newest(self) -> Path | None:
        """The newest checkpoint that is whole.

        Each one that is broken is passed over with a warning that says what is wrong with it.
        """
        steps = self._steps()
        for path in reversed(steps):
            fault = find_fault(path)
            if fault is None:
                return path
            warnings.warn(f"{path}: {fault}; trying the checkpoint before it", stacklevel=3)
        return None

    def _place(self, step: int, progress: object) -> tuple[Path, Path | None]:
        """Where a checkpoint belongs, and a new directory to write it in before it goes there.

        None in place of the directory if it is there already.
        """
        self.directory.mkdir(parents=True, exist_ok=True)
        final = self.directory / f"step-{step:08d}"
        # There already if a run continued from it and has taken no step since. If it was evaluated,
        # a second one is written beside it: no checkpoint that is whole is ever written over.
        for path in self._steps():
            if path.name.startswith(final.name) and find_fault(path) is None:
                same = _progress(path) == progress
                final = path if same else path.with_name(f"{path.name}-again")
        if find_fault(final) is None:
            return final, None
        for left in self.directory.glob("step-*.tmp"):  # by processes that died while writing
            shutil.rmtree(left, ignore_errors=True)
        partial = self.directory / f"{final.name}.{secrets.token_hex(4)}.tmp"
        partial.mkdir()
        return final, partial

    def _commit(self, partial: Path, final: Path, manifest: Manifest) -> None:
        """Move a checkpoint to its place, after all of it has been written."""
        write_text(partial / MANIFEST, json.dumps(manifest, indent=2))
        sync(partial)
        shutil.rmtree(final, ignore_errors=True)  # there only if it is broken
        partial.rename(final)
        sync(self.directory)

    def _keep(self, newest: Path, best: bool) -> None:
        """Have the pointers name a checkpoint, then delete those that are not kept."""
        self._point("latest", newest.name)
        if best:
            self._point("best", newest.name)
        self._delete_old(newest)

    def _steps(self) -> list[Path]:
        """The checkpoint directories, oldest first."""
        return sorted(
            path for path in self.directory.glob("step-*") if path.is_dir() and not path.suffix
        )

    def _point(self, name: str, target: str) -> None:
        partial = self.directory / f"{name}.tmp"
        write_text(partial, target + "\n")
        partial.replace(self.directory / name)
        sync(self.directory)

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


def _progress(path: Path) -> object:
    """How far a checkpoint was; None if it does not say, since it holds weights alone."""
    file = path / "progress.pt"
    return torch.load(file, weights_only=True) if file.exists() else None
