"""The policy of packs: what their rulings make of a catalogue, and which of them cannot hold."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from types import MappingProxyType

from scaffold.catalogue import Catalogue
from scaffold.completion import complete
from scaffold.design import Value
from scaffold.errors import Problem
from scaffold.keys import PROJECT_KEYS, known_keys, unknown_key
from scaffold.parts import EXPRESSION_PREFIX, Axis, Option
from scaffold.rulings import Ruling, refusal, written
from scaffold.scalars import RefusedValueError, clamp, one_of, parse_value

NO_NUMBER = "has limits, and is no number"


def ruled(catalogue: Catalogue, rulings: Sequence[Ruling]) -> tuple[Catalogue, list[Problem]]:
    """The catalogue in which the rulings hold, later ones after earlier ones, with their problems.

    A later default stands in place of an earlier one; restrictions hold all.
    """
    problems: list[Problem] = []
    known = known_keys(catalogue)
    axes = dict(catalogue.axes)
    for ruling in rulings:
        axis, _, name = ruling.key.partition(".")
        if ruling.key in PROJECT_KEYS:
            rule = "every project has its own"
            problems.append(_problem(ruling, "a ruling", rule, "leave it out"))
        elif ruling.key not in known:
            unknown = unknown_key(ruling.key, "a ruling", known, catalogue.migrations)
            problems.append(_problem(ruling, unknown.value, unknown.rule, unknown.fix))
        elif name:
            axes[axis] = _with_option_ruling(axes[axis], name, ruling, problems)
        else:
            axes[axis] = _with_axis_ruling(axes[axis], ruling, problems)
    found = replace(catalogue, axes=MappingProxyType(axes))
    problems += [problem for axis in axes.values() for problem in _contradictions(axis)]
    if not problems and complete(found, {}) is None:
        limited = [axis for axis in axes.values() if axis.rulings]
        keys = " and ".join(axis.name for axis in limited)
        rule = f"no design is left that keeps what the packs rule about {keys}"
        problems.append(Problem("policy", keys, rule, "allow more"))
    return found, list(dict.fromkeys(problems))


def _with_axis_ruling(axis: Axis, ruling: Ruling, problems: list[Problem]) -> Axis:
    try:
        if ruling.minimum is not None or ruling.maximum is not None:
            raise RefusedValueError(NO_NUMBER, "list what is allowed")
        variants = list(axis.parts)
        allowed = tuple(one_of(variants, value) for value in ruling.allowed)
        first = None if ruling.default is None else one_of(variants, ruling.default)
    except RefusedValueError as error:
        problems.append(_problem(ruling, _shown(ruling), error.rule, error.fix))
        return axis
    parts = dict(axis.parts)
    if first is not None:  # the first that fits is the default
        parts = {first: parts[first], **parts}
    typed = replace(ruling, allowed=allowed, default=first)
    return replace(axis, parts=MappingProxyType(parts), rulings=(*axis.rulings, typed))


def _with_option_ruling(axis: Axis, name: str, ruling: Ruling, problems: list[Problem]) -> Axis:
    """The axis with a ruling on an option of all its variants that have it."""
    parts = dict(axis.parts)
    for variant, part in axis.parts.items():
        option = part.options.get(name)
        if option is None:
            continue
        try:
            changed = _ruled_option(option, ruling)
        except RefusedValueError as error:
            rule = f"{error.rule} (an option of {axis.name} = {variant})"
            problems.append(_problem(ruling, _shown(ruling), rule, error.fix))
            continue
        parts[variant] = replace(part, options={**part.options, name: changed})
    return replace(axis, parts=MappingProxyType(parts))


def _ruled_option(option: Option, ruling: Ruling) -> Option:
    """The option under one more ruling, whose values are read as the option's."""
    has_limits = ruling.minimum is not None or ruling.maximum is not None
    if has_limits and option.type not in ("int", "float"):
        raise RefusedValueError(NO_NUMBER, "list what is allowed")
    plain = replace(option, rulings=())
    allowed = tuple(parse_value(plain, value) for value in ruling.allowed)
    default = None if ruling.default is None else parse_value(plain, ruling.default)
    typed = replace(ruling, allowed=allowed, default=default)
    changed = replace(option, rulings=(*option.rulings, typed))
    if default is None:
        is_literal = not str(option.default).startswith(EXPRESSION_PREFIX)
        default = clamp(changed, option.default) if is_literal else option.default
    if default == option.default:
        return changed
    # The reason was that of another value.
    return replace(changed, default=default, reason="")


def _contradictions(axis: Axis) -> Iterator[Problem]:
    """Where rulings leave nothing, or refuse a default that another pack gives."""
    yield from _contradiction(axis.name, axis.rulings, tuple(axis.parts))
    for part in axis.parts.values():
        for option in part.options.values():
            key = f"{axis.name}.{option.name}"
            choices: tuple[Value, ...] = option.choices or (
                (True, False) if option.type == "bool" else ()
            )
            yield from _contradiction(key, option.rulings, choices)


def _contradiction(
    key: str, rulings: Sequence[Ruling], choices: tuple[Value, ...]
) -> Iterator[Problem]:
    for ruling in [ruling for ruling in rulings if ruling.default is not None][-1:]:
        default = ruling.default
        other = None if default is None else refusal(rulings, default)
        if default is not None and other is not None:
            rule = f"pack {ruling.pack} sets it, but {other.rule}"
            fix = "give one of the two packs, or change a policy"
            yield Problem(key, written(default), rule, fix)
            return
    lists = [ruling.allowed for ruling in rulings if ruling.allowed] or [choices]
    is_empty = bool(lists[0]) and all(refusal(rulings, value) for value in lists[0])
    lows = [ruling.minimum for ruling in rulings if ruling.minimum is not None]
    highs = [ruling.maximum for ruling in rulings if ruling.maximum is not None]
    if is_empty or (lows and highs and max(lows) > min(highs)):
        told = "; ".join(ruling.rule for ruling in rulings if ruling.is_restriction)
        fix = "give one of the two packs, or change a policy"
        yield Problem(key, "(nothing)", f"no value is left: {told}", fix)


def _values(ruling: Ruling) -> Iterable[Value]:
    return ruling.allowed if ruling.default is None else (*ruling.allowed, ruling.default)


def _shown(ruling: Ruling) -> str:
    return ", ".join(written(value) for value in _values(ruling)) or "limits"


def _problem(ruling: Ruling, value: str, rule: str, fix: str) -> Problem:
    return Problem(f"policy.{ruling.key}", value, f"pack {ruling.pack}: {rule}", fix)
