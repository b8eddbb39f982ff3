"""The manifest for Kubernetes, against the models of JobSet and of Kubeflow Trainer."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml
from rendering import Given, Rendering, render_answers

from scaffold.catalogue import Catalogue

DESIGN: Given = {"launch": "kubernetes", "launch.image": "example.org/team/run:1"}
NODES: Given = {"parallelism": "ddp", "parallelism.n_devices": 16, "parallelism.n_nodes": 2}
OPERATORS = ("jobset", "kubeflow")


@pytest.fixture(params=OPERATORS)
def operator(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["one-device", "several nodes"])
def rendering(request: pytest.FixtureRequest, catalogue: Catalogue, operator: str) -> Rendering:
    parallelism = NODES if request.param == "several nodes" else {"parallelism": "one-device"}
    return render_answers(catalogue, {**DESIGN, **parallelism, "launch.operator": operator})


def documents(rendering: Rendering) -> dict[str, Any]:
    """The objects of the manifest, by kind."""
    text = rendering.texts()["launch/kubernetes.yaml"]
    return {document["kind"]: document for document in yaml.safe_load_all(text)}


def job_set(rendering: Rendering) -> Mapping[str, Any]:
    """The specification of the JobSet, which a runtime of Kubeflow holds, too."""
    found = documents(rendering)
    if "JobSet" in found:
        spec: Mapping[str, Any] = found["JobSet"]["spec"]
    else:
        spec = found["TrainingRuntime"]["spec"]["template"]["spec"]
    return spec


def job(rendering: Rendering) -> Mapping[str, Any]:
    (replicated,) = job_set(rendering)["replicatedJobs"]
    spec: Mapping[str, Any] = replicated["template"]["spec"]
    return spec


def pod(rendering: Rendering) -> Mapping[str, Any]:
    spec: Mapping[str, Any] = job(rendering)["template"]["spec"]
    return spec


def test_it_is_what_the_operators_publish(rendering: Rendering) -> None:
    models = pytest.importorskip(
        "kubeflow_trainer_api.models", reason="kubeflow-trainer-api is not installed"
    )
    kinds = {
        "JobSet": models.JobsetV1alpha2JobSet,
        "TrainingRuntime": models.TrainerV1alpha1TrainingRuntime,
        "TrainJob": models.TrainerV1alpha1TrainJob,
    }
    for kind, document in documents(rendering).items():
        # A field that the model does not know would be gone afterwards.
        assert kinds[kind].from_dict(document).to_dict() == document


def test_the_numbers_of_pods_and_devices_are_those_of_the_design(rendering: Rendering) -> None:
    values = rendering.design.values
    n_nodes = values.get("n_nodes", 1)
    found = documents(rendering)
    if "JobSet" in found:
        assert job(rendering)["parallelism"] == job(rendering)["completions"] == n_nodes
    else:
        assert found["TrainingRuntime"]["spec"]["mlPolicy"] == {"numNodes": n_nodes}
        assert found["TrainJob"]["spec"]["trainer"] == {"numNodes": n_nodes}
        assert found["TrainJob"]["spec"]["runtimeRef"]["name"] == "tiny-run"
    (container,) = pod(rendering)["containers"]
    (devices,) = container["resources"]["limits"].values()
    assert devices * n_nodes == values["world_size"]


def test_all_pods_start_again_after_a_stop_and_seldom_after_a_failure(rendering: Rendering) -> None:
    rules = job(rendering)["podFailurePolicy"]["rules"]
    assert {rule["action"] for rule in rules} == {"FailJob"}  # for the reason PodFailurePolicy
    (codes,) = [rule["onExitCodes"] for rule in rules if "onExitCodes" in rule]
    assert codes["values"] == [75]
    assert codes["containerName"] == pod(rendering)["containers"][0]["name"]
    policy = job_set(rendering)["failurePolicy"]
    (rule,) = policy["rules"]
    assert rule["action"] == "RestartJobSetAndIgnoreMaxRestarts"
    assert rule["onJobFailureReasons"] == ["PodFailurePolicy"]
    assert policy["maxRestarts"] == 3
    assert job(rendering)["backoffLimit"] == 0
    assert pod(rendering)["restartPolicy"] == "Never"  # without which there is no podFailurePolicy


def test_a_pod_has_longer_to_save_than_torchrun_gives_its_processes(rendering: Rendering) -> None:
    (container,) = pod(rendering)["containers"]
    variables = {each["name"]: each["value"] for each in container["env"]}
    given = int(variables.get("TORCH_ELASTIC_SHUTDOWN_TIMEOUT", "0"))
    assert pod(rendering)["terminationGracePeriodSeconds"] == 120 > given
    (command,) = container["args"]
    assert command.startswith("exec python -m tiny_run.")  # the signal reaches it, and no shell


def test_processes_meet_at_a_name_of_the_first_pod(catalogue: Catalogue, operator: str) -> None:
    several = render_answers(catalogue, {**DESIGN, **NODES, "launch.operator": operator})
    (container,) = pod(several)["containers"]
    variables = {each["name"]: each["value"] for each in container["env"]}
    # <set>-<replicated job>-<job>-<pod>.<network>, as JobSet names them.
    assert variables["first_node"] == "tiny-run-node-0-0.tiny-run"
    assert job_set(several)["replicatedJobs"][0]["name"] == "node"
    for name in ("first_node", "port", "run_id"):
        assert f"${name}" in container["args"][0]


def test_runs_are_kept_where_training_writes_them(rendering: Rendering) -> None:
    texts = rendering.texts()
    (workdir,) = [line for line in texts["Dockerfile"].splitlines() if line.startswith("WORKDIR")]
    run_dir = yaml.safe_load(texts["configs/train.yaml"])["train"]["run_dir"]
    (container,) = pod(rendering)["containers"]
    mounts = {each["name"]: each["mountPath"] for each in container["volumeMounts"]}
    assert f"{workdir.split()[1]}/{run_dir}".startswith(mounts["runs"] + "/")
    assert {volume["name"] for volume in pod(rendering)["volumes"]} == set(mounts)


def image_steps(rendering: Rendering) -> Iterator[str]:
    for line in rendering.texts()["Dockerfile"].splitlines():
        if line.startswith(("RUN", "COPY")):
            yield line


def test_the_image_holds_the_prepared_data(catalogue: Catalogue) -> None:
    text = render_answers(catalogue, {**DESIGN, "task": "language-model"})
    assert list(image_steps(text))[-2:] == ["COPY . .", "RUN python -m tiny_run.prepare"]
    digits = render_answers(catalogue, {**DESIGN, "task": "image-classification"})
    assert list(image_steps(digits))[-1] == "COPY . ."
