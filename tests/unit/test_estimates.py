"""Estimates: the sums of what parts declare, with their units and formulas."""

from pathlib import Path

import pytest
from toy import FILES, design_of, toy_catalogue

from scaffold.estimates import estimate


def test_sums_what_the_parts_declare(tmp_path: Path) -> None:
    catalogue = toy_catalogue(tmp_path)
    found = estimate(catalogue, design_of(catalogue, task__dim=48, training__micro_batch_size=4))
    parameters = 48 * 48 + 48 * 2
    assert found.parameters == parameters
    assert isinstance(found.parameters, int)
    assert found.flops_per_token == 3 * 2 * 48 * 48
    assert found.parameter_bytes == found.gradient_bytes == 4 * parameters
    assert found.optimizer_bytes == 8 * parameters
    assert found.activation_bytes == 4 * 48 * 256 * 4
    assert found.cache_bytes_per_token == 8 * 48
    assert found.training_bytes == 16 * parameters + found.activation_bytes
    assert found.formulas["parameters"] == "dim * dim + dim * n_groups"
    assert found.formulas["flops_per_token"] == "3 * (2 * dim * dim)"
    assert found.formulas["optimizer_bytes"] == "8 * parameters"


def test_what_an_optimizer_keeps_may_differ_outside_the_layers(tmp_path: Path) -> None:
    optimizer = "optimizer_bytes_per_parameter: '4', optimizer_bytes_per_outer_parameter: '4'"
    parts = {
        "parts/training/steps/part.yaml": FILES["parts/training/steps/part.yaml"].replace(
            'optimizer_bytes_per_parameter: "8"', optimizer
        ),
        "parts/task/words/part.yaml": FILES["parts/task/words/part.yaml"].replace(
            "  flops_per", "  outer_parameters: 10 * dim\n  flops_per"
        ),
    }
    catalogue = toy_catalogue(tmp_path, parts)
    found = estimate(catalogue, design_of(catalogue, task__dim=48))
    assert found.optimizer_bytes == 4 * found.parameters + 4 * 480
    assert found.formulas["optimizer_bytes"] == "4 * parameters + 4 * (10 * dim)"


def test_shards_are_divided_among_devices(tmp_path: Path) -> None:
    text = """title: x
help: x
order: 5
derived: {shard_degree: "3"}
estimates:
  outer_parameters: 10 * dim
  gathered_bytes: 2 * outer_parameters + parameters // n_groups
"""
    catalogue = toy_catalogue(tmp_path, {"parts/launch/x/part.yaml": text})
    found = estimate(catalogue, design_of(catalogue, task__dim=48))
    assert found.parameter_bytes == found.gradient_bytes == 4 * found.parameters // 3
    assert found.optimizer_bytes == 8 * found.parameters // 3
    assert found.gathered_bytes == 2 * 480 + found.parameters // 2
    kept = found.parameter_bytes + found.gradient_bytes + found.optimizer_bytes
    assert found.training_bytes == kept + found.activation_bytes + found.gathered_bytes
    assert found.formulas["parameter_bytes"] == "4 * parameters // shard_degree"
    assert found.formulas["gathered_bytes"] == "2 * (10 * dim) + parameters // n_groups"
    assert found.formulas["training_bytes"].endswith(" + gathered_bytes")


def test_terms_that_are_taken_away_are_written_so(tmp_path: Path) -> None:
    text = "title: x\nhelp: x\norder: 5\nestimates: {parameters: -2 * dim}\n"
    catalogue = toy_catalogue(tmp_path, {"parts/launch/x/part.yaml": text})
    found = estimate(catalogue, design_of(catalogue))
    assert found.formulas["parameters"].endswith(" - 2 * dim")


def test_a_design_without_a_cache_says_so(tmp_path: Path) -> None:
    catalogue = toy_catalogue(tmp_path)
    found = estimate(catalogue, design_of(catalogue, task="pictures"))
    assert found.cache_bytes_per_token is None
    assert found.activation_bytes == 64 * 16 * 32


def test_large_numbers_stay_exact(tmp_path: Path) -> None:
    text = f"title: x\nhelp: x\norder: 5\nestimates: {{parameters: {3**45} + 1}}\n"
    catalogue = toy_catalogue(tmp_path, {"parts/launch/x/part.yaml": text})
    found = estimate(catalogue, design_of(catalogue))
    assert found.parameters == 3**45 + 1 + 384 * 384 + 384 * 2


def test_an_estimate_must_be_a_number(tmp_path: Path) -> None:
    text = "title: x\nhelp: x\norder: 5\nestimates: {parameters: \"'many'\"}\n"
    catalogue = toy_catalogue(tmp_path, {"parts/launch/x/part.yaml": text})
    with pytest.raises(TypeError, match="must be a number"):
        estimate(catalogue, design_of(catalogue))


def test_parameters_that_a_token_does_not_use_are_not_active(tmp_path: Path) -> None:
    part = "parts/task/pictures/part.yaml"
    text = FILES[part].replace("flops_per", "inactive_parameters: 4 * dim, flops_per")
    catalogue = toy_catalogue(tmp_path, {part: text})
    found = estimate(catalogue, design_of(catalogue, task="pictures"))
    assert (found.parameters, found.active_parameters) == (640, 384)
    assert found.formulas["active_parameters"] == "parameters - (4 * dim)"
    words = estimate(catalogue, design_of(catalogue, task="words"))
    assert words.active_parameters is None
