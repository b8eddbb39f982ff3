"""Runs of two ranks that are killed, stopped and signalled: what they say, and how they go on."""

import os
import signal
from collections.abc import Mapping
from typing import Any

import pytest
from launched import launched
from rendering import render_answers
from runs import EXIT_STOPPED, Project, identical, prepare_project

from scaffold.catalogue import Catalogue
from scaffold.design import Value

TWO_RANKS: Mapping[str, Value] = {
    "task": "language-model",
    "task.dim": 32,
    "task.n_layers": 2,
    "task.n_heads": 4,
    "task.max_seq_len": 32,
    "precision": "float32",
    "parallelism": "ddp",
    "parallelism.n_devices": 2,
    "training.steps": 12,
    "training.batch_size": 8,
    "training.micro_batch_size": 2,
    "training.eval_every": 4,
    "training.eval_samples": 16,
    "training.log_every": 1,
}

pytestmark = pytest.mark.matrix
NOWHERE = ("train.main", 2)  # which is called once
STEP = ("train.train_step", 7)  # the seventh; the newest checkpoint is that of the fourth
SAVE = ("checkpoint.write", 1)  # which rank 0 alone does
EVALUATION = ("data.ValidationSet.samples", 6)  # of four batches, the second, after four steps


@pytest.fixture(scope="module")
def project(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project for two ranks, with its text prepared."""
    return prepare_project(
        render_answers(catalogue, TWO_RANKS), tmp_path_factory.mktemp("survival")
    )


@pytest.fixture(scope="module")
def uninterrupted(project: Project) -> dict[str, Any]:
    """The state at the end of a run that nothing has happened to."""
    with launched(project, NOWHERE, None, "train.run_dir=runs/whole") as ranks:
        assert ranks.finish() == [0, 0], ranks.outputs
    return project.final_state("runs/whole")


def status(project: Project, run_dir: str) -> str:
    """What the status command says."""
    return project.python("-m", f"{project.package}.status", run_dir).stdout


def continue_to_the_end(project: Project, run_dir: str, expected: dict[str, Any]) -> None:
    with launched(project, NOWHERE, None, f"train.run_dir={run_dir}") as ranks:
        assert ranks.finish() == [0, 0], ranks.outputs
    found = project.final_state(run_dir)
    for state in (found, expected):
        state["progress"]["values"] = None  # a run may wait longer or shorter
    assert identical(found, expected)


def test_a_killed_rank_is_started_again_with_the_others(
    project: Project, uninterrupted: dict[str, Any]
) -> None:
    run_dir = "runs/restarted"
    with launched(project, STEP, ["--max-restarts=1"], f"train.run_dir={run_dir}") as ranks:
        _, victim = ranks.wait_until_held(0, 1)
        os.kill(victim, signal.SIGKILL)
        ranks.release()
        assert ranks.finish() == [0], ranks.outputs
    assert f"continuing {run_dir} after step 4 of 12" in ranks.outputs[0]
    assert "restarts         1" in status(project, run_dir)
    continue_to_the_end(project, run_dir, uninterrupted)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
@pytest.mark.parametrize("victim", [0, 1])
def test_a_rank_that_dies_or_hangs_is_named_in_one_line(
    project: Project, number: signal.Signals, victim: int
) -> None:
    run_dir = f"runs/lost-{victim}-{number.name}"
    overrides = (f"train.run_dir={run_dir}", "train.timeout_minutes=0.1")
    with launched(project, STEP, None, *overrides) as ranks:
        os.kill(ranks.wait_until_held(0, 1)[victim], number)
        ranks.release()
        survivor = ranks.processes[1 - victim]
        output = survivor.communicate(timeout=60)[0]
    assert survivor.returncode == 1
    print(output)
    said = [line for line in output.splitlines() if "no longer answers" in line]
    assert len(said) == 1
    assert "Traceback" not in output
    if victim == 1:
        assert "rank 1 no longer answers" in said[0]
        assert "rank 1 no longer answers" in status(project, run_dir)
    elif number == signal.SIGKILL:
        assert "killed: its process is gone" in status(project, run_dir)


@pytest.mark.parametrize(
    ("place", "held", "number"),
    [
        (STEP, (0, 1), signal.SIGUSR1),
        (EVALUATION, (0, 1), signal.SIGTERM),
        (SAVE, (0,), signal.SIGTERM),
    ],
)
def test_a_signal_to_one_rank_stops_all_wherever_it_comes(
    project: Project,
    uninterrupted: dict[str, Any],
    place: tuple[str, int],
    held: tuple[int, ...],
    number: signal.Signals,
) -> None:
    run_dir = f"runs/stopped-in-{place[0]}"
    with launched(project, place, None, f"train.run_dir={run_dir}") as ranks:
        one = ranks.wait_until_held(*held)[-1]
        os.kill(one, number)
        os.kill(one, signal.SIGTERM)  # a second one changes nothing, in a save least of all
        ranks.release()
        assert ranks.finish() == [EXIT_STOPPED, EXIT_STOPPED], ranks.outputs
    assert "stopped" in status(project, run_dir)
    assert "".join(ranks.outputs).count("the same command continues from here") == 1
    continue_to_the_end(project, run_dir, uninterrupted)


def test_torchrun_passes_a_signal_on_and_waits_for_the_checkpoint(
    project: Project, uninterrupted: dict[str, Any]
) -> None:
    run_dir = "runs/stopped-by-launcher"
    with launched(project, SAVE, [], f"train.run_dir={run_dir}") as ranks:
        ranks.wait_until_held(0)
        ranks.processes[0].send_signal(signal.SIGTERM)
        ranks.release()
        assert ranks.finish() != [0]
    assert ": stopped" in status(project, run_dir)
    continue_to_the_end(project, run_dir, uninterrupted)
