"""The rules between values: which of a design's rules do not hold, and how that is said."""

import re
from collections.abc import Collection, Iterator, Mapping

from scaffold.design import Value
from scaffold.errors import Problem
from scaffold.expressions import EvaluationError, evaluate
from scaffold.keys import shown
from scaffold.parts import Part, Rule

PLACEHOLDER = re.compile(r"\{(\w+)\}")


def holds(rule: Rule, values: Mapping[str, Value]) -> bool:
    """Whether a rule is true of these values; one that has no result (division by zero) is not."""
    try:
        return bool(evaluate(rule.check, values))
    except EvaluationError:
        return False


def broken_rules(parts: Collection[Part], values: Mapping[str, Value]) -> Iterator[Rule]:
    """The rules of the parts that do not hold, in order."""
    for part in parts:
        for rule in part.rules:
            if not holds(rule, values):
                yield rule


def rule_problem(
    rule: Rule, values: Mapping[str, Value], chosen: Collection[str], involved: Collection[str]
) -> Problem:
    """The problem of a broken rule, at the last of the ``chosen`` keys that it speaks of.

    The other keys of the rule, and the ``chosen`` ones whose option is ``involved`` in it, are
    named with their values, so that a conflict shows both sides.
    """
    more = [key for key in chosen if _option(key) in involved and key not in rule.keys]
    named = [key for key in (*more, *rule.keys) if _option(key) in values] or list(rule.keys)
    mine = [key for key in chosen if key in named] or named
    key = mine[-1] if mine else rule.id
    others = [
        f"{other} = {shown(values.get(_option(other), '?'))}" for other in named if other != key
    ]
    beside = f"with {' and '.join(others)}, " if others else ""
    return Problem(
        key=key,
        value=shown(values.get(_option(key), "?")),
        rule=f"{beside}{fill(rule.reason, values)}",
        fix=fill(rule.fix, values),
    )


def fill(text: str, values: Mapping[str, Value]) -> str:
    """``text`` with each ``{name}`` replaced by the value of that name."""
    return PLACEHOLDER.sub(lambda match: shown(values.get(match[1], match[0])), text)


def _option(key: str) -> str:
    return key.rpartition(".")[2]
