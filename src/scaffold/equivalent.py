"""The command line that makes the same project again: what differs from preset and defaults."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scaffold.answers import PRESET, Answer, Answers, Layer, merge
from scaffold.catalogue import Catalogue
from scaffold.design import Design, Value
from scaffold.errors import DesignError
from scaffold.keys import PROJECT_KEYS
from scaffold.parse import parse_design


@dataclass(frozen=True)
class Basis:
    """What a design began with: packs as they were named, a preset and its answers."""

    packs: Sequence[str] = ()
    preset: str = ""
    answers: Mapping[str, str] = field(default_factory=dict)


def equivalent_command(
    catalogue: Catalogue,
    design: Design,
    named: Answers,
    destination: str,
    basis: Basis | None = None,
) -> str:
    """``scaffold new DEST --defaults --set ...``, quoted for the shell; or ``--preset NAME``.

    ``named`` is what the project is called where nobody says so: its keys are left out if equal.
    So are those of the preset that the design began with.
    """
    words = ["scaffold", "new", destination]
    basis = basis or Basis()
    words += [word for pack in basis.packs for word in ("--pack", pack)]
    values = None
    if basis.preset:
        values = _needed(catalogue, design, named, basis.answers)
        words += ["--preset", basis.preset] if values is not None else []
    if values is None:
        words.append("--defaults")
        values = needed_answers(catalogue, design, named)
    for key, value in values.items():
        words += ["--set", f"{key}={flag_text(value.value)}"]
    return shlex.join(words)


def needed_answers(catalogue: Catalogue, design: Design, named: Answers) -> dict[str, Answer]:
    """Few answers that give the same design, found by adding what the defaults get wrong."""
    found = _needed(catalogue, design, named, {})
    return all_answers(design) if found is None else found


def _needed(
    catalogue: Catalogue, design: Design, named: Answers, preset: Mapping[str, str]
) -> dict[str, Answer] | None:
    """The same over a preset; None where a part of the answers does not make a design."""
    full = all_answers(design)
    needed: dict[str, Answer] = {}
    while True:
        try:
            found = parse_design(catalogue, _over(catalogue, {**named, **needed}, preset))
        except DesignError:
            return None
        wrong = _differences(design, found)
        if not wrong:
            return needed
        # One at a time, axes first: most other values follow from it.
        axes = [key for key in wrong if "." not in key]
        added = next((key for key in axes or wrong if key not in needed), None)
        if added is None:
            return None
        needed[added] = full[added]


def _over(catalogue: Catalogue, answers: Answers, preset: Mapping[str, str]) -> Answers:
    """Answers laid over those of a preset, as ``--set`` lays them."""
    if not preset:
        return answers
    flags = {key: flag_text(answer.value) for key, answer in answers.items()}
    return merge(catalogue, [Layer(PRESET, preset), Layer("flag", flags)]).answers


def all_answers(design: Design) -> dict[str, Answer]:
    """Every value of a design as an answer."""
    answers = {}
    for key in PROJECT_KEYS:
        answers[key] = Answer(str(getattr(design.project, key.partition(".")[2])), "flag")
    for choice in design:
        answers[choice.axis] = Answer(choice.variant, "flag")
        for name, value in choice.options.items():
            answers[f"{choice.axis}.{name}"] = Answer(value, "flag")
    return answers


def _differences(wanted: Design, found: Design) -> list[str]:
    """The keys whose values two designs do not share, in order."""
    want = {key: answer.value for key, answer in all_answers(wanted).items()}
    have = {key: answer.value for key, answer in all_answers(found).items()}
    return [key for key in want if key not in have or have[key] != want[key]]


def flag_text(value: Value) -> str:
    """A value as `--set` takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
