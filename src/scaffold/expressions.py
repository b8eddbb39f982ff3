"""Evaluates the small expressions that parts declare, in Jinja's sandbox."""

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Protocol

from jinja2 import StrictUndefined, TemplateSyntaxError, Undefined, UndefinedError, meta
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from scaffold.design import Value
from scaffold.errors import ScaffoldError, TemplateError
from scaffold.limits import note
from scaffold.parts import EXPRESSION_PREFIX

LONGEST = 200  # characters of an expression that are shown


class EvaluationError(ScaffoldError):
    """An expression has no value for these inputs, such as a division by zero."""


class _Compiled(Protocol):
    def __call__(self, values: Mapping[str, Value], /) -> object: ...


def round_up(value: float, multiple: int) -> int:
    """The smallest multiple of ``multiple`` that is no smaller than ``value``."""
    return math.ceil(value / multiple) * multiple


FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "ceil": math.ceil,
    "floor": math.floor,
    "log2": math.log2,
    "max": max,
    "min": min,
    "round_up": round_up,
    "sqrt": math.sqrt,
}


@lru_cache(maxsize=1)
def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined)
    environment.globals.clear()
    environment.globals.update(FUNCTIONS)
    return environment


@lru_cache(maxsize=4096)
def _compile(text: str) -> _Compiled:
    try:
        return _environment().compile_expression(text, undefined_to_none=False)
    except TemplateSyntaxError as error:
        raise TemplateError(f"expression {text!r}: {error.message}") from None
    except (RecursionError, SyntaxError) as error:  # too deep for Jinja, or for Python
        raise TemplateError(f"expression {text[:LONGEST]!r}: {error}") from None


@lru_cache(maxsize=4096)
def names(text: str) -> frozenset[str]:
    """The names of values that an expression reads."""
    text = text.removeprefix(EXPRESSION_PREFIX)
    note(f"expression {text!r}")  # what is constant in it is worked out here
    try:
        tree = _environment().parse("{{(" + text + ")}}")
    except TemplateSyntaxError as error:
        raise TemplateError(f"expression {text!r}: {error.message}") from None
    return frozenset(meta.find_undeclared_variables(tree)) - FUNCTIONS.keys()


def evaluate(text: str, values: Mapping[str, Value]) -> Value:
    """The value of an expression, with or without its leading ``= ``.

    Raises TemplateError where the expression is wrong in itself (syntax, a name that is not among
    ``values``), EvaluationError where these values have no result (division by zero).
    """
    text = text.removeprefix(EXPRESSION_PREFIX)
    note(f"expression {text!r}")
    try:
        result = _compile(text)(values)
    except (UndefinedError, SecurityError) as error:
        raise TemplateError(f"expression {text!r}: {error}") from None
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
        raise EvaluationError(f"expression {text!r}: {error}") from None
    if isinstance(result, Undefined):
        missing = ", ".join(sorted(names(text) - values.keys()))
        raise TemplateError(f"expression {text!r}: no such value: {missing}")
    if not isinstance(result, int | float | str | bool):
        raise TemplateError(f"expression {text!r}: gives {result!r}, which is no value")
    return result
