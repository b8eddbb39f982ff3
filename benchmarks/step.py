"""Time and memory of a training step, against a model of transformers of the same shape."""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from benchmarks.measure import MILLISECONDS, machine, verdict

ROOT = Path(__file__).resolve().parent.parent
GOAL = 1.0  # of what transformers takes
PACKAGE = "same_shape"
SHAPE: Mapping[str, object] = {
    "task": "language-model",
    "task.dim": 256,
    "task.n_layers": 4,
    "task.n_heads": 8,
    "task.max_seq_len": 256,
    "embedding": "untied",
    "tokenizer": "bytes",
}
EXPERTS: Mapping[str, object] = {
    "feed_forward": "mixture-of-experts",
    "feed_forward.n_experts": 8,
    "feed_forward.top_k": 2,
    "feed_forward.hidden_dim": 352,
    "balance": "auxiliary-loss",
}
DENSE: Mapping[str, object] = {"feed_forward": "swiglu", "feed_forward.hidden_dim": 704}
LATENT: Mapping[str, object] = {
    "attention": "latent",
    "attention.kv_lora_rank": 128,
    "attention.qk_nope_head_dim": 32,
    "attention.qk_rope_head_dim": 16,
    "attention.v_head_dim": 32,
    "queries": "direct",
}
HEADS: Mapping[str, object] = {"qk_norm": "none"}
GROUPED: Mapping[str, object] = {**HEADS, "attention": "grouped-query", "attention.n_kv_heads": 2}
VARIANTS: Mapping[str, Mapping[str, object]] = {
    "multi-head": {**DENSE, **HEADS, "attention": "multi-head"},
    "grouped-query": {**DENSE, **GROUPED},
    "multi-query": {**DENSE, **HEADS, "attention": "multi-query"},
    "sliding-window": {**DENSE, **GROUPED, "span": "sliding-window", "span.window": 64},
    "latent": {**DENSE, **LATENT},
    "mixture-of-experts": {**EXPERTS, **GROUPED, "router": "softmax-normalized"},
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what to measure, how often, and where to work."""
    parser.add_argument("--rounds", type=int, default=5, help="processes of each (default: 5)")
    parser.add_argument("--steps", type=int, default=10, help="steps of each (default: 10)")
    parser.add_argument("--only", choices=list(VARIANTS), help="one of the variants")
    parser.add_argument(
        "--work", type=Path, default=ROOT / "build/benchmarks/step", help="folder for the projects"
    )


def run(arguments: argparse.Namespace) -> bool:
    """Measures every variant in turn with its counterpart, each in a process of its own."""
    print(f"one training step of 4 x 256 tokens in float32; {machine()}")
    names = [arguments.only] if arguments.only else list(VARIANTS)
    return all([_compare(name, arguments) for name in names])


def _compare(name: str, arguments: argparse.Namespace) -> bool:
    project = _project(name, arguments.work)
    found: dict[str, list[dict[str, float]]] = {"ours": [], "theirs": []}
    for _ in range(arguments.rounds):
        for whose, results in found.items():
            results.append(_measure(whose, name, project, arguments.steps))
    ours, theirs = (
        {key: statistics.median(each[key] for each in results) for key in results[0]}
        for results in found.values()
    )
    assert ours["parameters"] == theirs["parameters"], (name, ours, theirs)
    print(
        f"{name}: {ours['parameters']:,.0f} parameters;"
        f" {ours['seconds'] * MILLISECONDS:.0f} ms against {theirs['seconds'] * MILLISECONDS:.0f},"
        f" {ours['mebibytes']:.0f} MiB against {theirs['mebibytes']:.0f}"
    )
    goals = [
        verdict(f"  {what}, ratio to transformers", ours[key] / theirs[key], GOAL)
        for what, key in (("time", "seconds"), ("memory", "mebibytes"))
    ]
    return all(goals)


def _project(name: str, work: Path) -> Path:
    """Writes the project of a variant anew."""
    project = work / name
    shutil.rmtree(project, ignore_errors=True)
    project.parent.mkdir(parents=True, exist_ok=True)
    answers = {**SHAPE, **VARIANTS[name], "project.package": PACKAGE}
    sets = [f"--set={key}={value}" for key, value in answers.items()]
    subprocess.run(
        [sys.executable, "-m", "scaffold", "new", str(project), "--defaults", *sets],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return project


def _measure(whose: str, name: str, project: Path, steps: int) -> dict[str, float]:
    """Runs ``one_step.py``, which prints what it measured."""
    script = Path(__file__).with_name("one_step.py")
    result = subprocess.run(
        [sys.executable, "-P", str(script), whose, name, str(steps)],
        env={**os.environ, "PYTHONPATH": str(project / "src")},
        stdout=subprocess.PIPE,
        check=True,
    )
    measured: dict[str, float] = json.loads(result.stdout)
    return measured
