"""The data, tokenizer, loader and launch parts: what they promise, on the packages they render."""

import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scaffold.answers import Answer
from scaffold.catalogue import default_roots, read_catalogue
from scaffold.decisions import decide
from scaffold.estimates import estimate
from scaffold.parse import parse_design
from scaffold.plan import make_plan
from scaffold.render import render

CPU = torch.device("cpu")
DESIGNS: dict[str, dict[str, str]] = {
    "text_bytes": {"task": "language-model", "tokenizer": "bytes", "parallelism": "ddp"},
    "text_bpe": {
        "task": "language-model",
        "tokenizer": "bpe",
        "tokenizer.vocab_size": "300",
        "launch": "slurm",
    },
    "digit_images": {
        "task": "image-classification",
        "parallelism": "ddp",
        "parallelism.n_devices": "4",
        "launch": "slurm",
    },
}
PLAIN_SETTINGS = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """The designs, rendered side by side under package names of their own."""
    catalogue = read_catalogue(*default_roots())
    folders = {}
    for name, values in DESIGNS.items():
        answers = {"project.name": name, "project.package": name, **values}
        design = parse_design(
            catalogue, {key: Answer(value, "flag") for key, value in answers.items()}
        )
        plan = make_plan(catalogue, design, decide(catalogue, design), estimate(catalogue, design))
        folders[name] = tmp_path_factory.mktemp(name)
        for path, file in render(plan).items():
            target = folders[name] / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.content)
            target.chmod(file.mode)
    before = list(sys.path)
    sys.path[:0] = [str(folder / "src") for folder in folders.values()]
    yield folders
    sys.path[:] = before
    for name in [name for name in sys.modules if name.split(".")[0] in DESIGNS]:
        del sys.modules[name]


class Package:
    """A rendered package, whose modules are attributes."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, module: str) -> ModuleType:
        try:
            return importlib.import_module(f"{self._name}.{module}")
        except ModuleNotFoundError as error:
            raise AttributeError(module) from error


@pytest.fixture
def text_bytes(projects: dict[str, Path]) -> Package:
    assert "text_bytes" in projects
    return Package("text_bytes")


@pytest.fixture
def text_bpe(projects: dict[str, Path]) -> Package:
    assert "text_bpe" in projects
    return Package("text_bpe")


@pytest.fixture
def digit_images(projects: dict[str, Path]) -> Package:
    assert "digit_images" in projects
    return Package("digit_images")


def model_config(package: Package, seq_len: int) -> Any:
    """The model's shape with short sequences."""
    return replace(package.model.ModelConfig(), max_seq_len=seq_len)


def data_config(package: Package, text: Path, val_fraction: float = 0.25) -> Any:
    """A configuration for a text; its tokens are prepared beside it."""
    return package.config.DataConfig(
        text=str(text),
        file_patterns="*.txt *.md",
        prepared_dir=str(text.with_name("prepared")),
        val_fraction=val_fraction,
    )


