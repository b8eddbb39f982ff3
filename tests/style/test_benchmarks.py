"""The benchmarks can be started; what they measure is in docs/benchmarks.md."""

import math
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from benchmarks.__main__ import BENCHMARKS
from benchmarks.measure import interleaved, median_text, verdict
from benchmarks.ngram import ThreeGram


def run(repository: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *words],
        cwd=repository,
        env={**os.environ, "PYTHONPATH": str(repository / "src")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_help_names_every_benchmark(repository: Path) -> None:
    result = run(repository, "--help")
    assert result.returncode == 0, result.stderr
    assert all(name in result.stdout for name in BENCHMARKS)


def test_a_benchmark_runs(repository: Path) -> None:
    result = run(repository, "render", "--rounds", "1", "--preset", "digits-vit")
    assert result.returncode in (0, 1), result.stderr  # 1: a goal is missed, as on a busy machine
    assert "answers to tree, milliseconds" in result.stdout


def test_rounds_are_interleaved_after_one_to_warm_up() -> None:
    calls: list[str] = []
    times = interleaved({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, 2)
    assert calls == ["a", "b"] * 3
    assert [len(each.wall) for each in times.values()] == [2, 2]
    assert [len(each.cpu) for each in times.values()] == [2, 2]


def test_a_verdict_says_whether_the_goal_is_met(capsys: pytest.CaptureFixture[str]) -> None:
    assert verdict("ratio", 0.5, 0.6)
    assert not verdict("ratio", 0.7, 0.6)
    assert capsys.readouterr().out.count("MISSED") == 1
    assert median_text([0.1, 0.3, 0.2]) == "200 ms (100 to 300)"


def test_the_three_gram_is_that_of_the_formula() -> None:
    train, text = b"the theme of the thesis", b"the thief"
    found = ThreeGram(np.frombuffer(train, np.uint8)).losses(np.frombuffer(text, np.uint8))
    for place in range(2, len(text)):
        chance = 1 / 256
        for order in range(3):
            context = text[place - order : place]
            followers = Counter(
                train[i] for i in range(order, len(train)) if train[i - order : i] == context
            )
            kinds, total = len(followers), followers.total()
            if total:
                chance = (followers[text[place]] + kinds * chance) / (total + kinds)
        assert found[place - 2] == pytest.approx(-math.log(chance))
