"""Turns answers into a Design, or says everything that is wrong with them at once."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from scaffold.answers import PRESET, Answer, Answers
from scaffold.catalogue import Catalogue
from scaffold.completion import complete
from scaffold.dead_ends import dead_end, disabled_because
from scaffold.design import Choice, Design, Project, Value
from scaffold.errors import DesignError, Problem
from scaffold.expressions import EvaluationError
from scaffold.keys import PROJECT_KEYS, canonical, known_keys, shown, unknown_key
from scaffold.naming import name_problems, package_from, package_problems
from scaffold.parts import Part, Rule
from scaffold.recommend import advised
from scaffold.rules import rule_problem
from scaffold.rulings import locked, notes, refusal
from scaffold.scalars import RefusedValueError, given_text, is_readable, one_of, parse_value
from scaffold.values import Settled, inputs, settle
from scaffold.variants import clash, fitted

DEFAULT_NAME = "experiment"


def parse_design(
    catalogue: Catalogue, answers: Answers, problems: Sequence[Problem] = ()
) -> Design:
    """The design that the answers describe; what they leave open takes its default.

    A default that contradicts an answer moves to a value that does not; how the training is spread
    follows from the hardware, where that is known. Raises DesignError with all ``problems`` (found
    before, by the reader) and all that are found here.
    """
    answers = {canonical(key): answer for key, answer in answers.items()}
    design = _parse(catalogue, answers, problems)
    answered = {key.partition(".")[0] for key in answers}
    advice = {
        key: Answer(value, "default")
        for key, value in advised(catalogue, design).items()
        if key.partition(".")[0] not in answered and not _is_chosen(design, key, value)
    }
    try:
        return _parse(catalogue, {**answers, **advice}, problems) if advice else design
    except DesignError:  # what is answered does not go with it
        return design


def _is_chosen(design: Design, axis: str, variant: str) -> bool:
    return axis in design.choices and design[axis].variant == variant


def _parse(catalogue: Catalogue, answers: Answers, problems: Sequence[Problem]) -> Design:
    found = list(problems)
    answers = _without_overruled(catalogue, answers)
    known = known_keys(catalogue)
    found += [
        unknown_key(key, answers[key].value, known, catalogue.migrations)
        for key in answers
        if key not in known
    ]
    chosen = _read_variants(catalogue, answers, found)
    implied = _implied_variants(catalogue, answers, chosen)
    chosen |= implied
    variants = complete(catalogue, chosen)
    if variants is None:
        variants = complete(catalogue, {}) or {}
        found.append(_nothing_fits(catalogue, chosen))
    parts = [
        fitted(catalogue.axes[axis].parts[variant], variants) for axis, variant in variants.items()
    ]
    refused: set[str] = set()
    given = _read_options(catalogue, parts, answers, found, refused)
    project = _read_project(catalogue, parts, answers, found)
    settled = _settle(parts, given, found)
    for rule in settled.broken:
        if not refused.intersection(rule.keys):
            problem = rule_problem(rule, settled.values, given, inputs(parts, rule.check))
            found.append(_with_rulings(parts, rule, problem))
    if found:
        raise DesignError(list(dict.fromkeys(found)))
    return _design(parts, project, settled, _origins(answers, {*implied, *settled.moved}))


def _without_overruled(catalogue: Catalogue, answers: Answers) -> Answers:
    """The answers without those of a preset that teams refuse: what they rule stands above it.

    With a variant go its options, which were chosen for it.
    """
    overruled = [
        key
        for key, answer in answers.items()
        if answer.origin == PRESET and _is_overruled(catalogue, key, answer.value)
    ]
    return {
        key: answer
        for key, answer in answers.items()
        if answer.origin != PRESET
        or (key not in overruled and key.partition(".")[0] not in overruled)
    }


def _is_overruled(catalogue: Catalogue, key: str, raw: Value) -> bool:
    axis_name, _, name = key.partition(".")
    axis = catalogue.axes.get(axis_name)
    if axis is None:
        return False
    if not name:
        return raw in axis.parts and refusal(axis.rulings, raw) is not None
    options = [part.options[name] for part in axis.parts.values() if name in part.options]
    return any(
        is_readable(replace(option, rulings=()), raw) and not is_readable(option, raw)
        for option in options
    )


def _with_rulings(parts: Sequence[Part], rule: Rule, problem: Problem) -> Problem:
    """The problem of a broken rule with what teams rule about the values in it."""
    told = [
        f"{part.axis}.{name}: {notes(option.rulings)}"
        for part in parts
        for name, option in part.options.items()
        if f"{part.axis}.{name}" in rule.keys and locked(option.rulings)
    ]
    return replace(problem, rule=f"{problem.rule} ({' '.join(told)})") if told else problem


def _origins(answers: Answers, moved: Collection[str]) -> dict[str, str]:
    """Where the values came from that are not at their default."""
    return {**dict.fromkeys(moved, "moved"), **{key: answers[key].origin for key in answers}}


def _design(
    parts: Sequence[Part], project: Project, settled: Settled, changed: Mapping[str, str]
) -> Design:
    choices = {}
    origins = {key: changed.get(key, "default") for key in PROJECT_KEYS}
    for part in parts:
        options = {name: settled.values[name] for name in part.options}
        choices[part.axis] = Choice(part.axis, part.variant, options)
        for key in (part.axis, *(f"{part.axis}.{name}" for name in options)):
            origins[key] = changed.get(key, "default")
    return Design(project, choices, settled.values, origins)


def _read_variants(
    catalogue: Catalogue, answers: Answers, problems: list[Problem]
) -> dict[str, str]:
    """The variants that the answers name; of two that clash only the first is kept."""
    chosen: dict[str, str] = {}
    for axis in catalogue.axes.values():
        if axis.name not in answers:
            continue
        raw = answers[axis.name].value
        try:
            variant = one_of(list(axis.parts), raw)
            ruling = refusal(axis.rulings, variant)
            if ruling is not None:
                raise RefusedValueError(ruling.rule, ruling.fix)
            chosen[axis.name] = variant
        except RefusedValueError as error:
            problems.append(Problem(axis.name, shown(raw), error.rule, error.fix))
    for one, two in combinations(list(chosen.items()), 2):
        reason = clash(catalogue, one, two)
        if reason is not None:
            rule = f"it does not go with {one[0]} = {one[1]}: {reason}"
            problems.append(Problem(two[0], two[1], rule, f"change {two[0]} or {one[0]}"))
            chosen.pop(two[0], None)
    return chosen


def _implied_variants(
    catalogue: Catalogue, answers: Answers, chosen: Mapping[str, str]
) -> dict[str, str]:
    """The variants of open axes that move since an answer sets an option that the default lacks."""
    implied: dict[str, str] = {}
    for axis in catalogue.axes.values():
        names = {key.partition(".")[2] for key in answers if key.startswith(f"{axis.name}.")}
        names &= {name for part in axis.parts.values() for name in part.options}
        if axis.name in answers or not names:
            continue
        settled = {**chosen, **implied}
        default = (complete(catalogue, settled) or {}).get(axis.name)
        if default is not None and names <= axis.parts[default].options.keys():
            continue
        for variant, part in axis.parts.items():
            is_open = disabled_because(catalogue, axis.name, variant, settled) is None
            if is_open and names <= part.options.keys():
                implied[axis.name] = variant
                break
    return implied


def _nothing_fits(catalogue: Catalogue, chosen: Mapping[str, str]) -> Problem:
    keys = list(chosen)
    text = ", ".join(f"{axis} = {variant}" for axis, variant in chosen.items())
    why = dead_end(catalogue, chosen)
    rule = f"no design has {text}{f': {why}' if why else ''}"
    return Problem(keys[-1], chosen[keys[-1]], rule, "change one of them")


def _read_options(
    catalogue: Catalogue,
    parts: Sequence[Part],
    answers: Answers,
    problems: list[Problem],
    refused: set[str],
) -> dict[str, Value]:
    """The options' values that the answers give; keys of unusable ones go to ``refused``."""
    by_axis = {part.axis: part for part in parts}
    given: dict[str, Value] = {}
    for key in known_keys(catalogue):
        axis, _, name = key.partition(".")
        if key not in answers or key in PROJECT_KEYS or not name:
            continue
        raw = answers[key].value
        part = by_axis.get(axis)
        try:
            if part is None:
                raise RefusedValueError(f"this design has no {axis}", "leave it out")
            if name not in part.options:
                raise _belongs_elsewhere(catalogue, parts, part, name)
            given[key] = parse_value(part.options[name], raw)
        except RefusedValueError as error:
            refused.add(key)
            problems.append(Problem(key, shown(raw), error.rule, error.fix))
    return given