def write_documents(folder: Path, documents: list[str]) -> Path:
    """Each document as a file of a new folder; returns the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for number, document in enumerate(documents):
        (folder / f"{number}.txt").write_bytes(document.encode())
    return folder


def tokens_of(config: Any, split: str) -> list[int]:
    """All prepared tokens of a split."""
    folder = Path(config.prepared_dir)
    dtype = json.loads((folder / "meta.json").read_text())["dtype"]
    shards = sorted(folder.glob(f"{split}-*.bin"))
    return [int(token) for path in shards for token in np.fromfile(path, dtype)]


def rows(batch: Any) -> list[tuple[float, ...]]:
    """Inputs and targets of each sample as something that can be compared and sorted."""
    count = len(batch.inputs)
    inputs = batch.inputs.reshape(count, -1).tolist()
    targets = batch.targets.reshape(count, -1).tolist()
    return [(*one, *other) for one, other in zip(inputs, targets, strict=True)]


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=120)


@dataclass(frozen=True)
class Corpus:
    """Documents, and how they are split and cut up."""

    documents: list[str]
    val_fraction: float
    seq_len: int
    shard_tokens: int
    seed: int


CORPORA = st.builds(
    Corpus,
    documents=st.lists(TEXTS, min_size=1, max_size=6),
    val_fraction=st.floats(0.05, 0.9),
    seq_len=st.integers(1, 9),
    shard_tokens=st.integers(1, 70),
    seed=st.integers(0, 2**32 - 1),
)


@PLAIN_SETTINGS
@given(corpus=CORPORA)
def test_bytes_of_any_documents_are_kept_and_each_used_once_an_epoch(
    text_bytes: Package, tmp_path: Path, corpus: Corpus
) -> None:
    documents, seq_len = corpus.documents, corpus.seq_len
    folder = write_documents(tmp_path / "text", documents)
    config = data_config(text_bytes, folder, corpus.val_fraction)
    model = model_config(text_bytes, seq_len)
    try:
        text_bytes.prepare.prepare(config, model, corpus.shard_tokens)
    except text_bytes.config.ConfigError as problem:
        assert "holds no text" in str(problem) or "needs at least" in str(problem)
        return
    # Nothing is lost: the stream is the documents with a NUL between them.
    train, val = tokens_of(config, "train"), tokens_of(config, "val")
    ordered = text_bytes.corpus.list_documents(config)
    assert sorted(document.read() for document in ordered) == sorted(
        document.encode() for document in documents if document
    )
    assert bytes(train + val) == b"\0".join(document.read() for document in ordered)
    characters = sum(map(len, documents))
    kept = bytes(train).replace(b"\0", b"").decode()
    assert len(kept) == round(characters * (1 - corpus.val_fraction))
    # Every window is used once an epoch; each target is the next token, never another document's.
    train_set = text_bytes.data.TrainSet(config, model, corpus.seed)
    n = len(train_set)
    assert len(train) - n * seq_len < 2 * seq_len
    for epoch in (0, 1, 5):
        samples = train_set.samples(epoch * n, n)
        windows = [tuple(inputs) for inputs in samples.inputs.tolist()]
        offsets = [
            offset
            for offset in range(seq_len)
            if sorted(windows)
            == sorted(
                tuple(train[offset + i * seq_len : offset + (i + 1) * seq_len]) for i in range(n)
            )
        ]
        assert offsets
    _check_targets(train_set.samples(0, n))
    validation = text_bytes.data.ValidationSet(config, model)
    batch = validation.samples(0, len(validation) + 3)
    assert batch.inputs.flatten().tolist()[: len(val) - 1] == val[:-1]
    wanted = [after for before, after in zip(val[:-1], val[1:], strict=True) if before != 0]
    targets = batch.targets.flatten()
    assert targets[targets != -100].tolist() == wanted
    _check_targets(batch)


def _check_targets(batch: Any) -> None:
    inputs, targets = batch.inputs, batch.targets
    assert inputs.dtype == targets.dtype == torch.int64
    assert (targets[inputs == 0] == -100).all()
    inner = targets[:, :-1] != -100
    assert torch.equal(targets[:, :-1][inner], inputs[:, 1:][inner])


@PLAIN_SETTINGS
@given(text=st.text(max_size=300))
def test_any_text_comes_back_from_byte_pairs(text_bpe: Package, text: str) -> None:
    tokenizer = text_bpe.tokenizer.Tokenizer.train(["the cat sat on the mat"] * 3, 300)
    if any("\ud800" <= character <= "\udfff" for character in text):
        return  # a lone surrogate is no text
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    assert tokenizer.end_of_text not in ids
    assert all(0 <= token < tokenizer.vocab_size for token in ids)


def test_the_vocabulary_knows_nothing_of_the_validation_text(
    text_bpe: Package, tmp_path: Path
) -> None:
    model = model_config(text_bpe, 4)
    vocabularies = []
    for ending in ("xyz ", "uvw "):
        path = tmp_path / "text.txt"
        path.write_text("the cat sat on the mat, " * 30 + ending * 60)
        config = data_config(text_bpe, path, val_fraction=240 / 960)
        text_bpe.prepare.prepare(config, model)
        vocabularies.append((tmp_path / "prepared" / "tokenizer.json").read_bytes())
        tokenizer = text_bpe.tokenizer.load_tokenizer(tmp_path, config)
        assert tokenizer.decode(tokens_of(config, "val")) == ending * 60
    assert vocabularies[0] == vocabularies[1]


def test_files_of_any_name_are_read_byte_for_byte(text_bytes: Package, tmp_path: Path) -> None:
    contents = {
        "crlf.txt": b"one\r\ntwo\r\n" * 20,
        "bom.md": b"\xef\xbb\xbfwith a mark" * 10,
        "deep/er/a name with spaces.txt": b"spaces" * 20,
        "é 漢字.TXT": "ünïcode 🙂 ".encode() * 10,
        "-rf.md": b"a dash" * 10,
        "$(touch oops).txt": b"not a command" * 10,
    }
    for name, content in contents.items():
        path = tmp_path / "text" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    config = data_config(text_bytes, tmp_path / "text")
    text_bytes.prepare.prepare(config, model_config(text_bytes, 8))
    tokens = bytes(tokens_of(config, "train") + tokens_of(config, "val"))
    assert sorted(tokens.split(b"\0")) == sorted(contents.values())


@pytest.mark.skipif(os.name == "nt" or sys.platform == "darwin", reason="names are text there")
def test_a_name_that_is_no_text_is_no_obstacle(text_bytes: Package, tmp_path: Path) -> None:
    (tmp_path / "text").mkdir()
    with open(os.fsencode(tmp_path / "text") + b"/\xff.txt", "wb") as file:
        file.write(b"content " * 20)
    config = data_config(text_bytes, tmp_path / "text")
    text_bytes.prepare.prepare(config, model_config(text_bytes, 8))
    assert bytes(tokens_of(config, "train")).startswith(b"content")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"fine\xc3", r"bad.txt' is not UTF-8: byte 4 is 0xc3"),
        ("latin é".encode("latin-1") + b" text", r"byte 6 is 0xe9"),
        (b"a\0b" * 100, r"'bad.txt': character 1 is NUL"),
    ],
)
def test_a_bad_file_is_named(
    text_bytes: Package, tmp_path: Path, content: bytes, message: str
) -> None:
    write_documents(tmp_path / "text", ["good " * 50])
    (tmp_path / "text" / "bad.txt").write_bytes(content)
    config = data_config(text_bytes, tmp_path / "text")
    with pytest.raises(text_bytes.config.ConfigError, match=message):
        text_bytes.prepare.prepare(config, model_config(text_bytes, 8))


def test_a_failed_preparation_leaves_the_one_before(
    text_bytes: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = model_config(text_bytes, 8)
    config = data_config(text_bytes, write_documents(tmp_path / "text", ["first " * 50]))
    text_bytes.prepare.prepare(config, model)
    before = {path.name: path.read_bytes() for path in (tmp_path / "prepared").iterdir()}
    write_documents(tmp_path / "text", ["second " * 50])

    def lost(_descriptor: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", lost)
    with pytest.raises(text_bytes.config.ConfigError, match="no space left"):
        text_bytes.prepare.prepare(config, model)
    assert {path.name: path.read_bytes() for path in (tmp_path / "prepared").iterdir()} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["prepared", "text"]


@pytest.fixture(params=["text_bytes", "digit_images"])
def data_parallel(
    request: pytest.FixtureRequest, projects: dict[str, Path], tmp_path: Path
) -> tuple[Package, Any]:
    """A package for several ranks, with a training set."""
    assert request.param in projects
    package = Package(request.param)
    if request.param == "digit_images":
        config = package.config.DataConfig(val_fraction=0.2, shift_pixels=1)
        return package, package.data.TrainSet(config, package.model.ModelConfig(), 3)
    documents = [f"{number} " * 100 for number in range(5)]
    config = data_config(package, write_documents(tmp_path / "text", documents))
    model = model_config(package, 16)
    package.prepare.prepare(config, model)
    return package, package.data.TrainSet(config, model, 3)


def steps_of_all_ranks(
    data_parallel: tuple[Package, Any], world_size: int, seen: int, count: int
) -> list[list[tuple[float, ...]]]:
    """The samples of each step on all ranks together, sorted, with a global batch of 8."""
    package, train_set = data_parallel
    micro_batch_size = 8 // world_size // 2 or 1
    found: list[list[tuple[float, ...]]] = [[] for _ in range(count)]
    for rank in range(world_size):
        # The thread asks for its rank too: it is set for as long as the loader lives.
        with (
            patch.object(package.loader, "rank", return_value=rank),
            patch.object(package.loader, "world_size", return_value=world_size),
            package.loader.Loader(train_set, seen, 8, micro_batch_size, CPU) as loader,
        ):
            for samples in found:
                for batch in loader.next_step():
                    assert len(batch.inputs) == micro_batch_size
                    samples.extend(rows(batch))
    return [sorted(samples) for samples in found]


@pytest.mark.parametrize("world_size", [1, 2, 4])
def test_a_step_has_the_same_samples_on_any_number_of_ranks(
    data_parallel: tuple[Package, Any], world_size: int
) -> None:
    _, train_set = data_parallel
    count = 2 * len(train_set) // 8 + 2 if len(train_set) < 500 else 4
    expected = [sorted(rows(train_set.samples(8 * step, 8))) for step in range(count)]
    found = steps_of_all_ranks(data_parallel, world_size, 0, count)
    assert found == expected


def test_every_epoch_has_its_own_order(data_parallel: tuple[Package, Any]) -> None:
    _, train_set = data_parallel
    n = len(train_set)
    epochs = [
        tuple(train_set.samples(epoch * n, n).targets.flatten().tolist()) for epoch in (0, 1, 2)
    ]
    assert len(set(epochs)) == len(epochs)


def test_a_run_may_go_on_with_other_ranks_at_any_step(
    data_parallel: tuple[Package, Any],
) -> None:
    _, train_set = data_parallel
    n = 6
    for stop in range(1, n):
        parts = steps_of_all_ranks(data_parallel, 2, 0, stop)
        parts += steps_of_all_ranks(data_parallel, 4, 8 * stop, n - stop)
        assert parts == [sorted(rows(train_set.samples(8 * step, 8))) for step in range(n)]


@settings(PLAIN_SETTINGS, max_examples=15)
@given(first=st.integers(0, 10**9), count=st.integers(1, 9), seed=st.integers(0, 2**63))
def test_digits_are_a_function_of_seed_and_number(
    digit_images: Package, first: int, count: int, seed: int
) -> None:
    config = digit_images.config.DataConfig(val_fraction=0.5, shift_pixels=2)
    model = digit_images.model.ModelConfig()
    together = digit_images.data.TrainSet(config, model, seed).samples(first, count)
    fresh = digit_images.data.TrainSet(config, model, seed)
    alone = [rows(fresh.samples(first + i, 1))[0] for i in reversed(range(count))]
    assert rows(together) == alone[::-1]


@pytest.mark.parametrize("name", DESIGNS)
def test_launch_scripts_are_sound(projects: dict[str, Path], name: str) -> None:
    scripts = sorted((projects[name] / "launch").glob("*.sh"))
    assert scripts
    for script in scripts:
        assert os.access(script, os.X_OK)
        subprocess.run(["bash", "-n", script], check=True)
        if shutil.which("shellcheck"):
            subprocess.run(["shellcheck", script], check=True)


COMMANDS = {
    "srun": 'exec "$@"',
    "scancel": 'echo "scancel $*" >> "$FAKE/log"; kill -TERM "$(cat "$FAKE/pid")"',
    "scontrol": 'echo "scontrol $*" >> "$FAKE/log"; if [ "$1" = show ]; then echo node1; fi',
    "python": """
