"""The command line that makes the same project again: only what differs from the defaults."""

import shlex
from collections.abc import Sequence

from scaffold.answers import Answer, Answers
from scaffold.catalogue import Catalogue
from scaffold.design import Design, Value
from scaffold.errors import DesignError
from scaffold.keys import PROJECT_KEYS
from scaffold.parse import parse_design


def equivalent_command(
    catalogue: Catalogue,
    design: Design,
    named: Answers,
    destination: str,
    packs: Sequence[str] = (),
) -> str:
    """``scaffold new DEST --defaults --set ...``, quoted for the shell.

    ``named`` is what the project is called where nobody says so: its keys are left out if equal.
    """
    words = ["scaffold", "new", destination]
    words += [word for pack in packs for word in ("--pack", pack)]
    words.append("--defaults")
    values = needed_answers(catalogue, design, named)
    for key, value in values.items():
        words += ["--set", f"{key}={flag_text(value.value)}"]
    return shlex.join(words)


def needed_answers(catalogue: Catalogue, design: Design, named: Answers) -> dict[str, Answer]:
    """Few answers that give the same design, found by adding what the defaults get wrong."""
    full = all_answers(design)
    needed = dict(named)
    while True:
        try:
            found = parse_design(catalogue, needed)
        except DesignError:
            return full  # a part of the answers does not make a design
        wrong = _differences(design, found)
        if not wrong:
            return {key: needed[key] for key in needed if needed[key] != named.get(key)}
        # One at a time, axes first: most other values follow from it.
        axes = [key for key in wrong if "." not in key]
        added = next((key for key in axes or wrong if needed.get(key) != full[key]), None)
        if added is None:
            return full
        needed[added] = full[added]


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
