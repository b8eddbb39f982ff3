"""Run-time values, read from YAML and the command line and checked once, before any work.

What can change between two runs of the same code stands in ``configs/train.yaml``; what shapes the
model stands in ``model/hyperparameters.py``, because another shape is another model.
"""

import argparse
import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError


class ConfigError(ValueError):
    """Every problem of a configuration, one a line: field, value, limit and remedy."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True)
class DataConfig:
    """Which text to train on, and where its tokens are."""

    text: str
    file_patterns: str
    prepared_dir: str
    val_fraction: float

    def problems(self) -> Iterator[str]:
        """Every value that cannot work: field, value, limit and remedy."""
        if not self.text:
            yield "data.text: empty; give the path of a file or folder, or builtin"
        if not self.file_patterns.split():
            yield "data.file_patterns: empty; give at least one pattern, such as *.txt"
        if not self.prepared_dir:
            yield "data.prepared_dir: empty; give a folder, such as data/prepared"
        if not 0 < self.val_fraction < 1:
            yield f"data.val_fraction = {self.val_fraction}: must lie between 0 and 1, such as 0.1"


LARGEST_RATE = 10.0  # of learning or decay; nothing is learned beyond it


@dataclass(frozen=True)
class OptimizerConfig:
    """Muon for the matrices inside the layers, AdamW for the rest."""

    muon_learning_rate: float  # at the peak of the schedule
    muon_momentum: float
    learning_rate: float  # of AdamW, at the peak of the schedule
    weight_decay: float  # of weight matrices only
    beta1: float  # of AdamW
    beta2: float

    def problems(self) -> Iterator[str]:
        for name, rate in (
            ("muon_learning_rate", self.muon_learning_rate),
            ("learning_rate", self.learning_rate),
        ):
            if not 0 < rate <= LARGEST_RATE:
                yield f"optimizer.{name} = {rate}: must be above 0, and at most {LARGEST_RATE:g}"
        if not 0 <= self.weight_decay <= LARGEST_RATE:
            yield (
                f"optimizer.weight_decay = {self.weight_decay}: must be in [0, {LARGEST_RATE:g}];"
                " 0 is none"
            )
        for name, decay in (
            ("muon_momentum", self.muon_momentum),
            ("beta1", self.beta1),
            ("beta2", self.beta2),
        ):
            if not 0 <= decay < 1:
                yield f"optimizer.{name} = {decay}: must be in [0, 1)"


@dataclass(frozen=True)
class ScheduleConfig:
    """Linear warm-up, plateau, linear decay."""

    warmup_steps: int
    decay_fraction: float  # of the run, at its end
    final_ratio: float  # of the rate at the end, after the last step, to the peak

    def problems(self) -> Iterator[str]:
        if self.warmup_steps < 0:
            yield f"schedule.warmup_steps = {self.warmup_steps}: must be at least 0; 0 is none"
        if not 0 <= self.decay_fraction <= 1:
            yield f"schedule.decay_fraction = {self.decay_fraction}: must be in [0, 1]"
        if not 0 <= self.final_ratio <= 1:
            yield f"schedule.final_ratio = {self.final_ratio}: must be in [0, 1]"


@dataclass(frozen=True)
class TrainConfig:
    """The loop: how long, how large a step, how often to look, where to write."""

    run_dir: str  # log and checkpoints; a run that is there is continued
    device: str  # auto, cuda, mps or cpu
    seed: int
    deterministic: bool  # refuse GPU operations whose result varies
    steps: int  # optimizer steps of the whole run
    batch_size: int  # samples per optimizer step, over all micro-batches and devices
    micro_batch_size: int  # samples that one device takes at a time
    max_grad_norm: float
    max_skipped_steps: int  # non-finite steps to leave out before the run stops
    log_every: int  # optimizer steps
    eval_every: int  # optimizer steps
    eval_samples: int  # at most
    checkpoint_every: int  # optimizer steps
    keep_last: int  # checkpoints, beside the best

    def problems(self) -> Iterator[str]:
        for name in (
            "steps",
            "batch_size",
            "micro_batch_size",
            "log_every",
            "eval_every",
            "eval_samples",
            "checkpoint_every",
            "keep_last",
        ):
            if getattr(self, name) < 1:
                yield f"train.{name} = {getattr(self, name)}: must be at least 1"
        if not 0 <= self.seed < 2**32:
            yield f"train.seed = {self.seed}: must be at least 0 and below 2**32, as NumPy wants it"
        if self.max_skipped_steps < 0:
            yield f"train.max_skipped_steps = {self.max_skipped_steps}: must be at least 0"
        if not self.max_grad_norm > 0:
            yield f"train.max_grad_norm = {self.max_grad_norm}: must be above 0; inf never clips"
        yield from self._contradictions()

    def _contradictions(self) -> Iterator[str]:
        """What does not go together."""
        if self.micro_batch_size >= 1 and self.batch_size % self.micro_batch_size:
            yield (
                f"train.batch_size = {self.batch_size}: must be a multiple of"
                f" train.micro_batch_size = {self.micro_batch_size}"
            )
        if self.eval_every >= 1 and self.checkpoint_every % self.eval_every:
            yield (
                f"train.checkpoint_every = {self.checkpoint_every}: must be a multiple of"
                f" train.eval_every = {self.eval_every}, so that each checkpoint has its loss"
            )
        if self.checkpoint_every > self.steps:
            yield (
                f"train.checkpoint_every = {self.checkpoint_every}: must not be beyond"
                f" train.steps = {self.steps}"
            )


@dataclass(frozen=True)
class Config:
    """All run-time values, as ``configs/train.yaml`` groups them."""

    data: DataConfig
    optimizer: OptimizerConfig
    schedule: ScheduleConfig
    train: TrainConfig

    def problems(self) -> Iterator[str]:
        """What is wrong between the groups; each group knows what is wrong within."""
        if self.schedule.warmup_steps >= self.train.steps:
            yield (
                f"schedule.warmup_steps = {self.schedule.warmup_steps}: must be fewer than"
                f" train.steps = {self.train.steps}; the rate would never reach its peak"
            )


def load_config(arguments: Sequence[str]) -> Config:
    """Read ``[--config FILE] [group.key=value ...]``; later values win.

    Raises ``ConfigError`` with every unknown key, missing key, wrong type and bad value.
    """
    parser = argparse.ArgumentParser(description="Values on the command line win over the file's.")
    parser.add_argument("--config", type=Path, default=Path("configs/train.yaml"), metavar="FILE")
    parser.add_argument("overrides", nargs="*", metavar="group.key=value")
    options = parser.parse_args(arguments)
    problems: list[str] = []
    overrides = []
    for text in options.overrides:
        found = list(_malformed(text))
        problems += found
        overrides += [] if found else [text]
    try:
        merged = OmegaConf.merge(OmegaConf.load(options.config), OmegaConf.from_dotlist(overrides))
        values = OmegaConf.to_container(merged, resolve=True)
    except OSError as error:
        raise ConfigError([*problems, f"--config {options.config}: {error.strerror}"]) from error
    except (OmegaConfBaseException, YAMLError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise ConfigError([*problems, f"--config {options.config}: {reason}"]) from error
    config = _build(Config, values, "", problems)
    if problems or not isinstance(config, Config):
        raise ConfigError(problems)
    return config


def _malformed(override: str) -> Iterator[str]:
    """What is wrong with the form of an override, whatever its key and value."""
    if "=" not in override or override.endswith("=???"):  # OmegaConf's word for no value
        yield f"{override}: not of the form group.key=value"
        return
    try:
        OmegaConf.from_dotlist([override])
    except (OmegaConfBaseException, YAMLError) as error:
        key, _, value = override.partition("=")
        reason = " ".join(str(error).split())
        yield f"{override}: not a value in YAML; for text, write '{key}=\"{value}\"' ({reason})"


def _build(kind: type[Any], values: object, path: str, problems: list[str]) -> object:
    """Build and check the dataclass ``kind`` from a mapping; None if something in it is wrong."""
    if not isinstance(values, Mapping):
        problems.append(f"{path.rstrip('.') or 'the file'}: must hold keys and values")
        return None
    hints = get_type_hints(kind)
    for name in values:
        if name not in hints:
            near = difflib.get_close_matches(str(name), list(hints), n=1)
            hint = f"; did you mean {path}{near[0]}?" if near else f"; known: {', '.join(hints)}"
            problems.append(f"{path}{name}: no such key{hint}")
    built: dict[str, object] = {}
    for field in fields(kind):
        key = f"{path}{field.name}"
        if field.name not in values:
            problems.append(f"{key}: missing; set it in the file or on the command line")
        elif is_dataclass(hints[field.name]):
            built[field.name] = _build(hints[field.name], values[field.name], f"{key}.", problems)
        else:
            built[field.name] = _typed(hints[field.name], values[field.name], key, problems)
    if len(built) < len(fields(kind)) or None in built.values():
        return None
    instance = kind(**built)
    problems.extend(instance.problems())
    return instance


def _typed(kind: type[Any], value: object, key: str, problems: list[str]) -> object:
    """The value as its field's type; whole numbers pass for floats, nothing else is converted."""
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not kind:
        problems.append(f"{key} = {value!r}: must be of type {kind.__name__}")
        return None
    return value
