"""Presets: named answers that are complete enough to make a project without a question.

A preset is a YAML file of answers with one block more::

    preset:
      title: what it makes, in a few words
      help: one line on when to take it
    task: language-model
    training: {variant: fixed-steps, steps: 500}
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from scaffold.answer_file import FileAnswers, parse_answer_text, read_answer_file
from scaffold.errors import DesignError, Problem, TemplateError
from scaffold.keys import shown

TITLE = "preset.title"
HELP = "preset.help"


@dataclass(frozen=True)
class Preset:
    """Named answers, by flat key, as text."""

    name: str
    title: str
    help: str
    answers: Mapping[str, str]


def presets_root() -> Path:
    """The presets that belong to this tool: inside the wheel, or beside src/ in a checkout."""
    package = Path(__file__).resolve().parent
    for root in (package / "presets", package.parent.parent / "presets"):
        if root.is_dir():
            return root
    raise TemplateError(f"no presets found beside {package}: reinstall the tool")


def read_presets(root: Path) -> tuple[Preset, ...]:
    """All presets under ``root``, by name; raises TemplateError naming the file that is wrong."""
    return tuple(read_preset(path) for path in sorted(root.glob("*.yaml")))


def read_preset(path: Path) -> Preset:
    """One preset; raises TemplateError where the file is not one."""
    return _preset(path, read_answer_file(path, "--preset"))


def preset_from(text: str, path: Path) -> Preset:
    """The preset in the text of a file; raises TemplateError where it is none."""
    return _preset(path, parse_answer_text(text, "--preset", path))


def _preset(path: Path, found: FileAnswers) -> Preset:
    if found.problems:
        raise TemplateError(f"{path}: {found.problems[0]}")
    values = dict(found.values)
    texts = {key: values.pop(key, "") for key in (TITLE, HELP)}
    for key, text in texts.items():
        if not text:
            raise TemplateError(f"{path}: {key} is missing")
    return Preset(path.stem, texts[TITLE], texts[HELP], values)


def find_preset(root: Path, name: str, more: Sequence[Preset] = ()) -> Preset:
    """The preset called ``name``, of ``more`` first; raises DesignError naming those there are."""
    others = {preset.name: preset for preset in more}
    if name in others:
        return others[name]
    names = sorted({*others, *(path.stem for path in root.glob("*.yaml"))})
    if name not in names:
        near = get_close_matches(name, names, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else "`scaffold presets` lists them"
        rule = f"there is no such preset ({', '.join(names)})"
        raise DesignError([Problem("--preset", shown(name), rule, hint)])
    return read_preset(root / f"{name}.yaml")