def _belongs_elsewhere(
    catalogue: Catalogue, parts: Sequence[Part], part: Part, name: str
) -> RefusedValueError:
    option = catalogue.axes[part.axis].parts[part.variant].options.get(name)
    if option is not None:
        why = [
            f"{other.axis} = {other.variant}"
            for other in parts
            if other.variant in option.unless.get(other.axis, ())
        ]
        return RefusedValueError(f"does not exist with {' and '.join(why)}", "leave it out")
    owners = [
        variant
        for variant, other in catalogue.axes[part.axis].parts.items()
        if name in other.options
    ]
    return RefusedValueError(
        f"{part.axis} = {part.variant} has no such option",
        f"leave it out, or choose {part.axis} = {' or '.join(owners)}",
    )


def _read_project(
    catalogue: Catalogue, parts: Sequence[Part], answers: Answers, problems: list[Problem]
) -> Project:
    texts: dict[str, str] = {}
    for key in PROJECT_KEYS:
        if key in answers:
            try:
                texts[key] = given_text(answers[key].value)
            except RefusedValueError as error:
                problems.append(Problem(key, shown(answers[key].value), error.rule, error.fix))
    name = texts.get("project.name") or DEFAULT_NAME
    package = texts.get("project.package") or package_from(name)
    problems.extend(name_problems(catalogue, name))
    if "project.package" in texts or not list(name_problems(catalogue, name)):
        problems.extend(package_problems(catalogue, package))
    description = texts.get("project.description") or default_description(parts)
    return Project(name, package, description)


def default_description(parts: Sequence[Part]) -> str:
    """What a project is said to be where nobody says it: what the first axis, the task, is."""
    task = parts[0].title[:1].upper() + parts[0].title[1:] if parts else "A model"
    return f"{task}, trained with PyTorch."


def _settle(parts: Sequence[Part], given: Mapping[str, Value], problems: list[Problem]) -> Settled:
    try:
        return settle(parts, given)
    except EvaluationError as error:
        # The key that was given last is what the user would change first.
        key = list(given)[-1] if given else "design"
        rule = f"a value cannot be worked out from it: {error}"
        problems.append(Problem(key, shown(given.get(key, "default")), rule, "change it"))
        return Settled({}, {}, ())
