"""Every pair of variants, rendered, checked and tested; every variant trained as by its owner.

Each design of a set with all possible pairs passes the linter, the formatter, the strict type
checker and those of its own tests that are about the model. A set with every variant passes all of
its own tests. Another one, with all pairs of what decides how a run goes as well, is trained by its
own command: the loss falls; and stopped by a signal and started again it ends where the
uninterrupted run ends, bit for bit.
"""

from collections.abc import Mapping
from pathlib import Path
from statistics import mean

import pytest
from covering import (
    ONCE,
    Variants,
    covered_by,
    covering_designs,
    pairwise_designs,
    possible_pairs,
    single_variants,
)
from rendering import Rendering, preset_answers, render_answers
from runs import EXIT_STOPPED, identical, prepare_project, write_project
from twins import OWN, twin_answers

from scaffold.catalogue import read_catalogue
from scaffold.design import Value
from scaffold.presets import presets_root

CATALOGUE = read_catalogue()
DESIGNS = pairwise_designs(CATALOGUE)
# What a run's processes, files and signals depend on; the rest is inside the model.
RUN_AXES = (
    "task",
    "optimizer",
    "precision",
    "graph_mode",
    "parallelism",
    "checkpoint",
)
VARIANTS = single_variants(CATALOGUE, CATALOGUE.axes.keys() - ONCE.keys())
TRAINED = possible_pairs(CATALOGUE, RUN_AXES) | VARIANTS
RUNS = covering_designs(CATALOGUE, TRAINED)
SAMPLES = covering_designs(CATALOGUE, VARIANTS)
PRESETS = sorted(path.stem for path in presets_root().glob("*.yaml"))
SMALL: Mapping[str, Value] = {
    "task.dim": 32,
    "task.n_layers": 2,
    "task.n_heads": 4,
    "training.steps": 60,
    "training.batch_size": 8,
    "training.micro_batch_size": 2,
    "training.eval_every": 20,
    "training.eval_samples": 10,
    "training.log_every": 1,
    "optimizer.learning_rate": 0.01,  # so small a model takes a high one
}
SMALL_TEXT: Mapping[str, Value] = {"task.max_seq_len": 64}
# An image is a single target: it takes more of them to tell learning from chance.
SMALL_IMAGES: Mapping[str, Value] = {"training.batch_size": 32, "training.micro_batch_size": 8}
SMALL_VOCABULARY: Mapping[str, Value] = {"tokenizer.vocab_size": 512}
SLOW: Mapping[str, Value] = {  # with SGD transformers learn more slowly
    "training.steps": 240,
    "training.eval_every": 80,
    "optimizer.learning_rate": 0.1,
}

pytestmark = pytest.mark.matrix


def name_of(design: Mapping[str, str]) -> str:
    """What is special about a design: its variants, but for the first of each axis."""
    first = {axis: next(iter(it.parts)) for axis, it in CATALOGUE.axes.items()}
    special = [variant for axis, variant in design.items() if variant != first[axis]]
    return "+".join(special) or "default"


def small(design: Mapping[str, str]) -> Rendering:
    """The design at a size that trains in seconds."""
    answers: dict[str, Value] = {**design, **SMALL}
    answers |= SMALL_TEXT if design["task"] == "language-model" else SMALL_IMAGES
    if design.get("tokenizer") == "bpe":
        answers |= SMALL_VOCABULARY
    if design.get("mixer") == "state-space":
        del answers["task.n_heads"]  # which are heads of attention
    if design["optimizer"] == "sgd":
        answers |= SLOW
    return render_answers(CATALOGUE, answers)


designs = pytest.mark.parametrize("design", DESIGNS, ids=name_of)
runs = pytest.mark.parametrize("design", RUNS, ids=name_of)
samples = pytest.mark.parametrize("design", SAMPLES, ids=name_of)


def test_every_pair_is_checked_and_every_variant_trained() -> None:
    checked = set[Variants]().union(*map(covered_by, DESIGNS))
    assert checked >= possible_pairs(CATALOGUE, CATALOGUE.axes)
    assert checked >= single_variants(CATALOGUE, CATALOGUE.axes)
    trained = set[Variants]().union(*map(covered_by, RUNS))
    assert trained >= TRAINED
    assert set[Variants]().union(*map(covered_by, SAMPLES)) >= VARIANTS