echo $$ > "$FAKE/pid"
echo "train $*" >> "$FAKE/log"
trap 'sleep 0.3; echo saved >> "$FAKE/log"; exit 75' TERM
for _ in $(seq "$STEPS"); do sleep 0.05; done
exit "$STATUS"
""",
}


@pytest.fixture
def cluster(tmp_path: Path) -> dict[str, str]:
    """An environment in which Slurm's commands, and training, only write down what they do."""
    (tmp_path / "bin").mkdir()
    for name, body in {**COMMANDS, "torchrun": COMMANDS["python"]}.items():
        path = tmp_path / "bin" / name
        path.write_text(f"#!/usr/bin/env bash\n{body}\n")
        path.chmod(0o755)
    return {
        "PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin",
        "FAKE": str(tmp_path),
        "SLURM_JOB_ID": "1234",
        "SLURM_JOB_NODELIST": "node[1-2]",
        "SLURM_CPUS_PER_TASK": "8",
        "STEPS": "2",
        "STATUS": "0",
    }


@pytest.mark.parametrize("name", ["text_bpe", "digit_images"])
@pytest.mark.parametrize("status", [0, 1, 2])
def test_the_job_ends_as_training_does(
    projects: dict[str, Path], cluster: dict[str, str], tmp_path: Path, name: str, status: int
) -> None:
    script = projects[name] / "launch" / "slurm.sh"
    environment = {**cluster, "STATUS": str(status)}
    done = subprocess.run(["bash", script, "train.steps=3", "a=b c"], env=environment, check=False)
    assert done.returncode == status
    log = (tmp_path / "log").read_text()
    assert f"-m {name}.train train.steps=3 a=b c" in log
    assert "requeue" not in log


