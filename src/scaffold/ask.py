"""The questions on a terminal: a thin screen over the pure functions of ``questions``."""

import shutil
import textwrap
from collections.abc import Callable, Mapping
from types import MappingProxyType

import questionary
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent, merge_key_bindings

from scaffold.answers import Answer, Answers
from scaffold.catalogue import Catalogue
from scaffold.design import Value
from scaffold.keys import shown
from scaffold.questions import (
    ASKED,
    Question,
    QuestionChoice,
    next_question,
    prune,
    refusal,
)
from scaffold.streams import tell

KEYS = (
    "Enter takes the recommended answer. Arrows choose another, Esc goes back, "
    "Ctrl-C leaves and writes nothing."
)
NO_INSTRUCTION = " "  # instead of questionary's own, which names fewer keys
WIDEST = 100
WRITE, CHANGE, RESTART, LEAVE = "write", "change", "restart", "leave"
REVIEW = {
    WRITE: "Write the project",
    CHANGE: "Change an answer",
    RESTART: "Start again",
    LEAVE: "Leave, and write nothing",
}


class BackError(Exception):
    """The user wants the question before this one."""


def ask_design(
    catalogue: Catalogue,
    named: Answers,
    summarize: Callable[[Answers], str],
    earlier: Mapping[str, Value] = MappingProxyType({}),
) -> dict[str, Answer]:
    """Asks every question, shows the decisions for review, and gives the answers.

    ``named`` are answers that are not asked for, such as the project's name; ``summarize`` shows
    what a set of answers comes to; ``earlier`` is offered where a question was answered before. So
    is an answer of this time that another one hid. Raises KeyboardInterrupt if the user leaves.
    """
    answers: dict[str, Answer] = {}
    offered = dict(earlier)
    _say(KEYS)
    while True:
        question = next_question(catalogue, {**named, **answers})
        try:
            if question is not None:
                value = _put(catalogue, {**named, **answers}, question, offered)
                answers[question.key] = Answer(value, ASKED)
                offered[question.key] = value
                continue
            tell(f"{summarize({**named, **answers})}\n")
            step = _select("Is this what you want?", REVIEW, WRITE)
            if step == WRITE:
                return {**named, **answers}
            answers = _step_back(catalogue, named, answers, step, offered)
            offered = dict(earlier) if step == RESTART else {**offered, **_values(answers)}
        except BackError:
            answers = dict(list(answers.items())[:-1])


def _values(answers: Answers) -> dict[str, Value]:
    return {key: answer.value for key, answer in answers.items()}


def _step_back(
    catalogue: Catalogue,
    named: Answers,
    answers: dict[str, Answer],
    step: str,
    offered: Mapping[str, Value],
) -> dict[str, Answer]:
    """The answers that remain when the user does not want to write yet."""
    if step == LEAVE:
        raise KeyboardInterrupt
    if step == RESTART or not answers:
        return {}
    try:
        titles = {key: f"{key} = {shown(answer.value)}" for key, answer in answers.items()}
        key = _select("Which one?", titles, next(iter(titles)))
        return _change(catalogue, named, answers, key, offered)
    except BackError:
        return answers


def _change(
    catalogue: Catalogue,
    named: Answers,
    answers: dict[str, Answer],
    key: str,
    offered: Mapping[str, Value],
) -> dict[str, Answer]:
    """The answers with one asked again; later ones that no longer hold are left open."""
    keys = list(answers)
    earlier = {**named, **{name: answers[name] for name in keys[: keys.index(key)]}}
    question = next_question(catalogue, earlier)
    if question is None or question.key != key:
        return answers
    value = _put(catalogue, earlier, question, offered)
    changed = {**answers, key: Answer(value, ASKED)}
    return {name: changed[name] for name in prune(catalogue, {**named, **changed}) if name in keys}


def _put(
    catalogue: Catalogue, answers: Answers, question: Question, offered: Mapping[str, Value]
) -> Value:
    """The user's answer to one question, valid beside the others."""
    before = offered.get(question.key, question.recommended)
    is_possible = refusal(catalogue, answers, question.key, before) is None
    start = before if is_possible else question.recommended
    told = "" if shown(start) == shown(question.recommended) else f" Until now: {shown(start)}."
    _say(f"Recommended: {shown(question.recommended)}.{told} {question.because}")
    if question.kind == "choice":
        choices = [
            questionary.Choice(
                title=_title(choice, question),
                description=choice.help or None,
                value=choice.value,
                disabled=choice.disabled_because,
            )
            for choice in question.choices
        ]
        return _run(
            questionary.select(
                question.title,
                choices=choices,
                default=next(c for c in choices if c.value == start),
                instruction=NO_INSTRUCTION,
            )
        )

    def validate(text: str) -> bool | str:
        problem = refusal(catalogue, answers, question.key, text)
        return True if problem is None else f"{problem.rule}; {problem.fix}"

    return _run(
        questionary.text(
            f"{question.title} [{question.help}]",
            default=shown(start),
            validate=validate,
        )
    )


def _select(title: str, titles: Mapping[str, str], default: str) -> str:
    choices = [questionary.Choice(text, value=value) for value, text in titles.items()]
    initial = next(choice for choice in choices if choice.value == default)
    asked = questionary.select(title, choices=choices, default=initial, instruction=NO_INSTRUCTION)
    return str(_run(asked))


def _title(choice: QuestionChoice, question: Question) -> str:
    mark = " (recommended)" if choice.value == question.recommended else ""
    return f"{choice.title}{mark}"


def _say(text: str) -> None:
    """Prints a paragraph, no wider than the terminal."""
    width = min(WIDEST, shutil.get_terminal_size().columns)
    paragraph = textwrap.fill(text, width, break_on_hyphens=False)
    tell(f"\n{paragraph}\n")


def _run(asked: questionary.Question) -> Value:
    """Puts the question; raises KeyboardInterrupt for Ctrl-C and BackError for Esc."""
    keys = KeyBindings()

    @keys.add("escape", eager=True)
    def _(event: KeyPressEvent) -> None:
        event.app.exit(exception=BackError())

    own = asked.application.key_bindings
    asked.application.key_bindings = merge_key_bindings([keys] if own is None else [own, keys])
    answer: Value = asked.unsafe_ask()
    return answer
