"""What is typed, and the script, for one machine and for several."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from rendering import Given, render_answers, write_tree
from runs import TIMEOUT, write_project

from scaffold.catalogue import Catalogue
from scaffold.next_steps import next_steps

NODES: Given = {
    "task": "image-classification",
    "graph_mode": "eager",
    "parallelism": "ddp",
    "parallelism.n_devices": 2,
    "parallelism.n_nodes": 2,
}
SCRIPT = "launch/local.sh"


def test_one_machine_starts_all_processes(catalogue: Catalogue) -> None:
    found = render_answers(catalogue, {"parallelism": "ddp", "parallelism.n_devices": 4})
    command = "torchrun --standalone --nproc-per-node=4 -m tiny_run.train"
    assert next_steps(found.plan, "run")[-1] == (command, "train")
    assert f'exec {command} "$@"' in found.texts()[SCRIPT]


def test_each_of_several_machines_starts_its_own(catalogue: Catalogue) -> None:
    given: Given = {"parallelism": "ddp", "parallelism.n_devices": 1024, "parallelism.n_nodes": 128}
    found = render_answers(catalogue, given)
    command, where = next_steps(found.plan, "run")[-1]
    assert command == (
        'torchrun --nnodes=128 --rdzv-backend=c10d --rdzv-endpoint="$FIRST_NODE"'
        " --nproc-per-node=8 -m tiny_run.train"
    )
    assert where == "train, on each of the 128 nodes; FIRST_NODE is the name of one of them"
    assert f'exec {command} "$@"' in found.texts()[SCRIPT]
    assert where.removeprefix("train") in found.texts()["README.md"]


def test_the_script_for_several_machines_asks_where_they_meet(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    write_tree(render_answers(catalogue, NODES).tree, tmp_path)
    environment = {name: value for name, value in os.environ.items() if name != "FIRST_NODE"}
    done = subprocess.run(
        [tmp_path / SCRIPT], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "FIRST_NODE: is not set" in done.stderr


@pytest.mark.slow
def test_two_machines_train_one_model(catalogue: Catalogue, tmp_path: Path) -> None:
    project = write_project(render_answers(catalogue, NODES), tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": "src",
        "FIRST_NODE": f"localhost:{port}",
    }
    values = ["train.steps=3", "train.device=cpu", "train.log_every=1", "train.eval_samples=16"]
    values += ["schedule.warmup_steps=1", "train.checkpoint_every=3", "train.eval_every=3"]
    machines = [
        subprocess.Popen(
            [tmp_path / SCRIPT, *values],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for _ in range(2)
    ]
    outputs = [machine.communicate(timeout=TIMEOUT)[0] for machine in machines]
    assert [machine.returncode for machine in machines] == [0, 0], outputs
    assert [entry["step"] for entry in project.log("runs/default") if "loss" in entry] == [1, 2, 3]
    # The first process alone speaks.
    assert sorted("val loss" in output for output in outputs) == [False, True]
