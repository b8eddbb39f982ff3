"""Faults that training code is known for, on whole runs of a generated project.

docs/known-bugs.md names the report behind each, and the tests inside the generated project.
"""

import ast
from collections.abc import Mapping
from pathlib import Path

import pytest
from covering import covering_designs, pairwise_designs, single_variants
from rendering import render_answers
from runs import Project, prepare_project, write_project

from scaffold.catalogue import Catalogue
from scaffold.design import Value

STEPS = 60
TWO_RANKS: Mapping[str, Value] = {
    "task": "language-model",
    "task.dim": 32,
    "task.n_layers": 2,
    "task.n_heads": 4,
    "task.max_seq_len": 32,
    "precision": "float32",
    "parallelism": "ddp",
    "parallelism.n_devices": 2,
    "training.steps": STEPS,
    "training.batch_size": 8,
    "training.micro_batch_size": 1,
    "training.eval_every": 20,
    "training.eval_samples": 7,
    "training.log_every": 1,
}

pytestmark = pytest.mark.matrix


@pytest.fixture(scope="module")
def whole(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, str]:
    """A run on two ranks from start to end, and what it printed."""
    folder = tmp_path_factory.mktemp("ranks")
    project = prepare_project(render_answers(catalogue, TWO_RANKS), folder)
    return project, project.train("train.run_dir=runs/whole")


def test_only_the_first_rank_speaks(whole: tuple[Project, str]) -> None:
    project, output = whole
    lines = [line for line in output.splitlines() if line.startswith("step")]
    assert len(lines) == STEPS + 4  # and an evaluation at 0, 20, 40 and 60
    assert len(project.log("runs/whole")) == STEPS + 4


@pytest.mark.parametrize("n_ranks", [1, 4])
def test_a_run_continues_on_another_number_of_ranks(
    whole: tuple[Project, str], n_ranks: int
) -> None:
    """Every sample is used once, in the same step: the losses go on as if nothing had happened."""
    project, _ = whole
    run_dir = f"runs/moved-to-{n_ranks}"
    project.train_and_stop(run_dir, 4)
    output = project.with_ranks(n_ranks).train(f"train.run_dir={run_dir}")
    assert "saved by 2 ranks" in output  # the generators of the ranks cannot be shared out anew
    for found, expected in zip(project.log(run_dir), project.log("runs/whole"), strict=True):
        # Sums in another order, amplified by up to 60 updates.
        assert {name: found[name] for name in ("step", "loss", "val_loss") if name in found} == (
            pytest.approx(
                {name: expected[name] for name in ("step", "loss", "val_loss") if name in expected},
                rel=1e-3,
            )
        )


def test_every_module_is_imported_without_triton(catalogue: Catalogue, tmp_path: Path) -> None:
    """Windows, macOS and CPU builds of torch have none."""
    designs = covering_designs(catalogue, single_variants(catalogue, catalogue.axes))
    for number, design in enumerate(designs):
        project = write_project(render_answers(catalogue, design), tmp_path / str(number))
        modules = sorted(
            ".".join(path.relative_to(project.folder / "src").with_suffix("").parts)
            for path in (project.folder / "src").rglob("*.py")
        )
        code = f"import sys; sys.modules['triton'] = None; import {', '.join(modules)}"
        result = project.python("-c", code)
        assert result.returncode == 0, result.stderr


def guarded(tree: ast.AST) -> set[ast.AST]:
    """Every node under a condition that asks for CUDA or NCCL."""
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.IfExp) and any(
            word in ast.unparse(node.test) for word in ("cuda", "nccl")
        ):
            bodies = node.body if isinstance(node.body, list) else [node.body]
            found |= {child for body in bodies for child in ast.walk(body)}
    return found


def test_cuda_is_only_called_where_there_is_cuda(catalogue: Catalogue) -> None:
    """On a CPU or Apple's GPU most of torch.cuda raises."""
    for design in pairwise_designs(catalogue):
        for path, text in render_answers(catalogue, design).texts("src/", ".py").items():
            tree = ast.parse(text)
            safe = guarded(tree)
            for node in ast.walk(tree):
                if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("torch.cuda."):
                    asks = ast.unparse(node.func) == "torch.cuda.is_available"
                    assert asks or node in safe, f"{path}:{node.lineno}: {ast.unparse(node)}"


def test_layers_of_many_kinds_are_all_compiled(catalogue: Catalogue, tmp_path: Path) -> None:
    """torch gives up after 8 graphs of one piece of code, and layers share their code.

    Global or not, rotated or not: four kinds, each with a graph to train, one to evaluate, and one
    for a last batch that is smaller.
    """
    design: Mapping[str, Value] = {
        **{key: value for key, value in TWO_RANKS.items() if not key.startswith("parallelism")},
        "task.n_layers": 6,
        "span": "alternating",
        "span.global_every": 3,
        "position": "rope-nope",
        "position.nope_every": 2,
        "graph_mode": "compile",
        "parallelism": "one-device",
        "training.micro_batch_size": 2,
        "training.steps": 2,
        "training.eval_every": 1,
    }
    project = prepare_project(render_answers(catalogue, design), tmp_path)
    project.train("train.compile_backend=eager")
    assert [entry["step"] for entry in project.log("runs/default")] == [0, 1, 1, 2, 2]
