"""The table of accuracies, and the command."""

from dataclasses import asdict
from pathlib import Path

import pytest
import torch
from package import predict as command
from package.checkpoint import Checkpoints
from package.config import Config
from package.model import ModelConfig, build_model
from package.predict import accuracy_table


# {# Slot: saved reads checkpoints. #}
def test_the_table_counts_each_class() -> None:
    predicted, targets = torch.tensor([0, 0, 1, 1]), torch.tensor([0, 1, 1, 1])
    rows = [line.split() for line in accuracy_table(predicted, targets, n_classes=3).splitlines()]
    assert rows[1:] == [
        ["0", "1", "1", "100.0%"],
        ["1", "3", "2", "66.7%"],
        ["2", "0", "0", "n/a"],
        ["all", "4", "3", "75.0%"],
    ]


def test_the_command_classifies_the_validation_images(
    model_config: ModelConfig,
    config: Config,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(command, "ModelConfig", lambda: model_config)
    monkeypatch.setattr(command, "load_config", lambda _: config)
    arguments = ["--images", "2", "--device", "cpu"]
    assert command.main(arguments) == 2
    assert "no best checkpoint" in capsys.readouterr().err
    model = build_model(model_config, torch.device("cpu"), seed=0)
    checkpoints = Checkpoints(Path(config.train.run_dir) / "checkpoints", keep_last=1)
    state = {"model": model.state_dict(), "hyperparameters": asdict(model_config)}
    checkpoints.save(1, state, best=True)
    # {% print each.saved() %}
    assert command.main(arguments) == 0
    printed = capsys.readouterr().out
    assert "  all  " in printed
    assert printed.count("with probability") == 2
