"""A new variant is one folder: with it, and no other edit, the variant is there everywhere."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from rendering import BASES, NAME, Rendering, parse, render_answers, write_tree

from scaffold.alternatives import alternatives
from scaffold.answers import Answer
from scaffold.catalogue import Catalogue, default_roots, read_catalogue
from scaffold.equivalent import equivalent_command
from scaffold.estimates import estimate
from scaffold.keys import known_keys
from scaffold.questions import next_question

AXIS, VARIANT = "feed_forward", "star-relu"
MODULE = "src/tiny_run/model/feed_forward.py"
TEST = "tests/test_star_relu.py"
SUMMARY = '''\
"""Two projections with StarReLU between them.

# {% macro summary() %}
- Feed-forward network with StarReLU (arXiv:2210.13452).
# {% endmacro %}
"""
'''
FOLDER = {
    "part.yaml": """\
title: StarReLU
help: Two projections with a shifted square of ReLU between them.
reason: A squared ReLU, shifted and scaled to a mean of 0 and a variance of 1.
source: https://arxiv.org/abs/2210.13452
order: 90
options:
  hidden_dim:
    type: int
    default: "= 4 * dim"
    minimum: 1
    maximum: 1048576
    help: inner width
    reason: 4 times the width, as usual
estimates:
  parameters: n_layers * 2 * dim * hidden_dim
  flops_per_token: n_layers * 4 * dim * hidden_dim
  activation_bytes_per_token: n_layers * activation_bytes_per_value * (dim + 4 * hidden_dim)
""",
    "files/src/package/model/feed_forward.py": '''\
"""The feed-forward network: two layers with StarReLU (https://arxiv.org/abs/2210.13452)."""

import torch.nn.functional as F
from torch import Tensor, nn

from .hyperparameters import ModelConfig


class FeedForward(nn.Module):
    """``w2(0.8944 relu(w1 x) ** 2 - 0.4472)`` for every token."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.w1 = nn.Linear(config.dim, config.hidden_dim, bias=False)
        self.w2 = nn.Linear(config.hidden_dim, config.dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """x (..., dim) -> (..., dim)."""
        out: Tensor = self.w2(0.8944 * F.relu(self.w1(x)).square() - 0.4472)
        return out
''',
    "files/tests/test_star_relu.py": '''\
"""The feed-forward network against its formula."""

import torch
from package.model import ModelConfig
from package.model.feed_forward import FeedForward


@torch.no_grad()
def test_values_are_cut_squared_and_shifted(model_config: ModelConfig) -> None:
    network = FeedForward(model_config)
    x = torch.ones(3, model_config.dim)
    hidden = (x @ network.w1.weight.mT).clamp(min=0)
    expected = (0.8944 * hidden * hidden - 0.4472) @ network.w2.weight.mT
    torch.testing.assert_close(network(x), expected)
''',
    "fragments/hyperparameters.py": '''\
"""One more width."""


class ModelConfig:
    # {% macro fields() %}
    hidden_dim: int = {{design.feed_forward.hidden_dim}}  # inner width of the feed-forward network
    # {% endmacro %}
''',
    "fragments/conftest.py": '''\
"""Narrow."""


def model_config():
    return dict(
        # {% macro tiny() %}
        hidden_dim=48,
        # {% endmacro %}
    )
''',
    "fragments/__init__.py": SUMMARY,
    "fragments/vit.py": SUMMARY,
}


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    """The tool's own templates and one folder."""
    root = tmp_path_factory.mktemp("pack")
    for path, text in FOLDER.items():
        file = root / "parts" / AXIS / VARIANT / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return read_catalogue(*default_roots(), root)


@pytest.fixture(scope="module", params=list(BASES))
def rendering(request: pytest.FixtureRequest, extended: Catalogue) -> Rendering:
    """A project of either task with the new variant."""
    return render_answers(extended, {**BASES[request.param], AXIS: VARIANT})


def test_it_is_offered(extended: Catalogue) -> None:
    answers = {"task": Answer("language-model", "asked")}
    asked = []
    while (question := next_question(extended, answers)) is not None:
        asked.append(question)
        answers[question.key] = Answer(question.recommended, "asked")
    (question,) = [question for question in asked if question.key == AXIS]
    (choice,) = [choice for choice in question.choices if choice.value == VARIANT]
    assert (choice.title, choice.disabled_because) == ("StarReLU", None)
    assert question.recommended != VARIANT  # it comes last: a default is not changed by a folder


def test_it_is_explained(extended: Catalogue) -> None:
    given = {
        "project.name": Answer(NAME, "default"),
        "task": Answer("language-model", "flag"),
    }
    design = parse(extended, {key: answer.value for key, answer in given.items()})
    found = {item.variant: item for item in alternatives(extended, design, given, AXIS)}
    assert found[VARIANT].impossible_because is None
    assert "training_bytes" in found[VARIANT].numbers
    changed = dict((path, sign) for sign, path in found[VARIANT].files)
    assert (changed[MODULE], changed[TEST]) == ("~", "+")
    assert "src/tiny_run/train.py" not in changed


def test_it_is_in_the_plan(rendering: Rendering) -> None:
    owners = {file.path: file.owner for file in rendering.plan.files}
    assert owners[MODULE] == owners[TEST] == f"{AXIS}/{VARIANT}"
    assert [item.value for item in rendering.plan.decisions if item.name == AXIS] == [VARIANT]


def test_it_is_in_the_output(rendering: Rendering) -> None:
    texts = rendering.texts()
    assert ".square()" in texts[MODULE]
    assert "  variant: star-relu" in texts["scaffold.yaml"]
    others = "or swiglu, gelu, gelu-tanh, geglu, geglu-tanh, squared-relu"
    assert others in texts["scaffold.yaml"]
    assert "StarReLU" in texts["README.md"]
    assert "A squared ReLU, shifted and scaled" in texts["DESIGN.md"]
    width = f"hidden_dim: int = {4 * int(rendering.design.values['dim'])}"
    assert width in texts["src/tiny_run/model/hyperparameters.py"]
    assert sum("(arXiv:2210.13452)" in text for text in texts.values()) == 1


def test_it_is_in_the_estimates(extended: Catalogue) -> None:
    given = {**BASES["language model"], f"{AXIS}.hidden_dim": 512}
    numbers = {
        variant: estimate(extended, parse(extended, {**given, AXIS: variant}))
        for variant in (VARIANT, "gelu", "swiglu")
    }
    assert numbers[VARIANT].parameters == numbers["gelu"].parameters
    assert numbers[VARIANT].parameters < numbers["swiglu"].parameters
    assert numbers[VARIANT].activation_bytes > numbers["gelu"].activation_bytes


def test_it_can_be_asked_for_by_name(extended: Catalogue) -> None:
    design = parse(extended, {**BASES["language model"], AXIS: VARIANT})
    assert f"{AXIS}.hidden_dim" in known_keys(extended)
    named = {"project.name": Answer(NAME, "default")}
    assert f"--set {AXIS}={VARIANT}" in equivalent_command(extended, design, named, NAME)


def test_its_project_passes_its_model_tests(rendering: Rendering, tmp_path: Path) -> None:
    write_tree(rendering.tree, tmp_path)
    result = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "tests/test_model.py",
            TEST,
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert " passed" in result.stdout


def test_its_project_passes_lint(rendering: Rendering, tmp_path: Path) -> None:
    write_tree(rendering.tree, tmp_path)
    for command in (["check"], ["format", "--check"]):
        result = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--no-cache", "."],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, result.stdout
