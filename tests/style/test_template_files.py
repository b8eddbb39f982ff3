"""Templates are Python that a person can read, format and lint as it stands."""

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scaffold.catalogue import Catalogue
from scaffold.frames import MAX_SLOTS, read_python
from scaffold.sources import Source

STATEMENT = re.compile(r"\{%-?\s*(\w*)")
SLOTS_COMMENT = re.compile(r"# \{# Slots?:(.*?)#\}", re.DOTALL)
# Rules that hold for whole files, as in the output (whose imports are sorted anew), and those that
# hold although slots are unfilled and the text around a macro is scenery: names may be undefined,
# locals and loop variables unused.
WHOLE_FILES = "E,F,B,UP,ARG,ERA,PL"
TAGGED_FILES = "E4,E7,E9,F,B,UP,PLE,PLR5,PLR17,PLW"
UNFILLED = "F821,F841,B007"


def python_sources(catalogue: Catalogue) -> Iterator[Source]:
    """Every Python file of the template tree."""
    for path, source in catalogue.sources.items():
        if path.suffix == ".py":
            yield source


def is_fragment(source: Source) -> bool:
    return "fragments" in source.path.parts


@pytest.fixture(scope="module")
def lint(repository: Path) -> Callable[[str, str, list[Path]], str]:
    """Runs ruff on templates with the repository's settings; returns its findings."""

    def run(command: str, arguments: str, paths: list[Path]) -> str:
        words = [sys.executable, "-m", "ruff", command, "--no-cache", *arguments.split()]
        result = subprocess.run(
            [*words, *map(str, paths)], cwd=repository, capture_output=True, text=True, check=False
        )
        assert result.returncode in (0, 1), result.stderr
        return "" if result.returncode == 0 else result.stdout + result.stderr

    return run


def test_there_are_templates_of_every_kind(catalogue: Catalogue) -> None:
    sources = list(python_sources(catalogue))
    assert any(is_fragment(source) for source in sources)
    assert any(read_python(source).slots for source in sources if not is_fragment(source))
    assert any(not read_python(source).is_tagged for source in sources if not is_fragment(source))


def test_every_template_is_valid_python(catalogue: Catalogue) -> None:
    for source in python_sources(catalogue):
        ast.parse(source.text, filename=str(source.path))


def test_formatting_the_templates_changes_nothing(
    catalogue: Catalogue, lint: Callable[[str, str, list[Path]], str]
) -> None:
    paths = [source.path for source in python_sources(catalogue)]
    assert lint("format", "--check --diff", paths) == ""


def test_whole_files_pass_the_rules_of_the_output(
    catalogue: Catalogue, lint: Callable[[str, str, list[Path]], str]
) -> None:
    paths = [source.path for source in python_sources(catalogue) if not has_tags(source)]
    arguments = f"--select {WHOLE_FILES} --output-format concise"
    tests = [path for path in paths if "tests" in path.relative_to(_root(catalogue)).parts]
    assert lint("check", arguments, [path for path in paths if path not in tests]) == ""
    assert lint("check", f"{arguments} --extend-ignore PLR2004", tests) == ""


def test_frames_and_fragments_pass_the_rules_that_slots_leave_standing(
    catalogue: Catalogue, lint: Callable[[str, str, list[Path]], str]
) -> None:
    paths = [source.path for source in python_sources(catalogue) if has_tags(source)]
    arguments = f"--select {TAGGED_FILES} --ignore {UNFILLED} --output-format concise"
    assert lint("check", arguments, paths) == ""


def test_no_template_in_python_branches(catalogue: Catalogue) -> None:
    allowed = {"print", "macro", "endmacro"}
    for source in python_sources(catalogue):
        used = set(STATEMENT.findall(source.text))
        assert used <= allowed, f"{source.path}: {used - allowed}"


def test_no_data_template_asks_which_variant_was_chosen(catalogue: Catalogue) -> None:
    variants = {variant for axis in catalogue.axes.values() for variant in axis.parts}
    condition = re.compile(r"\{%-?\s*(?:el)?if\b(.*?)%\}|\{\{[^}]*?\bif\b(.*?)\}\}", re.DOTALL)
    for path, source in catalogue.sources.items():
        if path.suffix == ".jinja":
            for match in condition.finditer(source.text):
                words = set(re.findall(r"""["']([\w-]+)["']""", match[1] or match[2]))
                assert not words & variants, f"{path}: {match[0]}"
                assert "variant" not in (match[1] or match[2]), f"{path}: {match[0]}"


def test_a_frame_has_few_slots_and_lists_them_at_its_head(catalogue: Catalogue) -> None:
    problems = []
    for source in python_sources(catalogue):
        slots = [] if is_fragment(source) else [slot.name for slot in read_python(source).slots]
        if len(slots) > MAX_SLOTS:
            problems.append(f"{source.path}: {len(slots)} slots")
        comment = SLOTS_COMMENT.search(source.text)
        listed = set(re.findall(r"\w+", comment[1])) if comment else set()
        # One sentence may speak of each slot at once.
        missing = [] if "each" in listed else [name for name in slots if name not in listed]
        if missing:
            problems.append(f"{source.path}: the comment at the head is silent on {missing}")
    assert not problems, "\n".join(problems)


def has_tags(source: Source) -> bool:
    return is_fragment(source) or read_python(source).is_tagged


def _root(catalogue: Catalogue) -> Path:
    """The template tree that holds ``frames/``."""
    frame = next(iter(catalogue.frames.items()))
    return Path(str(frame[1]).removesuffix(f"/frames/{frame[0]}"))
