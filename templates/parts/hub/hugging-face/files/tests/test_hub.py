"""Exchange with Hugging Face transformers: equal logits, and what is refused."""

import json
import math
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import torch
from conftest import identical, new_state
from package import hub
from package.checkpoint import Checkpoints
from package.config import Config
from package.hub import export_weights, import_weights
from package.hub_format import settings
from package.metrics import read_log
from package.model import ModelConfig, Transformer, build_model
from package.resume import resume
from package.train import train
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM


# {# Slots: sizes gives keyword arguments of ModelConfig; as_imported reads shape, changes built; saved
#    reads again. #}
@pytest.fixture
def shape(model_config: ModelConfig) -> ModelConfig:
    return replace(
        model_config,
        n_layers=2,
        # {% print each.sizes() %}
    )


@pytest.fixture
def model(shape: ModelConfig) -> Transformer:
    built = build_model(shape, torch.device("cpu"), seed=0).eval()
    # {% print each.as_imported() %}
    return built


@torch.no_grad()
def test_transformers_computes_the_same_logits(model: Transformer, tmp_path: Path) -> None:
    export_weights(model.state_dict(), model.config, tmp_path)
    theirs = AutoModelForCausalLM.from_pretrained(tmp_path)
    tokens = torch.arange(64).view(2, -1)
    torch.testing.assert_close(theirs(tokens).logits, model(tokens), atol=1e-5, rtol=1e-5)


def test_what_is_exported_comes_back(model: Transformer, tmp_path: Path) -> None:
    export_weights(model.state_dict(), model.config, tmp_path)
    assert identical(import_weights(tmp_path, model.config), model.state_dict())
    with pytest.raises(ValueError, match="holds a model already"):
        export_weights(model.state_dict(), model.config, tmp_path)


def test_several_files_are_read_by_their_index(model: Transformer, tmp_path: Path) -> None:
    export_weights(model.state_dict(), model.config, tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    (tmp_path / "model.safetensors").unlink()
    index = {name: f"{i % 2}.safetensors" for i, name in enumerate(tensors)}
    for file in set(index.values()):
        save_file({name: tensors[name] for name in index if index[name] == file}, tmp_path / file)
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))
    assert identical(import_weights(tmp_path, model.config), model.state_dict())


def test_half_precision_is_read_as_float32(model: Transformer, tmp_path: Path) -> None:
    export_weights(model.state_dict(), model.config, tmp_path)
    path = tmp_path / "model.safetensors"
    exact = load_file(path)
    save_file({name: tensor.bfloat16() for name, tensor in exact.items()}, path)
    halved = import_weights(tmp_path, model.config)
    assert {tensor.dtype for tensor in halved.values()} == {torch.float32}
    save_file({name: tensor.bfloat16().float() for name, tensor in exact.items()}, path)
    assert identical(import_weights(tmp_path, model.config), halved)


def test_another_shape_is_refused_by_name(model: Transformer, tmp_path: Path) -> None:
    export_weights(model.state_dict(), model.config, tmp_path)
    with pytest.raises(ValueError, match="is 3 here and 2 there") as error:
        import_weights(tmp_path, replace(model.config, n_layers=3))
    assert ".weight" not in str(error.value)  # the tensors follow from it, and are not looked at


def test_every_tensor_that_differs_is_named(model: Transformer, tmp_path: Path) -> None:
    export_weights(model.state_dict(), model.config, tmp_path)
    path = tmp_path / "model.safetensors"
    tensors = load_file(path)
    missing, longer = sorted(tensors)[:2]
    tensors[longer] = torch.cat((tensors[longer], tensors[longer]))
    save_file({"other": tensors.pop(missing), **tensors}, path)
    with pytest.raises(ValueError, match="holds another model") as error:
        import_weights(tmp_path, model.config)
    named = [line.partition(" ")[0] for line in str(error.value).splitlines()[1:]]
    assert named == sorted([missing, longer, "other"])


