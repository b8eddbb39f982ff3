"""The task for SkyPilot, against the schema of SkyPilot itself."""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest
import yaml
from rendering import Given, render_answers

from scaffold.catalogue import Catalogue

SKYPILOT = "skypilot==0.14.1"
INSTALL_SECONDS = 300
NODES: Given = {"parallelism": "ddp", "parallelism.n_devices": 16, "parallelism.n_nodes": 2}
# Prints what SkyPilot makes of a task, as JSON; it ends badly if that is not in its schema.
READ = """
import json, sys, sky
task = sky.Task.from_yaml(sys.argv[1])
task.validate_name()
(resources,) = task.resources
print(json.dumps({
    "nodes": task.num_nodes, "accelerators": resources.accelerators, "spot": resources.use_spot,
    "recovery": resources.job_recovery,
}))
"""


def task(catalogue: Catalogue, given: Given) -> tuple[str, Any]:
    """The text of the task, and what it holds."""
    text = render_answers(catalogue, {"launch": "skypilot", **given}).texts()["launch/sky.yaml"]
    return text, yaml.safe_load(text)


@pytest.mark.parametrize("parallelism", [{"parallelism": "one-device"}, NODES])
def test_the_run_is_kept_in_the_bucket(catalogue: Catalogue, parallelism: Given) -> None:
    _, found = task(catalogue, parallelism)
    (place,) = found["file_mounts"]
    assert found["run"].rstrip().endswith(f"train.run_dir={place}/default")
    assert found["resources"]["job_recovery"]["recover_on_exit_codes"] == [75]


def test_processes_meet_at_the_first_node(catalogue: Catalogue) -> None:
    text, found = task(catalogue, NODES)
    assert (found["num_nodes"], found["resources"]["accelerators"]) == (2, "H100:8")
    script = found["run"].replace("python -m tiny_run.launcher", "printf '%s\\n'")
    environment = {"SKYPILOT_NODE_IPS": "10.0.0.1\n10.0.0.2", "SKYPILOT_TASK_ID": "sky-1"}
    done = subprocess.run(
        ["bash", "-euc", script],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert {"--nnodes=2", "--rdzv-endpoint=10.0.0.1:29400", "--rdzv-id=sky-1"} <= set(
        done.stdout.splitlines()
    )


@pytest.fixture(scope="module")
def skypilot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has SkyPilot, in an environment of its own: it needs hundreds of packages."""
    folder = tmp_path_factory.mktemp("skypilot")
    try:
        venv.create(folder, with_pip=True)
        install = ("-m", "pip", "install", "--quiet", SKYPILOT)
        subprocess.run(
            [folder / "bin/python", *install],
            capture_output=True,
            timeout=INSTALL_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"SkyPilot cannot be installed here: {error}")
    return folder / "bin/python"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SkyPilot does not run on Windows")
def test_it_is_a_task_of_skypilot(catalogue: Catalogue, skypilot: Path, tmp_path: Path) -> None:
    text, _ = task(catalogue, {**NODES, "launch.spot": True})
    (tmp_path / "sky.yaml").write_text(text)
    done = subprocess.run(
        [skypilot, "-c", READ, "sky.yaml"],
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path), "SKYPILOT_DISABLE_USAGE_COLLECTION": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert (found["nodes"], found["accelerators"], found["spot"]) == (2, {"H100": 8}, True)
    recovery = {"recover_on_exit_codes": [75], "max_restarts_on_errors": 3}
    assert found["recovery"].items() >= recovery.items()


def test_it_looks_for_the_accelerators_of_the_design(catalogue: Catalogue) -> None:
    given: Given = {"hardware.accelerator": "MI300X", "hardware.accelerators_per_node": 8}
    _, found = task(catalogue, given)
    assert found["resources"]["accelerators"] == "MI300X:8"
