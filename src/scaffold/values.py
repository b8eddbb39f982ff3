"""The values of a design: defaults worked out, and moved where an answer contradicts them."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from scaffold.design import Value
from scaffold.errors import TemplateError
from scaffold.expressions import EvaluationError, evaluate
from scaffold.parts import EXPRESSION_PREFIX, Option, Part, Rule
from scaffold.rules import broken_rules, holds
from scaffold.rulings import refusal
from scaffold.scalars import clamp

IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
COARSEST_STEP = 64  # widths stay multiples of 64 where they can: matrix units like them
STEPS_TRIED = 12  # in each direction, for each size of step
BRANCHES_TRIED = 6


@dataclass(frozen=True)
class Settled:
    """The flat namespace of values, which defaults were moved, and the rules that still break."""

    values: Mapping[str, Value]
    moved: Mapping[str, Value]
    broken: tuple[Rule, ...]


def settle(parts: Collection[Part], given: Mapping[str, Value]) -> Settled:
    """All values of the parts, where ``given`` (by ``axis.option``) is what the user chose.

    A default that breaks a rule moves to a value that keeps all rules: round ones first, then the
    nearest. A given value never moves. Raises EvaluationError where a default has no value.
    """
    fixed = dict(given)
    values = resolve(parts, fixed)
    broken = tuple(broken_rules(parts, values))
    stuck: set[Rule] = set()
    while any(rule not in stuck for rule in broken):
        rule = next(rule for rule in broken if rule not in stuck)
        found = _repair(parts, fixed, rule, set(broken) - {rule}, depth=1)
        if found is None:
            stuck.add(rule)
            continue
        fixed = found
        values = resolve(parts, fixed)
        broken = tuple(broken_rules(parts, values))
    return Settled(values, {key: fixed[key] for key in fixed if key not in given}, broken)


def resolve(parts: Collection[Part], given: Mapping[str, Value]) -> dict[str, Value]:
    """Every option and derived value of the parts, by name; raises EvaluationError."""
    options = {name: (part, option) for part in parts for name, option in part.options.items()}
    derived = {name: text for part in parts for name, text in part.derived.items()}
    values: dict[str, Value] = {}
    open_names: list[str] = []

    def find(name: str) -> None:
        if name in values:
            return
        if name in open_names:
            circle = " -> ".join([*open_names[open_names.index(name) :], name])
            raise TemplateError(f"values are defined by one another: {circle}")
        open_names.append(name)
        text = derived[name] if name in derived else options[name][1].default
        if name in options and _key(*options[name]) in given:
            values[name] = given[_key(*options[name])]
        elif name in derived or isinstance(text, str) and text.startswith(EXPRESSION_PREFIX):
            for other in identifiers(str(text)):
                if other in options or other in derived:
                    find(other)
            value = evaluate(str(text), values)
            values[name] = value if name in derived else _default(*options[name], value)
        else:
            values[name] = _default(*options[name], text)
        open_names.pop()

    for name in (*options, *derived):
        find(name)
    order = [name for part in parts for name in (*part.options, *part.derived)]
    return {name: values[name] for name in order}


@lru_cache(maxsize=4096)
def identifiers(text: str) -> tuple[str, ...]:
    """The words of an expression that may be names of values."""
    return tuple(dict.fromkeys(IDENTIFIER.findall(text)))


def inputs(parts: Collection[Part], text: str) -> set[str]:
    """The names that an expression depends on, also through derived values."""
    derived = {name: formula for part in parts for name, formula in part.derived.items()}
    found: set[str] = set()
    open_texts = [text]
    while open_texts:
        for name in identifiers(open_texts.pop()):
            if name not in found:
                found.add(name)
                open_texts += [derived[name]] if name in derived else []
    return found


def _key(part: Part, option: Option) -> str:
    return f"{part.axis}.{option.name}"


def _default(part: Part, option: Option, value: Value) -> Value:
    """A default of the option's type and within its limits."""
    if option.type == "int" and isinstance(value, float) and value.is_integer():
        value = int(value)
    kinds = {"int": int, "float": int | float, "bool": bool, "str": str}
    if option.type == "choice":
        fits = value in option.choices
    else:
        fits = isinstance(value, kinds[option.type])
    if not fits or isinstance(value, bool) and option.type != "bool":
        raise TemplateError(f"parts/{part.id}: the default of {option.name} is {value!r}")
    return clamp(option, value)


def _repair(
    parts: Collection[Part],
    fixed: Mapping[str, Value],
    rule: Rule,
    allowed: Collection[Rule],
    depth: int,
) -> dict[str, Value] | None:
    """``fixed`` with one more default moved (``depth``: two), so that only ``allowed`` break."""
    unfinished: list[tuple[dict[str, Value], Rule]] = []
    current = resolve(parts, fixed)
    for key, option in _movable(parts, rule, fixed):
        for candidate in candidates(option, current[option.name], _factors(rule, current, option)):
            trial = {**fixed, key: candidate}
            try:
                values = resolve(parts, trial)
            except EvaluationError:
                continue
            if not holds(rule, values):
                continue
            others = [other for other in broken_rules(parts, values) if other not in allowed]
            if not others:
                return trial
            unfinished.append((trial, others[0]))
    if depth > 0:
        for trial, other in unfinished[:BRANCHES_TRIED]:
            found = _repair(parts, trial, other, allowed, depth - 1)
            if found is not None:
                return found
    return None


def _movable(
    parts: Collection[Part], rule: Rule, fixed: Mapping[str, Value]
) -> Iterator[tuple[str, Option]]:
    """The options a rule speaks of that the user left open, the latest first."""
    words = {*(key.rpartition(".")[2] for key in rule.keys), *inputs(parts, rule.check)}
    for part in reversed(list(parts)):
        for option in reversed(list(part.options.values())):
            if option.name in words and _key(part, option) not in fixed:
                yield _key(part, option), option


def _factors(rule: Rule, values: Mapping[str, Value], option: Option) -> list[int]:
    """The other whole numbers of a rule: most rules ask that one divides another."""
    numbers = [values.get(name) for name in identifiers(rule.check) if name != option.name]
    return [number for number in numbers if isinstance(number, int) and number > 1]


def _related(current: int, factor: int) -> list[int]:
    """Multiples of a number near ``current``, and its largest divisors."""
    multiples = [current // factor * factor + more * factor for more in range(3)]
    divisors = [factor // i for i in range(1, STEPS_TRIED + 1) if factor % i == 0]
    return [*multiples, *divisors]


def candidates(option: Option, current: Value, factors: Collection[int]) -> Iterator[Value]:
    """Other values an option may take: round near ones, relatives of ``factors``, any."""
    for value in _unruled(option, current, factors):
        if refusal(option.rulings, value) is None:
            yield value


def _unruled(option: Option, current: Value, factors: Collection[int]) -> Iterator[Value]:
    if option.type in ("bool", "choice"):
        choices = option.choices or (True, False)
        yield from (choice for choice in choices if choice != current)
    if option.type != "int" or not isinstance(current, int):
        return
    step = min(current & -current, COARSEST_STEP) or 1
    steps = [step >> shift for shift in range(step.bit_length())]
    offsets = [sign * i for i in range(1, STEPS_TRIED + 1) for sign in (-1, 1)]
    numbers = [current + offset * size for size in steps for offset in offsets]
    related = [number for factor in factors for number in _related(current, factor)]
    near = [number for number in numbers if current <= 2 * number <= 4 * current]
    for number in dict.fromkeys([*near, *related, *numbers]):
        if number != current and clamp(option, number) == number:
            yield number