def test_another_setting_is_refused(model: Transformer, tmp_path: Path) -> None:
    export_weights(model.state_dict(), model.config, tmp_path)
    path = tmp_path / "config.json"
    written = json.loads(path.read_text(encoding="utf-8"))
    assert written.items() >= settings(model.config).items()
    path.write_text(json.dumps({**written, "model_type": "other"}), encoding="utf-8")
    with pytest.raises(ValueError, match="model_type is .* here and other there"):
        import_weights(tmp_path, model.config)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("config.json", "[]"),
        ("config.json", '{"model_type": 1, "num_attention_heads": "q", "rope_parameters": 3}'),
        ("config.json", '{"rope_scaling": "yarn"}'),
        ("config.json", "\xff"),
        ("model.safetensors", "nothing"),
        ("model.safetensors.index.json", "{}"),
        ("model.safetensors.index.json", '{"weight_map": {"a": 5}}'),
    ],
)
def test_a_file_that_makes_no_sense_is_named(
    model: Transformer, tmp_path: Path, name: str, text: str
) -> None:
    export_weights(model.state_dict(), model.config, tmp_path)
    (tmp_path / name).write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=str(tmp_path)):
        import_weights(tmp_path, model.config)


@pytest.fixture
def run(model: Transformer, config: Config, monkeypatch: pytest.MonkeyPatch) -> Config:
    """A run of the small model, for the commands and for training."""
    monkeypatch.setattr(hub, "ModelConfig", lambda: model.config)
    monkeypatch.setattr("{{package}}.train.ModelConfig", lambda: model.config)
    monkeypatch.setattr(hub, "load_config", lambda _: config)
    return config


def test_a_command_says_what_stands_in_its_way(
    model: Transformer, run: Config, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    load = ["import", str(tmp_path / "source"), "--run", run.train.run_dir]
    assert hub.main(load) == 2
    assert "config.json" in capsys.readouterr().err
    export_weights(model.state_dict(), model.config, tmp_path / "source")
    for name in ("config.json", "model.safetensors"):
        path = tmp_path / "source" / name
        whole = path.read_bytes()
        path.write_bytes(whole[:100])
        assert hub.main(load) == 2
        assert name in capsys.readouterr().err
        path.write_bytes(whole)
    assert not Path(run.train.run_dir).exists()
    assert hub.main(load) == 0
    assert hub.main(load) == 2
    assert "is there already" in capsys.readouterr().err


def test_a_run_begins_with_imported_weights(
    model: Transformer, run: Config, device: torch.device, tmp_path: Path
) -> None:
    export_weights(model.state_dict(), model.config, tmp_path / "source")
    assert hub.main(["import", str(tmp_path / "source"), "--run", run.train.run_dir]) == 0
    state = new_state(run, model.config, device)
    torch.nn.init.zeros_(state.model.tok_embeddings.weight)
    resume(state, Checkpoints(Path(run.train.run_dir) / "checkpoints", 1), "data", run)
    assert state.progress.step == 0
    again = Checkpoints(tmp_path / "again", 1)
    again.save(0, state.state_dict(), best=True)
    # {% print each.saved() %}
    weights = again.load_model("latest", asdict(model.config), device)
    assert identical(weights, model.state_dict())


def test_training_goes_on_from_imported_weights(
    model: Transformer, run: Config, tmp_path: Path
) -> None:
    torch.nn.init.zeros_(model.norm.weight)  # all tokens alike: no other weights have that loss
    source, back = tmp_path / "source", tmp_path / "back"
    export_weights(model.state_dict(), model.config, source)
    assert hub.main(["import", str(source), "--run", run.train.run_dir]) == 0
    assert hub.main(["export", str(back)]) == 0
    one, other = (load_file(folder / "model.safetensors") for folder in (source, back))
    assert identical(one, other)

    assert train(replace(run, train=replace(run.train, steps=3))) == 0
    first, *_ = read_log(Path(run.train.run_dir))
    assert first.step == 0
    assert first.metrics["val_loss"] == pytest.approx(math.log(model.config.vocab_size), abs=1e-4)
