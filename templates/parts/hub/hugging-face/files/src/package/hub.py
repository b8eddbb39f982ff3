"""Exchange weights with Hugging Face transformers: a folder that it loads, and back.

python -m {{package}}.hub export FOLDER [--run runs/default] [--checkpoint best]
python -m {{package}}.hub import FOLDER --run runs/imported

Training goes on from an imported model with ``train.run_dir=runs/imported``, and ``generate --run``
continues texts with it. Exit code 2 if what was asked cannot be.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from .checkpoint import Checkpoints
from .config import Config, ConfigError, load_config
from .console import exit_code_of
from .hub_format import from_hub, in_full, settings, to_hub, without_leftovers
from .model import ModelConfig, Transformer
from .tokenizer import Tokenizer

CPU = torch.device("cpu")
WEIGHTS = "model.safetensors"
# A model reads a longer context where it was made for one: a part of it is as good.
MAY_DIFFER = ("architectures", "max_position_embeddings")


# {# Slots: read_tokenizer reads config and run_dir; write_tokenizer reads folder and what that binds; alone may set what a single process needs; trained
#    reads weights, gives entries of a dictionary; saved reads checkpoints. #}
def export_weights(weights: Mapping[str, Tensor], model: ModelConfig, folder: Path) -> None:
    """Write the weights, in float32, and at last ``config.json`` into a new folder.

    Raises ``ValueError`` if the folder holds a model already.
    """
    if (folder / "config.json").exists():
        raise ValueError(f"{folder}: holds a model already; name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    ends = {"bos_token_id": None, "eos_token_id": Tokenizer.end_of_text, "pad_token_id": None}
    save_file(to_hub(weights, model), folder / WEIGHTS, metadata={"format": "pt"})
    _write_json(folder / "generation_config.json", ends)
    _write_json(folder / "config.json", {**settings(model), **ends})


def import_weights(folder: Path, model: ModelConfig) -> dict[str, Tensor]:
    """The weights of a folder that transformers wrote, under our names and in float32.

    Raises ``FileNotFoundError`` if there is none, ``ValueError`` naming the file that is broken or,
    if the folder holds another model, every setting that differs, or else every tensor.
    """
    found = {"quantization_config": None, **_read_settings(folder / "config.json")}
    ours = {"quantization_config": None, **settings(model)}
    _refuse(
        folder,
        [
            f"{key} is {value} here and {found.get(key, 'missing')} there"
            for key, value in ours.items()
            if key not in MAY_DIFFER and found.get(key, "missing") != value
        ],
    )
    tensors = without_leftovers(_read_tensors(folder))
    with torch.device("meta"):
        expected = to_hub(Transformer(model).state_dict(), model)
    if "lm_head.weight" not in expected and found["tie_word_embeddings"]:
        tensors.pop("lm_head.weight", None)  # tied, and yet written by some
    _refuse(
        folder,
        [
            f"{name} is {_shape(expected, name)} here and {_shape(tensors, name)} there"
            for name in sorted({*expected, *tensors})
            if _shape(expected, name) != _shape(tensors, name)
        ],
    )
    return from_hub({name: tensor.float() for name, tensor in tensors.items()}, model)


def _refuse(folder: Path, differences: Sequence[str]) -> None:
    if differences:
        raise ValueError(f"{folder}: holds another model:\n" + "\n".join(differences))


def _read_tensors(folder: Path) -> dict[str, Tensor]:
    """All tensors, which large models have in several files with an index."""
    index = folder / f"{WEIGHTS}.index.json"
    names = {WEIGHTS}
    if index.exists():
        places = _read_json(index).get("weight_map")
        if not isinstance(places, dict) or not all(isinstance(at, str) for at in places.values()):
            raise ValueError(f"{index}: has no weight_map that names a file for each tensor")
        names = set(places.values())
    tensors: dict[str, Tensor] = {}
    for name in sorted(names):
        try:
            tensors |= load_file(folder / name)
        except (SafetensorError, OSError) as error:  # which do not always say where
            raise ValueError(f"{folder / name}: {error}") from error
    return tensors


def _read_settings(path: Path) -> dict[str, Any]:
    """The settings of a model, with what a file may leave out."""
    written = _read_json(path)
    try:
        return in_full(written)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: a setting has a value of another kind: {error}") from error


def _read_json(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: is no JSON: {error}") from error
    if not isinstance(values, dict):
        raise ValueError(f"{path}: must hold keys and values")
    return values


def _shape(tensors: Mapping[str, Tensor], name: str) -> str:
    return "x".join(map(str, tensors[name].shape)) if name in tensors else "missing"


def _write_json(path: Path, values: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")


def _export(config: Config, run_dir: Path, checkpoint: str, folder: Path) -> None:
    checkpoints = Checkpoints(run_dir / "checkpoints", config.train.keep_last)
    weights = checkpoints.load_model(checkpoint, asdict(ModelConfig()), CPU)
    # {% print tokenizer.read_tokenizer() %}
    export_weights(weights, ModelConfig(), folder)
    # {% print tokenizer.write_tokenizer() %}


def _import(config: Config, run_dir: Path, folder: Path) -> None:
    """Begin a run with the weights of the folder; raises ``ValueError`` if it has begun already."""
    directory = run_dir / "checkpoints"
    if directory.exists():
        raise ValueError(f"{directory}: is there already; give another --run")
    weights = import_weights(folder, ModelConfig())
    state = {
        "model": weights,
        # {% print each.trained() %}
        "hyperparameters": asdict(ModelConfig()),
    }
    # {% print parallelism.alone() %}
    checkpoints = Checkpoints(directory, config.train.keep_last)
    checkpoints.save(0, state, best=True)
    # {% print each.saved() %}


def main(argv: Sequence[str] | None = None) -> int:
    """Export or import; what stands in the way is printed."""
    return exit_code_of(lambda: _exchange(argv))


def _exchange(argv: Sequence[str] | None) -> int:
    parser = argparse.ArgumentParser(description="Exchange weights with Hugging Face transformers.")
    commands = parser.add_subparsers(dest="command", required=True)
    export = commands.add_parser("export", help="write a checkpoint for transformers")
    export.add_argument("--checkpoint", choices=("best", "latest"), default="best")
    export.add_argument("--run", type=Path, help="folder of the run (default: train.run_dir)")
    load = commands.add_parser("import", help="begin a run with weights that transformers wrote")
    load.add_argument("--run", type=Path, required=True, help="folder of the new run")
    for command in (export, load):
        command.add_argument("folder", type=Path, help="with config.json and the weights")
        command.add_argument("--config", default="configs/train.yaml", help="values of the run")
    options = parser.parse_args(argv)
    try:
        config = load_config(["--config", options.config])
        if options.command == "export":
            run_dir = options.run or Path(config.train.run_dir)
            _export(config, run_dir, options.checkpoint, options.folder)
        else:
            _import(config, options.run, options.folder)
    except (OSError, ValueError) as error:
        raise ConfigError([str(error)]) from error
    return 0


if __name__ == "__main__":
    sys.exit(main())
