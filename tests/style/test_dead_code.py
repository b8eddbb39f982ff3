"""The output holds nothing for another design: no unused definition, no branch on an option."""

from collections.abc import Mapping
from pathlib import Path

from rendering import Rendering
from syntax import literal_comparisons, unused

from scaffold.catalogue import Catalogue

# Called, read or set by PyTorch and its kin under these very names.
FRAMEWORK = frozenset({"forward", "_apply"})
# Attributes of a library's object that our code only sets.
SET_FOR_LIBRARIES = frozenset({"require_backward_grad_sync"})
# Words with a meaning of their own in run-time values that are free texts otherwise: whose data and
# which device may differ from run to run.
RUN_TIME_WORDS = frozenset({"builtin", "auto"})
# What a project is read back with; the commands that write do not need them.
READERS = frozenset({"read_lock", "read_base"})


def test_every_definition_is_used(covering_set: Mapping[str, Rendering]) -> None:
    found = {
        finding
        for rendering in covering_set.values()
        for finding in unused(
            rendering.texts(rendering.source, ".py"), known=FRAMEWORK | SET_FOR_LIBRARIES
        )
    }
    assert not found, "\n".join(sorted(found))


def test_every_test_fixture_is_used(covering_set: Mapping[str, Rendering]) -> None:
    for title, rendering in covering_set.items():
        tests = rendering.texts("tests/", ".py")
        fixtures = [
            line.split("def ")[1].split("(")[0]
            for line, before in _pairs(tests["tests/conftest.py"])
            if before.startswith("@pytest.fixture") and "autouse" not in before
        ]
        others = "\n".join(tests.values())
        for fixture in fixtures:
            assert others.count(fixture) > 1, f"{title}: {fixture}"


def test_no_config_field_is_held_against_an_option(
    catalogue: Catalogue, covering_set: Mapping[str, Rendering]
) -> None:
    """A field that holds a text selects code by it only if the text is free at run time."""
    words = {variant for axis in catalogue.axes.values() for variant in axis.parts}
    words |= {variant.replace("-", "_") for variant in words}
    for axis in catalogue.axes.values():
        for part in axis.parts.values():
            for option in part.options.values():
                words |= {choice for choice in option.choices if isinstance(choice, str)}
    found = set()
    for rendering in covering_set.values():
        fields = _text_fields(rendering)
        for path, text in rendering.texts(rendering.source, ".py").items():
            for line, name, literal in literal_comparisons(text):
                is_field = "." in name and name.rpartition(".")[2] in fields
                if (is_field and literal not in RUN_TIME_WORDS) or literal in words:
                    found.add(f"{path}:{line}: {name} and {literal!r}")
    assert not found, "\n".join(sorted(found))


def test_a_branch_on_an_option_is_found() -> None:
    text = """
if config.norm == "rms-norm":
    pass
match config.norm:
    case "layer-norm":
        pass
{"adamw": 1, "muon": 2}[config.optimizer]
if kind in ("rope", "learned"):
    pass
"""
    assert sorted(item[1:] for item in literal_comparisons(text)) == [
        ("config.norm", "layer-norm"),
        ("config.norm", "rms-norm"),
        ("config.optimizer", "adamw"),
        ("config.optimizer", "muon"),
        ("kind", "learned"),
        ("kind", "rope"),
    ]


def test_an_unused_definition_is_found() -> None:
    sources = {
        "a.py": "LIMIT = 1\n\ndef used():\n    return other()\n\ndef other():\n    return 2\n",
        "b.py": "from .a import used\n\nclass C:\n    field: int\n\n    def loop(self):\n"
        "        self.x = used()\n        self.loop()\n\nC()\n",
    }
    found = [line.rpartition(" ")[2] for line in unused(sources, known=frozenset())]
    assert sorted(found) == ["LIMIT", "field", "loop", "x"]


def test_the_tool_itself_has_no_unused_definition(repository: Path) -> None:
    root = repository / "src"
    sources = {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(root.rglob("*.py"))
    }
    of_jinja = {"is_safe_attribute", "resolve_or_missing"}  # which it calls
    assert unused(sources, known=READERS | of_jinja | {"run"}) == []


def _text_fields(rendering: Rendering) -> set[str]:
    """The names of run-time values that hold a text."""
    return {
        value.name
        for group in rendering.plan.config
        for value in group.values
        if isinstance(value.value, str)
    }


def _pairs(text: str) -> list[tuple[str, str]]:
    lines = text.splitlines()
    return [
        (line, before) for before, line in zip(lines, lines[1:], strict=False) if "def " in line
    ]
