"""The edits of docs/update.md stay through changes of the design, and what comes of them runs."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

from scaffold import cli
from scaffold.applied import read_applied
from scaffold.packs import Loaded, load
from scaffold.update import plan_update

SECTION = "## Where to put your own code\n"
EDIT = re.compile(r"^\*\*(.*?)\.\*\*", re.MULTILINE)
BLOCK = re.compile(r"^`(src/[\w/.]+)`\n\n```(diff|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMES = ["A source of data", "A term of the loss", "A metric", "A module in the layers"]
# What else changes with them comes along.
FLIPS = """\
attention=multi-head
attention=latent
span=sliding-window
span=alternating
qk_norm=none
projection_bias=qkv
position=alibi
position=learned
rope_scaling=yarn
normalization=layer-norm
feed_forward=gelu
feed_forward=mixture-of-experts
feed_forward=mixture-of-experts balance=auxiliary-loss
tokenizer=bpe
documents=masked
embedding=untied
logits=soft-capped
loss=z-loss
loss=label-smoothing
precision=float32
precision=float16
graph_mode=compile
activation_checkpointing=full
parallelism=ddp
parallelism=fsdp
parallelism=fsdp checkpoint=sharded
optimizer=muon
optimizer=sgd
schedule=wsd
averaging=ema
early_stopping=patience
spikes=skip
tracking=tensorboard
launch=slurm
task.dim=512
task.n_layers=8
training.batch_size=64
""".splitlines()
LARGE = (
    "parallelism=fsdp documents=masked feed_forward=mixture-of-experts loss=z-loss tokenizer=bpe"
)
BACK = """\
parallelism=one-device
documents=joined
feed_forward=swiglu
loss=cross-entropy
tokenizer=bytes
optimizer=muon
""".splitlines()

Block: TypeAlias = tuple[str, str, str]  # path, kind and text of what the document shows
Edits: TypeAlias = Mapping[str, Sequence[Block]]


@pytest.fixture(scope="module")
def edits(repository: Path) -> Edits:
    """The edits of the document, by name."""
    text = (repository / "docs/update.md").read_text(encoding="utf-8")
    section = text.partition(SECTION)[2].partition("\n## ")[0]
    names = [match[1] for match in EDIT.finditer(section)]
    pieces = re.split(EDIT.pattern, section, flags=re.MULTILINE)[2::2]
    return {
        name: [(match[1], match[2], match[3]) for match in BLOCK.finditer(piece)]
        for name, piece in zip(names, pieces, strict=True)
    }


@dataclass(frozen=True)
class Edited:
    """A project for each design and edit, by both."""

    loaded: Loaded
    edits: Edits
    projects: Mapping[tuple[str, str], Path]


@pytest.fixture(scope="module")
def edited(edits: Edits, tmp_path_factory: pytest.TempPathFactory) -> Edited:
    projects = {}
    for design in ("", LARGE):
        plain = new(tmp_path_factory.mktemp("plain"), *design.split())
        for name in edits:
            project = tmp_path_factory.mktemp("own") / "my-model"
            shutil.copytree(plain, project)
            make(edits[name], project)
            projects[design, name] = project
    return Edited(load((), Path()), edits, projects)


def new(folder: Path, *sets: str) -> Path:
    """Makes the project of the document in a folder."""
    project = folder / "my-model"
    flags = [word for text in sets for word in ("--set", text)]
    assert cli.main(["new", str(project), "--defaults", *flags, "--json"]) == 0
    return project


def make(blocks: Sequence[Block], project: Path) -> None:
    """Does what the document shows; each place must be there once."""
    for path, kind, text in blocks:
        file = project / path
        if kind == "python":
            file.write_text(text, encoding="utf-8")
            continue
        content = file.read_text(encoding="utf-8")
        for hunk in text.split("@@\n"):
            lines = hunk.splitlines()
            before = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("+"))
            after = "".join(f"{line[1:]}\n" for line in lines)
            assert content.count(before) == 1, (path, before)
            content = content.replace(before, after)
        file.write_text(content, encoding="utf-8")


def added(blocks: Sequence[Block]) -> set[tuple[str, str]]:
    """What the owner wrote: a path, and each run of lines that were added there."""
    return {
        (path, "".join(line[1:] for line in run.splitlines(keepends=True)))
        for path, kind, text in blocks
        if kind == "diff"
        for run in re.findall(r"(?:^\+.*\n)+", text, re.MULTILINE)
    }


def test_the_document_shows_the_four_edits(edits: Edits) -> None:
    assert list(edits) == NAMES
    assert all(edits.values())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("design", "flip"),
    [*(("", flip) for flip in FLIPS), *((LARGE, flip) for flip in BACK)],
    ids=[*FLIPS, *(f"back to {flip}" for flip in BACK)],
)
def test_an_edit_stays(edited: Edited, name: str, design: str, flip: str) -> None:
    project = edited.projects[design, name]
    sets = dict(word.split("=") for word in flip.split())
    update = plan_update(edited.loaded, read_applied(project), project, sets, take_defaults=False)
    assert dict(update.conflicts) == {}
    after = {file.path: file.after for file in update.files}
    assert after  # the flip changes something
    for path, text in added(edited.edits[name]):
        file = after[path] if path in after else None
        assert path not in after or file is not None
        content = (project / path).read_bytes() if file is None else file.content
        assert text in content.decode(), path


@pytest.mark.slow
def test_all_edits_together_run_before_and_after_changes(
    edits: Edits,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    project = new(tmp_path, "task.dim=32", "task.n_layers=2", "training.steps=2")
    for blocks in edits.values():
        make(blocks, project)
    documents = [{"text": f"Document {number} says so. " * 40} for number in range(60)]
    text = project / "documents.jsonl"
    text.write_text("".join(f"{json.dumps(item)}\n" for item in documents), encoding="utf-8")
    run(project, "-m", "mypy")
    for sets in (
        (),
        ("precision=float32", "documents=masked", "loss=z-loss", "optimizer=muon"),
        ("feed_forward=mixture-of-experts", "normalization=layer-norm", "averaging=ema"),
        ("parallelism=fsdp", "loss=cross-entropy"),
    ):
        flags = [word for item in sets for word in ("--set", item)]
        assert cli.main(["update", str(project), *flags]) == 0, capsys.readouterr()
        run(project, "-m", "ruff", "check", ".")
        run(project, "-m", "ruff", "format", "--check", ".")
        names = ("block", "objective", "evaluate", "metrics", "step", "model")
        run(project, "-m", "pytest", "-q", *(f"tests/test_{name}.py" for name in names))
        if "parallelism=fsdp" in sets:
            break  # what trains here is one process
        data, folder = f"data.text={text.name}", f"runs/{len(sets)}"
        run(project, "-m", "my_model.prepare", data)
        values = ("train.batch_size=2", "train.micro_batch_size=2", "train.log_every=1")
        run(project, "-m", "my_model.train", data, f"train.run_dir={folder}", *values)
        entries = [json.loads(line) for line in (project / folder / "log.jsonl").open()]
        assert [entry["samples"] for entry in entries if "samples" in entry] == [2, 4]
        assert all(0 <= entry["val_accuracy"] <= 1 for entry in entries if "val_loss" in entry)
    assert "z_loss" not in (project / "src/my_model/objective.py").read_text()


def run(project: Path, *words: str) -> None:
    """Runs a module of Python in the project; it must succeed."""
    ran = subprocess.run(
        [sys.executable, *words],
        cwd=project,
        env={**os.environ, "PYTHONPATH": "src", "MYPYPATH": "src"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