def check_source(rendering: Rendering, folder: Path, cache: Path) -> None:
    """Linter, formatter and type checker, with the project's own settings."""
    project = write_project(rendering, folder)
    for command in (
        ["ruff", "check", "--no-cache"],
        ["ruff", "format", "--check", "--diff", "--no-cache"],
        ["mypy", "--cache-dir", str(cache)],
    ):
        result = project.python("-m", *command)
        assert result.returncode == 0, f"{' '.join(command)}\n{result.stdout}{result.stderr}"


@pytest.fixture(scope="session")
def type_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the type checker knows of torch, which takes it long to find out."""
    return tmp_path_factory.mktemp("mypy")


@designs
def test_passes_linter_formatter_and_type_checker(
    design: Mapping[str, str], tmp_path: Path, type_cache: Path
) -> None:
    check_source(small(design), tmp_path, type_cache)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_passes_linter_formatter_and_type_checker(
    preset: str, tmp_path: Path, type_cache: Path
) -> None:
    check_source(render_answers(CATALOGUE, preset_answers(preset)), tmp_path, type_cache)


# These know little of the model, and many of them start processes: see test_passes_its_own_tests.
OF_RUNS = (
    "test_background.py",
    "test_checkpoint.py",
    "test_console.py",
    "test_dryrun.py",
    "test_launcher.py",
    "test_loader.py",
    "test_metrics.py",
    "test_parallel.py",
    "test_peak.py",
    "test_plot.py",
    "test_prepare.py",
    "test_ranks.py",
    "test_rendezvous.py",
    "test_status.py",
    "test_storage.py",
    "test_tensor_parallel.py",
    "test_train.py",
)


@designs
def test_passes_its_own_tests_of_the_model(design: Mapping[str, str], tmp_path: Path) -> None:
    run_own_tests(design, tmp_path, *[f"--ignore=tests/{name}" for name in OF_RUNS])


@samples
def test_passes_its_own_tests(design: Mapping[str, str], tmp_path: Path) -> None:
    run_own_tests(design, tmp_path)


def run_own_tests(design: Mapping[str, str], folder: Path, *arguments: str) -> None:
    """The tests that the project brings; none may be skipped."""
    project = write_project(render_answers(CATALOGUE, design), folder)
    result = project.python("-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments)
    assert result.returncode == 0, result.stdout + result.stderr
    assert " passed" in result.stdout
    assert " skipped" not in result.stdout


@runs
def test_trains_and_continues_bit_for_bit(design: Mapping[str, str], tmp_path: Path) -> None:
    rendering = small(design)
    steps = rendering.design.values["steps"]
    project = prepare_project(rendering, tmp_path)
    # Traced in full, but not compiled: a C++ compiler may be missing and takes half a minute.
    traced = ["train.compile_backend=aot_eager"] if design["graph_mode"] == "compile" else []
    project.train("train.run_dir=runs/whole", *traced)
    losses = [entry["loss"] for entry in project.log("runs/whole") if "loss" in entry]
    assert len(losses) == steps
    assert mean(losses[-10:]) < mean(losses[:5]) - 0.1

    stopped = project.train_and_stop("runs/parts", 3, *traced)
    # torchrun ends with 1 whenever it was stopped by a signal, whatever its workers say.
    assert stopped == (1 if project.is_distributed else EXIT_STOPPED)
    assert project.final_state("runs/parts")["progress"]["step"] < steps
    project.train("train.run_dir=runs/parts", *traced)
    assert project.losses("runs/parts") == project.losses("runs/whole")
    assert identical(project.final_state("runs/parts"), project.final_state("runs/whole"))


@pytest.mark.parametrize("preset", OWN)
def test_a_tiny_known_model_trains(preset: str, tmp_path: Path) -> None:
    rendering = render_answers(CATALOGUE, twin_answers(preset))
    project = prepare_project(rendering, tmp_path)
    compiles = rendering.design["graph_mode"].variant == "compile"
    project.train(*(["train.compile_backend=aot_eager"] if compiles else []))
    losses = [entry["loss"] for entry in project.log("runs/default") if "loss" in entry]
    assert len(losses) == rendering.design.values["steps"]
    assert mean(losses[-5:]) < mean(losses[:3]) - 0.3