@pytest.mark.parametrize("name", ["text_bpe", "digit_images"])
def test_a_job_that_was_asked_to_stop_is_queued_again(
    projects: dict[str, Path], cluster: dict[str, str], tmp_path: Path, name: str
) -> None:
    script = projects[name] / "launch" / "slurm.sh"
    done = subprocess.run(["bash", script], env={**cluster, "STATUS": "75"}, check=False)
    assert done.returncode == 0
    assert (tmp_path / "log").read_text().splitlines()[-1] == "scontrol requeue 1234"


@pytest.mark.parametrize("name", ["text_bpe", "digit_images"])
def test_a_job_out_of_time_saves_and_is_queued_again(
    projects: dict[str, Path], cluster: dict[str, str], tmp_path: Path, name: str
) -> None:
    script = projects[name] / "launch" / "slurm.sh"
    with subprocess.Popen(["bash", script], env={**cluster, "STEPS": "1000"}) as job:
        while not (tmp_path / "log").exists() or "train" not in (tmp_path / "log").read_text():
            time.sleep(0.02)
        time.sleep(0.1)  # training must have set its trap
        job.send_signal(signal.SIGUSR1)
        assert job.wait(timeout=20) == 0
    events = (tmp_path / "log").read_text().splitlines()
    assert events[-3:] == ["scancel --signal=TERM 1234", "saved", "scontrol requeue 1234"]
