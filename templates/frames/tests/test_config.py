"""A configuration is right as a whole, or refused with every reason."""

from pathlib import Path

import pytest
from package.config import ConfigError, load_config
from package.device import select_device
from package.train import main

FILE = str(Path(__file__).parents[1] / "configs" / "train.yaml")


def problems(*overrides: str) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        load_config(["--config", FILE, *overrides])
    return caught.value.problems


def test_the_file_is_complete_and_right() -> None:
    assert list(load_config(["--config", FILE]).problems()) == []


def test_the_command_line_wins() -> None:
    assert load_config(["--config", FILE, "train.seed=7"]).train.seed == 7


def test_an_unknown_key_names_the_nearest() -> None:
    assert problems("train.sede=7") == ("train.sede: no such key; did you mean train.seed?",)


def test_every_problem_is_named_at_once() -> None:
    found = problems("train.steps=many", "train.log_every=1.5", "trian.seed=1", "train.device=3")
    assert [problem.split()[0] for problem in found] == [
        "trian:",
        "train.device",
        "train.steps",
        "train.log_every",
    ]


def test_no_problem_hides_another() -> None:
    found = problems(
        "train.seed", "data.nothing=1", "train.batch_size=0", "optimizer.weight_decay=-1",
        "schedule.warmup_steps=1000000",
    )  # fmt: skip
    text = "\n".join(found)
    for name in ("train.seed", "data.nothing", "train.batch_size", "optimizer.weight_decay"):
        assert f"{name}" in text
    assert "schedule.warmup_steps = 1000000: must be fewer than train.steps" in text


@pytest.mark.parametrize("override", ["train.steps", "train.steps=???", "train.steps=["])
def test_an_override_that_cannot_be_read_is_named(override: str) -> None:
    (found,) = problems(override)
    assert found.startswith(f"{override}: not ")


def test_values_out_of_range_are_refused() -> None:
    found = problems(
        "train.steps=0", "train.keep_last=0", "train.max_grad_norm=0", "train.seed=4294967296"
    )
    assert {problem.split()[0] for problem in found} >= {
        "train.steps",
        "train.keep_last",
        "train.max_grad_norm",
        "train.seed",
    }


@pytest.mark.parametrize("name", ["gpu", "cuda:7", ""])
def test_a_device_that_is_not_there_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="device = "):
        select_device(name)


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    lines = Path(FILE).read_text(encoding="utf-8").splitlines(keepends=True)
    shorter = tmp_path / "train.yaml"
    kept = [line for line in lines if not line.strip().startswith("seed:")]
    shorter.write_text("".join(kept), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"train\.seed: missing"):
        load_config(["--config", str(shorter)])


@pytest.mark.parametrize("arguments", [["--config", "no/such.yaml"], ["train.steps"]])
def test_the_command_ends_with_2_and_one_line(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
