"""What a team rules about a key: its default, what may be chosen, and why."""

from collections.abc import Iterable
from dataclasses import dataclass

from scaffold.design import Value


@dataclass(frozen=True)
class Ruling:
    """The ruling of one pack on one key; ``reason`` is the team's, shown wherever the value is.

    ``allowed`` lists the only values that may be chosen, where it is not empty; a locked key has
    one. ``minimum`` and ``maximum`` are limits of numbers.
    """

    key: str
    pack: str
    reason: str
    default: Value | None = None
    allowed: tuple[Value, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    is_locked: bool = False

    @property
    def is_restriction(self) -> bool:
        """Whether it refuses any value."""
        return bool(self.allowed) or self.minimum is not None or self.maximum is not None

    def admits(self, value: Value) -> bool:
        """Whether the value may be chosen."""
        if self.allowed and value not in self.allowed:
            return False
        if isinstance(value, str | bool):
            return True
        is_low = self.minimum is not None and value < self.minimum
        is_high = self.maximum is not None and value > self.maximum
        return not (is_low or is_high)

    @property
    def rule(self) -> str:
        """The sentence that a refused value breaks."""
        verb = "locks it to" if self.is_locked else "allows"
        return f"pack {self.pack} {verb} {self._range}: {self.reason}"

    @property
    def fix(self) -> str:
        """What to do about a refused value."""
        return "leave it out" if self.is_locked else f"choose {self._range}"

    @property
    def note(self) -> str:
        """The ruling in one sentence, for those who read the value."""
        reason = self.reason.rstrip(".")
        if self.is_locked:
            return f"Locked by pack {self.pack}: {reason}."
        if self.is_restriction:
            return f"Pack {self.pack} allows {self._range}: {reason}."
        assert self.default is not None  # a ruling that is none of the three says nothing
        return f"Pack {self.pack} recommends {written(self.default)}: {reason}."

    @property
    def _range(self) -> str:
        if self.allowed:
            return " or ".join(written(value) for value in self.allowed)
        limits = (("at least", self.minimum), ("at most", self.maximum))
        return " and ".join(f"{word} {limit}" for word, limit in limits if limit is not None)


def refusal(rulings: Iterable[Ruling], value: Value) -> Ruling | None:
    """The first ruling that does not admit a value; None if all do."""
    return next((ruling for ruling in rulings if not ruling.admits(value)), None)


def locked(rulings: Iterable[Ruling]) -> bool:
    """Whether there is nothing to choose."""
    return any(ruling.is_locked for ruling in rulings)


def notes(rulings: Iterable[Ruling]) -> str:
    """All rulings on a key, one sentence each."""
    return " ".join(ruling.note for ruling in rulings)


def written(value: Value) -> str:
    """A value as a user writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
