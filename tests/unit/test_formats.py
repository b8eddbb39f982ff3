"""Formats: what is written as YAML must read back as the same value."""

import json
import math
import tomllib

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from omegaconf import OmegaConf

from scaffold.formats import FILTERS, comment, markdown_cell, yaml_block, yaml_scalar

TEXTS = st.text(max_size=20) | st.sampled_from(
    "yes No on OFF null ~ true n 1e5 0x1F 1_000 12:30:45 .inf .5 2024-01-01 = << - * & #x".split()
    + ["", " ", "a # b", "a: b", "é", "\u2028", "\ufeff", "a\nb", "\x7f", "C:\\x", "'", '"']
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS


@given(SCALARS)
def test_a_scalar_reads_back(value: object) -> None:
    for loader in (yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        result = yaml.load(f"key: {yaml_scalar(value)}\n", Loader=loader)["key"]
        assert result == value
        assert type(result) is type(value)


@given(st.dictionaries(TEXTS, SCALARS | st.lists(SCALARS) | st.dictionaries(TEXTS, SCALARS)))
def test_a_block_reads_back(data: dict[str, object]) -> None:
    assert (yaml.safe_load(yaml_block(data)) or {}) == data


@pytest.mark.parametrize("value", [1e-5, 3e-4, 1e16, 1.5e300, 0.1, -0.0, math.inf, -math.inf])
def test_omegaconf_reads_floats_as_floats(value: float) -> None:
    result = OmegaConf.create(f"key: {yaml_scalar(value)}\n").key
    assert result == value
    assert isinstance(result, float)


def test_not_a_number() -> None:
    assert math.isnan(yaml.safe_load(yaml_scalar(math.nan)))


@given(st.text(alphabet=st.characters(blacklist_categories=("Cs", "Cc"))))
def test_toml_and_json_read_back(text: str) -> None:
    assert tomllib.loads(f"key = {FILTERS['toml'](text)}") == {"key": text}
    assert json.loads(FILTERS["json"](text)) == text


def test_texts_for_people() -> None:
    assert markdown_cell("a | b\nc") == "a \\| b c"
    assert comment("one two three", width=12, indent=2) == "  # one two\n  # three"
    assert FILTERS["bytes"](1024) == "1 KiB"
