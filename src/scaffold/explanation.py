"""What there is to say about one key of a design: an axis, an option or a derived number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scaffold.alternatives import Alternative, alternatives
from scaffold.answers import Answers
from scaffold.catalogue import Catalogue
from scaffold.decisions import DERIVED, Decision, decide
from scaffold.design import Design
from scaffold.errors import DesignError, Problem
from scaffold.keys import PROJECT_KEYS, canonical, known_keys, shown, unknown_key
from scaffold.parts import Option, Part
from scaffold.recommend import SPREADING, advice_for
from scaffold.rules import fill
from scaffold.scalars import expected

PROJECT_MEANINGS = dict(
    zip(
        PROJECT_KEYS,
        ("What people and pip call it.", "What `import` calls it.", "What it is, in one line."),
        strict=True,
    )
)


@dataclass(frozen=True)
class Explanation:
    """A decision, what may stand in its place, and further facts by name (limits, rules, use)."""

    decision: Decision
    facts: Mapping[str, str]
    alternatives: tuple[Alternative, ...]


def explain(catalogue: Catalogue, design: Design, answers: Answers, key: str) -> Explanation:
    """The explanation of ``key``; raises DesignError where the design has no such key."""
    key = canonical(key)
    made = {decision.name: decision for decision in decide(catalogue, design)}
    if key in design.choices:
        others = tuple(alternatives(catalogue, design, answers, key))
        facts = {"question": catalogue.axes[key].question}
        advice = advice_for(catalogue, design) if key in SPREADING else None
        if advice is not None:
            facts |= {f"level {number}": line for number, line in enumerate(advice.lines(), 1)}
        return Explanation(made[key], facts, others)
    for choice in design:
        part = catalogue.axes[choice.axis].parts[choice.variant]
        for option in part.options_of(choice):
            if key in (option.name, f"{choice.axis}.{option.name}"):
                return _explain_option(design, part, option, made)
        if key in part.derived:
            formula = part.derived[key]
            decision = Decision(key, design.values[key], formula, part.source, DERIVED)
            return Explanation(decision, {}, ())
    if key in made:
        return Explanation(made[key], {}, ())
    if key in PROJECT_KEYS:
        value = getattr(design.project, key.partition(".")[2])
        named = Decision(key, value, PROJECT_MEANINGS[key], "", design.origins[key])
        return Explanation(named, {}, ())
    raise DesignError([_no_such_key(catalogue, design, key, list(made))])


def further_options(
    catalogue: Catalogue, design: Design, decisions: Sequence[Decision]
) -> tuple[Decision, ...]:
    """The options of the design that are no decisions, since nobody need think of them."""
    told = {decision.name for decision in decisions}
    pairs = [(catalogue.axes[choice.axis].parts[choice.variant], choice) for choice in design]
    plain = [
        _plain(design, part, option) for part, choice in pairs for option in part.options_of(choice)
    ]
    return tuple(decision for decision in plain if decision.name not in told)


def _plain(design: Design, part: Part, option: Option) -> Decision:
    key = f"{part.axis}.{option.name}"
    because = option.reason or option.help
    return Decision(key, design.values[option.name], because, part.source, design.origins[key])


def _explain_option(
    design: Design, part: Part, option: Option, made: Mapping[str, Decision]
) -> Explanation:
    key = f"{part.axis}.{option.name}"
    facts = {
        "meaning": option.help,
        "accepts": expected(option),
        "default": shown(option.default).removeprefix("= "),
        "stands in": f"configs/train.yaml, {option.config}" if option.config else "the code",
    }
    for rule in part.rules:
        if key in rule.keys:
            facts[f"rule {rule.id}"] = f"{rule.check} (else: {fill(rule.fix, design.values)})"
    return Explanation(made.get(key, _plain(design, part, option)), facts, ())


def _no_such_key(catalogue: Catalogue, design: Design, key: str, derived: list[str]) -> Problem:
    axis = key.partition(".")[0]
    if key in known_keys(catalogue) and axis in catalogue.axes:
        if axis not in design.choices:
            return Problem(key, "(none)", f"this design has no {axis}", "explain another design")
        rule = f"{axis} = {design[axis].variant} has no such option"
        return Problem(key, "(none)", rule, f"choose another variant with --set {axis}=...")
    known = [*design.choices, *design.origins, *design.values, *derived]
    return unknown_key(key, "(none)", known, catalogue.migrations)
