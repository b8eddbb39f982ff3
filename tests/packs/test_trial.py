"""``scaffold pack test``: projects with every choice of a pack are linted, checked and trained."""

import json
from pathlib import Path

import pytest
from making import scaffold, write_pack

from scaffold.catalogue import Catalogue, default_roots
from scaffold.commands.pack import trial_text
from scaffold.packs.load import layered, open_pack
from scaffold.packs.reference import FolderReference
from scaffold.packs.trial import SMALL, Trial, make_projects

UNUSED = '"""Never used."""\n\nimport os\n'
OWNED = '"""Owned."""\n\nimport pathlib\n\npathlib.Path("/tmp/owned").touch()\n'
LOCKED = "policy: {task.dim: {locked: 48, reason: kernels}}\n"


def test_projects_are_small_as_far_as_the_policy_lets_them(tmp_path: Path) -> None:
    pack = open_pack(FolderReference("", write_pack(tmp_path, more=LOCKED)))
    projects = make_projects(layered([pack]), pack)
    assert [project.variants["task"] for project in projects] == [
        "image-classification",
        "language-model",
    ]
    text = projects[1].tree["scaffold.yaml"].content.decode()
    assert "dim: 48 " in text and "n_layers: 2 " in text and "steps: 4 " in text
    assert projects[1].commands == (
        "python -m checked_pack.prepare",
        "python -m checked_pack.train",
    )


def test_each_variant_of_a_pack_meets_all_that_it_can(tmp_path: Path) -> None:
    part = "like: swiglu\ntitle: ours\nhelp: Ours.\norder: 90\n"
    pack = open_pack(
        FolderReference("", write_pack(tmp_path, {"parts/feed_forward/ours/part.yaml": part}))
    )
    loaded = layered([pack])
    met: set[tuple[str, str]] = set()
    for project in make_projects(loaded, pack):
        if project.variants.get("feed_forward") == "ours":
            met |= set(project.variants.items())
            assert "feed_forward=ours" in project.title
    for axis, variants in {"normalization": 3, "optimizer": 3, "task": 2, "position": 7}.items():
        assert len([pair for pair in met if pair[0] == axis]) == variants


def test_a_project_that_failed_can_be_made_again() -> None:
    variants = {"task": "language-model", "loss": "ours"}
    assert trial_text(Trial("1: a", variants, ())) == "passed  1: a\n"
    told = "failed  1: a\n  ruff: F401\n  of: --set task=language-model --set loss=ours\n"
    assert trial_text(Trial("1: a", variants, ("ruff: F401",))) == told


def test_small_sizes_are_those_of_the_tools_own_axes(catalogue: Catalogue) -> None:
    for key in SMALL:
        axis, _, option = key.partition(".")
        assert any(option in part.options for part in catalogue.axes[axis].parts.values()), key


@pytest.mark.slow
def test_a_pack_is_linted_checked_and_trained(tmp_path: Path) -> None:
    write_pack(tmp_path / "acme", more=f"header: Copyright Acme\n{LOCKED}")
    done = scaffold(tmp_path, "pack", "test", "acme", "--train")
    assert done.returncode == 2
    assert "add --trust acme" in done.stderr
    done = scaffold(tmp_path, "pack", "test", "acme", "--train", "--trust", "acme")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout == "passed  1: image-classification\npassed  2: language-model\n"


@pytest.mark.slow
def test_what_the_tools_find_is_told(tmp_path: Path) -> None:
    write_pack(tmp_path / "acme", {"frames/src/package/unused.py": UNUSED})
    done = scaffold(tmp_path, "pack", "test", "acme", "--json")
    assert done.returncode == 2
    report = json.loads(done.stdout)
    assert len(report["designs"]) == 2
    for design in report["designs"]:
        (problem,) = design["problems"]
        assert "F401" in problem


@pytest.mark.slow
def test_no_code_of_a_pack_is_run_by_the_type_checker(tmp_path: Path) -> None:
    owned = tmp_path / "owned"
    code = OWNED.replace("/tmp/owned", str(owned))
    template = (default_roots()[0] / "data/pyproject.toml.jinja").read_text()
    changed = template.replace("[tool.mypy]", '[tool.mypy]\nplugins = ["owned.py"]')
    assert changed != template
    files = {
        "data/pyproject.toml.jinja": changed,
        **{f"data/{name}.py": code for name in ("owned", "mypy", "ruff", "sitecustomize")},
    }
    write_pack(tmp_path / "acme", files, "replaces: [data/pyproject.toml.jinja]\n")
    done = scaffold(tmp_path, "pack", "test", "acme", "--json")
    assert done.returncode == 2
    assert "tool.mypy.plugins: is not allowed in a pack" in done.stdout
    write_pack(tmp_path / "acme", files | {"data/pyproject.toml.jinja": template})
    write_pack(tmp_path / "acme", more="replaces: [data/pyproject.toml.jinja]\n")
    scaffold(tmp_path, "pack", "test", "acme", "--json")
    assert not owned.exists()
