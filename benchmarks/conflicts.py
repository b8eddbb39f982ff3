"""How often an update conflicts: realistic edits of an owner, each under realistic changes.

Every edit is made in a project of its own, which is then updated to every other answer, in memory.
An edit of what the answer replaces as a whole may conflict, as it should: what counts is how rare
that is, and that no edit is lost. ``LOST`` is printed, and never met, for one that is.
"""

import argparse
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import verdict
from benchmarks.update import scaffold
from scaffold.applied import read_applied
from scaffold.packs import Loaded, load
from scaffold.update import Update, plan_update

GOAL = 0.05
END = ""  # of a file
CODE = "src/demo"


@dataclass(frozen=True)
class Edit:
    """Lines added after a line, or in its place; a line of END is the end of the file."""

    name: str
    path: str
    line: str
    added: str
    replaces: bool = False


EDITS = (
    Edit(
        "a weight in the loss",
        f"{CODE}/objective.py",
        '        reduction="sum",',
        "        label_smoothing=0.05,",
    ),
    Edit("a metric", f"{CODE}/objective.py", "@torch.no_grad()", "# Perplexity is for the report."),
    Edit(
        "a function beside the loss",
        f"{CODE}/objective.py",
        END,
        "\n\ndef perplexity(loss: float) -> float:\n    return math.exp(loss)",
    ),
    Edit(
        "another source of data",
        f"{CODE}/data.py",
        END,
        '\n\nclass LogSet(TrainSet):\n    """Our logs."""',
    ),
    Edit(
        "a term of the loss",
        f"{CODE}/objective.py",
        "    # Terms are sums",
        "    loss = loss + 0.01 * confidence(logits, batch)",
    ),
    Edit(
        "a metric of a step",
        f"{CODE}/train.py",
        '                            "lr": ',
        '                            "samples": progress.samples_seen,',
    ),
    Edit(
        "a metric of the validation",
        f"{CODE}/objective.py",
        '        "targets": count_targets(batch),',
        '        "correct": (logits.argmax(dim=-1) == batch.targets).sum(),',
    ),
    Edit(
        "another kind of text",
        f"{CODE}/corpus.py",
        "    root = Path(config.text)",
        '    if root.suffix == ".jsonl":\n        return read_json_lines(root)',
    ),
    Edit(
        "a module in the layers",
        f"{CODE}/model/block.py",
        "        x = x + self.feed_forward(self.ffn_norm(x))",
        "        x = self.channel_scale(x)",
    ),
    Edit(
        "a constant of the data",
        f"{CODE}/data.py",
        'META_NAME = "meta.json"',
        'BUCKET = "s3://team/logs"',
    ),
    Edit(
        "a module of one's own in the loop",
        f"{CODE}/train.py",
        "from .data import TrainSet, ValidationSet",
        "from .alerts import Alerts",
    ),
    Edit(
        "a call in every step",
        f"{CODE}/train.py",
        "                progress.step += 1",
        "                alerts.beat(progress.step)",
    ),
    Edit(
        "a message at the start",
        f"{CODE}/train.py",
        "    progress = state.progress",
        "    print(progress)",
    ),
    Edit(
        "a gradient norm per layer",
        f"{CODE}/step.py",
        "    finite = math.isfinite(mean_loss) and math.isfinite(grad_norm)",
        "    watch(model)",
    ),
    Edit(
        "dropout in the block",
        f"{CODE}/model/block.py",
        "        self.feed_forward = FeedForward(config)",
        "        self.dropout = nn.Dropout(0.1)",
    ),
    Edit(
        "a field of the shape",
        f"{CODE}/model/hyperparameters.py",
        "    n_layers: int = 6",
        "    dropout: float = 0.1",
    ),
    Edit(
        "a method of the model",
        f"{CODE}/model/transformer.py",
        "    def new_cache(self, batch_size: int) -> Cache:",
        "    # Ours asks for it.",
        True,
    ),
    Edit(
        "a comment in the attention",
        f"{CODE}/model/attention.py",
        "        super().__init__()",
        "        # Read the note on masks first.",
    ),
    Edit(
        "an evaluation that says where it is",
        f"{CODE}/evaluate.py",
        "    with evaluation_mode(model):",
        '        print("evaluating")',
    ),
    Edit("another smallest rate", f"{CODE}/schedule.py", "import math", "\nFLOOR = 1e-5"),
    Edit(
        "a group of parameters",
        f"{CODE}/optim.py",
        "from torch import nn",
        '\nSLOW = ("tok_embeddings",)',
    ),
    Edit(
        "a way to draw weights",
        f"{CODE}/model/initialization.py",
        END,
        '\n\ndef reset(model: nn.Module) -> None:\n    """Ours."""',
    ),
    Edit(
        "evaluation twice as often",
        "configs/train.yaml",
        "  eval_every: 200  # optimizer steps between two evaluations",
        "  eval_every: 100  # ours",
        True,
    ),
    Edit(
        "another place for runs",
        "configs/train.yaml",
        "  run_dir: runs/default",
        "  run_dir: /data/runs",
        True,
    ),
    Edit("our own configuration", "configs/ours.yaml", END, "train:\n  steps: 7"),
    Edit("a dependency", "pyproject.toml", '    "numpy>=1.26",', '    "polars",'),
    Edit("a rule of the linter", "pyproject.toml", "line-length = 100", "preview = true"),
    Edit("a section of the README", "README.md", END, "\n## Our cluster\n\nAsk Kim."),
    Edit("a note in the design", "DESIGN.md", END, "\n## Notes\n\nTried 8 layers."),
    Edit(
        "a variable of the environment",
        "launch/local.sh",
        "set -euo pipefail",
        "export OMP_NUM_THREADS=8",
    ),
    Edit("a file to ignore", ".gitignore", END, "/notes/"),
    Edit("a test", "tests/test_model.py", END, "\n\ndef test_ours() -> None:\n    assert True"),
    Edit(
        "a fixture",
        "tests/conftest.py",
        END,
        "\n\n@pytest.fixture\ndef ours() -> int:\n    return 1",
    ),
    Edit("a module of one's own", f"{CODE}/alerts.py", END, 'class Alerts:\n    """Ours."""'),
    Edit("a step of CI", ".github/workflows/ci.yml", END, "# Ours: ask Kim before changing it."),
)
CHANGES = (
    "task.dim=512",
    "task.n_layers=8",
    "task.max_seq_len=1024",
    "attention=multi-query",
    "span=sliding-window",
    "position=alibi",
    "normalization=layer-norm",
    "feed_forward=gelu",
    "feed_forward=mixture-of-experts",
    "tokenizer=bpe",
    "embedding=untied",
    "optimizer=muon",
    "schedule=wsd",
    "averaging=ema",
    "precision=float32",
    "parallelism=ddp",
    "graph_mode=compile",
    "documents=masked",
    "tracking=tensorboard",
    "launch=slurm",
    "training.steps=5000",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what to print."""
    parser.add_argument("--verbose", action="store_true", help="name every conflict")


def run(arguments: argparse.Namespace) -> bool:
    """Updates every edited project to every change, and prints the share of conflicts."""
    loaded = load((), Path())
    conflicts: Counter[str] = Counter()
    lost: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        scaffold(place, "new", str(place / "demo"), "--defaults")
        for edit in EDITS:
            project = place / "edited"
            shutil.copytree(place / "demo", project)
            _make(edit, project)
            for change in CHANGES:
                update = _update(loaded, project, change)
                if update.conflicts:
                    conflicts[edit.name] += 1
                    if arguments.verbose:
                        print(f"  {edit.name}, {change}: {', '.join(update.conflicts)}")
                if not _keeps(update, edit):
                    lost.append(f"{edit.name}, {change}")
            shutil.rmtree(project)
    n_updates = len(EDITS) * len(CHANGES)
    print(f"conflicts: {sum(conflicts.values())} of {n_updates} updates of edited projects")
    for name, number in conflicts.most_common():
        print(f"  {name}: {number} of {len(CHANGES)}")
    for text in lost:
        print(f"  LOST: {text}")
    return (
        verdict("  share of conflicts", sum(conflicts.values()) / n_updates, GOAL, 3) and not lost
    )


def _make(edit: Edit, project: Path) -> None:
    path = project / edit.path
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if edit.line == END:
        path.write_text(f"{text}{edit.added}\n", encoding="utf-8")
        return
    lines = text.splitlines()
    number = next(i for i, line in enumerate(lines) if line.startswith(edit.line))
    lines[number : number + edit.replaces] = [edit.added] if edit.replaces else []
    if not edit.replaces:
        lines.insert(number + 1, edit.added)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _update(loaded: Loaded, project: Path, change: str) -> Update:
    key, _, value = change.partition("=")
    applied = read_applied(project)
    return plan_update(loaded, applied, project, {key: value}, take_defaults=False)


def _keeps(update: Update, edit: Edit) -> bool:
    """Whether the owner's lines are in the project after the update, wherever they are then."""
    changed = {file.path: file for file in update.files}
    if edit.path not in changed:
        return True
    after = [file.after.content for file in update.files if file.after is not None]
    return any(edit.added.encode() in content for content in after)
