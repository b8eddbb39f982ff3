"""Errors that a user can act on: each is shown as text, without a traceback."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with what the user asked for, and how to mend it.

    ``key`` is what the user would have to change (``attention.n_kv_heads``), ``value`` what it is
    now, ``rule`` the sentence it breaks, ``fix`` what to do.
    """

    key: str
    value: str
    rule: str
    fix: str

    def __str__(self) -> str:
        return f"{self.key} = {self.value}: {self.rule}; {self.fix}"


class ScaffoldError(Exception):
    """The base of all errors that are the user's to mend (exit code 2)."""


class DesignError(ScaffoldError):
    """The answers do not make a design; ``problems`` holds every reason at once."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = tuple(problems)


class TemplateError(ScaffoldError):
    """A part, frame or fragment breaks the rules of its kind; names the file."""


class PackError(ScaffoldError):
    """A pack cannot be used; ``problems`` holds every reason at once."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n  ".join(problems))
        self.problems = tuple(problems)


class DestinationError(ScaffoldError):
    """The project cannot be written where it was asked for."""


class UsageError(ScaffoldError):
    """The words of the command line are none that the tool knows."""
