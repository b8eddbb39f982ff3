"""What to ask next, and what may be answered: pure functions of the catalogue and the answers.

A terminal, a web page and a test are equally good screens over this module.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from scaffold.answers import Answer, Answers
from scaffold.catalogue import Catalogue
from scaffold.completion import complete
from scaffold.dead_ends import disabled_because
from scaffold.decisions import with_notes
from scaffold.design import Design, Value
from scaffold.errors import DesignError, Problem
from scaffold.keys import shown
from scaffold.parse import parse_design
from scaffold.parts import Axis, Option
from scaffold.recommend import SPREADING, advice_for
from scaffold.scalars import expected, permitted
from scaffold.variants import Variants

ASKED = "asked"


@dataclass(frozen=True)
class QuestionChoice:
    """One answer that a question offers; a disabled one says why it cannot be chosen now."""

    value: Value
    title: str
    help: str
    disabled_because: str | None


@dataclass(frozen=True)
class Question:
    """One question with its recommended answer and the reason for it.

    ``choices`` is empty for the kind ``value``, where the answer is typed.
    """

    key: str
    title: str
    help: str
    choices: tuple[QuestionChoice, ...]
    recommended: Value
    because: str
    kind: Literal["choice", "value"]


def next_question(catalogue: Catalogue, answers: Answers) -> Question | None:
    """The first question, in the order of the axes, that the answers leave open; None at the end.

    An axis with a single possible variant is not asked. The options of a part that are worth a
    question (``ask`` in its declaration) follow their axis. Raises DesignError where the answers
    contradict each other.
    """
    design = parse_design(catalogue, answers)
    for choice in design:
        axis = catalogue.axes[choice.axis]
        if axis.name not in answers:
            question = _axis_question(catalogue, axis, _variants(catalogue, answers))
            if question is not None:
                return _advised(catalogue, design, question)
        for option in axis.parts[choice.variant].options_of(choice):
            is_open = option.ask and len(permitted(option)) != 1
            if is_open and f"{axis.name}.{option.name}" not in answers:
                return _option_question(axis.name, option, design)
    return None


def missing_answers(catalogue: Catalogue, answers: Answers) -> Iterator[Problem]:
    """One problem for each axis that has more than one possible variant and no answer."""
    settled = _variants(catalogue, answers)
    for name in complete(catalogue, settled) or {}:
        question = _axis_question(catalogue, catalogue.axes[name], settled)
        if question is not None and name not in answers:
            offered = [str(choice.value) for choice in question.choices if _is_open(choice)]
            rule = f"it is not answered ({' or '.join(offered)})"
            fix = f"add --set {name}={question.recommended}, or --defaults for all that is open"
            yield Problem(name, "(missing)", rule, fix)


def refusal(catalogue: Catalogue, answers: Answers, key: str, value: Value) -> Problem | None:
    """Why ``value`` cannot be the answer for ``key`` beside the other answers; None if it can."""
    try:
        parse_design(catalogue, {**answers, key: Answer(value, ASKED)})
    except DesignError as error:
        return error.problems[0]
    return None


def prune(catalogue: Catalogue, answers: Answers) -> dict[str, Answer]:
    """The answers that still hold, in order, after an early one was changed."""
    kept: dict[str, Answer] = {}
    for key, answer in answers.items():
        if refusal(catalogue, kept, key, answer.value) is None:
            kept[key] = answer
    return kept


def _variants(catalogue: Catalogue, answers: Answers) -> dict[str, str]:
    """The variants that the answers name, without those that do not exist or do not fit."""
    chosen: dict[str, str] = {}
    for axis in catalogue.axes.values():
        variant = str(answers[axis.name].value) if axis.name in answers else ""
        if variant in axis.parts and not disabled_because(catalogue, axis.name, variant, chosen):
            chosen[axis.name] = variant
    return chosen


def _axis_question(catalogue: Catalogue, axis: Axis, settled: Variants) -> Question | None:
    """The question of an axis; None where there is nothing to choose."""
    beside = {name: variant for name, variant in settled.items() if name != axis.name}
    choices = [
        QuestionChoice(
            part.variant,
            part.title,
            part.help,
            disabled_because(catalogue, axis.name, part.variant, beside),
        )
        for part in axis.parts.values()
    ]
    possible = [choice for choice in choices if _is_open(choice)]
    if len(possible) <= 1:
        return None
    part = axis.parts[str(possible[0].value)]
    return Question(
        key=axis.name,
        title=axis.question,
        help=axis.title,
        choices=tuple(choices),
        recommended=part.variant,
        because=with_notes(part.reason or part.help, axis.rulings),
        kind="choice",
    )


def _advised(catalogue: Catalogue, design: Design, question: Question) -> Question:
    """The question with what the hardware recommends, where it is known and that can be chosen."""
    advice = advice_for(catalogue, design) if question.key in SPREADING else None
    variant = advice.chosen.choices.get(question.key) if advice else None
    if advice is None or variant not in [it.value for it in question.choices if _is_open(it)]:
        return question
    return replace(question, recommended=str(variant), because=" ".join(advice.lines()))


def _option_question(axis: str, option: Option, design: Design) -> Question:
    values = permitted(option) or ((True, False) if option.type == "bool" else ())
    return Question(
        key=f"{axis}.{option.name}",
        title=f"{option.help[:1].upper()}{option.help[1:]} ({option.name})?",
        help=expected(option),
        choices=tuple(QuestionChoice(value, shown(value), "", None) for value in values),
        recommended=design.values[option.name],
        because=with_notes(option.reason or option.help, option.rulings),
        kind="choice" if values else "value",
    )


def _is_open(choice: QuestionChoice) -> bool:
    return choice.disabled_because is None
