"""The batch script on a real Slurm: stopped twice, it saves, is queued again, and completes.

The cluster is this machine, set up by slurm_cluster.sh from Debian's slurm-wlm and munge.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from rendering import Given, render_answers
from runs import TIMEOUT, Project, write_project

from scaffold.catalogue import Catalogue

CLUSTER = Path(__file__).with_name("slurm_cluster.sh")
NEEDED = ("slurmctld", "slurmd", "munged", "sbatch")
DESIGN: Given = {
    "task": "image-classification",
    "graph_mode": "eager",
    "launch": "slurm",
    "launch.cpus_per_device": 1,
}
STEPS = 400
QUICK = (
    f"train.steps={STEPS}",
    "train.device=cpu",
    "train.log_every=1",
    "train.eval_every=100",
    "train.eval_samples=32",
    "train.checkpoint_every=100",
    "train.batch_size=8",
    "train.micro_batch_size=4",
)

PATIENCE = 100  # seconds


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """The nodes of a cluster that runs as long as the tests of this module."""
    path = f"{os.environ['PATH']}:/usr/sbin"
    missing = [name for name in NEEDED if shutil.which(name, path=path) is None]
    if missing:
        pytest.skip(f"no {', '.join(missing)} here: apt-get install slurm-wlm munge")
    if subprocess.run(["getent", "hosts", os.uname().nodename], check=False).returncode:
        pytest.skip("this machine does not know its own name, at which processes would meet")
    folder = tmp_path_factory.mktemp("slurm")
    started = subprocess.run(
        [CLUSTER, folder], capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    try:
        if started.returncode:
            pytest.skip(f"Slurm does not start here: {started.stderr}")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SLURM_CONF", started.stdout.strip())
            patch.setenv("PATH", f"{Path(sys.executable).parent}:{path}")
            yield slurm("sinfo", "--noheader", "--Node", "--format=%N").split()
    finally:
        subprocess.run([CLUSTER, "--stop", folder], check=True)


def slurm(*command: str | Path, folder: Path | None = None) -> str:
    """What one of Slurm's commands prints."""
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def job(number: str) -> Mapping[str, str]:
    """What Slurm knows of a job."""
    text = slurm("scontrol", "--oneliner", "show", "job", number)
    return dict(word.split("=", 1) for word in text.split() if "=" in word)


def wait_until(is_so: Callable[[], bool], what: str, output: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        told = output.read_text() if output.exists() else ""
        assert time.monotonic() < deadline, f"never: {what}\n{told}"
        time.sleep(0.1)


def step_of(project: Project) -> int:
    """The last step that was logged."""
    return max((int(entry["step"]) for entry in project.log("runs/default")), default=0)


@pytest.mark.slow
@pytest.mark.parametrize("parallelism", ["one-device", "ddp"])
def test_a_stopped_job_is_queued_again_until_it_is_complete(
    catalogue: Catalogue,
    nodes: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    parallelism: str,
) -> None:
    several: Given = {"parallelism.n_devices": 2, "parallelism.n_nodes": len(nodes)}
    design = {**DESIGN, "parallelism": parallelism, **(several if parallelism == "ddp" else {})}
    project = write_project(render_answers(catalogue, design), tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "src"))  # as after an install
    script = ("sbatch", "--parsable", "launch/slurm.sh")
    number = slurm(*script, *QUICK, folder=tmp_path).strip()
    output = tmp_path / f"slurm-{number}.out"

    wait_until(lambda: step_of(project) >= 5, "step 5", output)
    slurm("scancel", "--signal=USR1", "--batch", number)  # what Slurm does before the time limit
    wait_until(lambda: job(number)["Restarts"] == "1", "the first restart", output)
    first = step_of(project)
    assert f"stopped after step {first};" in output.read_text()

    wait_until(lambda: step_of(project) >= first + 5, "more steps", output)
    slurm("scancel", "--signal=TERM", number)  # what Slurm does when another job preempts this one
    wait_until(lambda: job(number)["Restarts"] == "2", "the second restart", output)
    second = step_of(project)
    assert f"stopped after step {second};" in output.read_text()

    ended = ("COMPLETED", "FAILED", "CANCELLED", "NODE_FAIL", "TIMEOUT")
    wait_until(lambda: job(number)["JobState"] in ended, "the end", output)
    assert job(number)["JobState"] == "COMPLETED", output.read_text()
    assert 5 <= first < second < STEPS
    trained = [entry["step"] for entry in project.log("runs/default") if "loss" in entry]
    assert trained == list(range(1, STEPS + 1))  # none is lost, and none is done twice


@pytest.mark.slow
@pytest.mark.usefixtures("nodes")
def test_a_wrong_value_ends_the_job_with_the_exit_code_of_training(
    catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_project(render_answers(catalogue, {**DESIGN, "parallelism": "ddp"}), tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "src"))
    waiting = ("sbatch", "--parsable", "--wait", "launch/slurm.sh", "train.steps=0")
    done = subprocess.run(
        waiting, cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    output = (tmp_path / f"slurm-{done.stdout.strip()}.out").read_text()
    assert done.returncode == 2, output
    assert "train.steps = 0" in output


def test_the_job_says_what_the_design_says(catalogue: Catalogue) -> None:
    plain = render_answers(catalogue, DESIGN).texts()["launch/slurm.sh"]
    assert not [word for word in ("--partition", "--account", "container") if word in plain]
    image = "nvcr.io#nvidia/pytorch:26.05-py3"
    given: Given = {"launch.partition": "gpu", "launch.account": "team", "launch.container": image}
    full = render_answers(catalogue, {**DESIGN, **given}).texts()["launch/slurm.sh"]
    assert "#SBATCH --partition=gpu\n#SBATCH --account=team\n" in full
    assert f"--container-image='{image}'" in full
    assert 'srun "${container[@]}" python -m tiny_run.train "$@" &' in full
