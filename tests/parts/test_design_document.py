"""The numbers of DESIGN.md follow from the formulas and values that stand beside them."""

import re
from collections.abc import Mapping

import pytest
from rendering import Rendering, render_answers
from twins import OWN, twin_answers

from scaffold.catalogue import Catalogue
from scaffold.design import Value
from scaffold.expressions import evaluate

VALUE = re.compile(r"`(\w+) = ([^`]+)`")
SIZES = re.compile(r"^([\d,]+) parameters(?:, of which a token uses ([\d,]+))?\.", re.MULTILINE)
MEMORY = re.compile(r"^\| ([a-z ]+) \| [^|]+ \| `([^`]+)` \|$", re.MULTILINE)
CACHE = re.compile(r"keeps (\S+ \S+) for each token of the context: `([^`]+)`")
FLOPS = re.compile(r"FLOP in training:\n\n`([^`]+)`")


def values_of(text: str) -> dict[str, Value]:
    """The values that the document names, as numbers."""
    found: dict[str, Value] = {}
    for name, value in VALUE.findall(text):
        number = value.replace(",", "")
        found[name] = float(number) if re.search(r"[.e]", number) else int(number)
    return found


def check(rendering: Rendering) -> None:
    """Work out every formula of the document from its own values."""
    text = rendering.texts()["DESIGN.md"]
    estimates = rendering.plan.estimates
    sizes = SIZES.search(text)
    assert sizes, text
    active = estimates.active_parameters
    assert sizes[1] == f"{estimates.parameters:,}"
    assert sizes[2] == (None if active is None else f"{active:,}")

    known: Mapping[str, Value] = values_of(text)
    flops = FLOPS.search(text)
    assert flops, text
    assert evaluate(flops[1], known) == estimates.flops_per_token
    memory = dict(MEMORY.findall(text))
    assert {"parameters", "gradients", "optimizer state", "activations"} <= memory.keys()
    held = {**known, "parameters": estimates.parameters}
    for row, expected in (
        ("parameters", estimates.parameter_bytes),
        ("gradients", estimates.gradient_bytes),
        ("optimizer state", estimates.optimizer_bytes),
        ("activations", estimates.activation_bytes),
    ):
        assert evaluate(memory[row], held) == expected, row
    gathered = memory.get("gathered shards")
    assert (gathered is None) == (estimates.gathered_bytes is None)
    if gathered is not None:
        assert evaluate(gathered.replace(r"\|", "|"), held) == estimates.gathered_bytes
    cache = CACHE.search(text)
    assert (cache is None) == (estimates.cache_bytes_per_token is None)
    if cache:
        assert evaluate(cache[2], known) == estimates.cache_bytes_per_token


def test_the_numbers_follow_from_the_formulas(covering_set: Mapping[str, Rendering]) -> None:
    for rendering in covering_set.values():
        check(rendering)


@pytest.mark.parametrize("preset", OWN)
def test_the_numbers_of_a_twin_follow_from_the_formulas(catalogue: Catalogue, preset: str) -> None:
    check(render_answers(catalogue, twin_answers(preset)))
