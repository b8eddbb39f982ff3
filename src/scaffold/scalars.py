"""One value of an option: read from text by the option's type, with every surprise refused."""

import math
import re
from difflib import get_close_matches
from typing import TypeVar

from scaffold.design import Value
from scaffold.parts import Option
from scaffold.rulings import refusal, written

Number = TypeVar("Number", int, float)
LARGEST_INT = 2**63 - 1  # what a 64-bit tensor, YAML readers and JSON readers all hold
LONGEST_TEXT = 200
WHOLE = re.compile(r"([+-]?)(\d+(?:_\d+)*)(?:[eE]\+?(\d{1,2}))?", re.ASCII)
DECIMAL = re.compile(
    r"[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d{1,3})?",
    re.ASCII,
)
WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


class RefusedValueError(ValueError):
    """A value that its option cannot take: ``rule`` is what it breaks, ``fix`` what to give."""

    def __init__(self, rule: str, fix: str) -> None:
        super().__init__(f"{rule}; {fix}")
        self.rule = rule
        self.fix = fix


def parse_value(option: Option, raw: Value) -> Value:
    """The value of ``option`` that ``raw`` stands for; raises RefusedValueError."""
    value = _parse(option, raw)
    ruling = refusal(option.rulings, value)
    if ruling is not None:
        raise RefusedValueError(ruling.rule, ruling.fix)
    return value


def is_readable(option: Option, raw: Value) -> bool:
    """Whether ``raw`` stands for a value that the option can take."""
    try:
        parse_value(option, raw)
    except RefusedValueError:
        return False
    return True


def _parse(option: Option, raw: Value) -> Value:
    _require_value(raw, expected(option))
    match option.type:
        case "bool":
            return _truth(option, raw)
        case "int":
            return _within(option, _whole(option, raw))
        case "float":
            return _within(option, _decimal(option, raw))
        case "choice":
            text = one_of([str(choice) for choice in option.choices], raw)
            return next(choice for choice in option.choices if str(choice) == text)
        case _:
            return parse_text(raw)


def given_text(raw: Value) -> str:
    """One line of text that is not empty; raises RefusedValueError."""
    _require_value(raw, "one line of text, or leave it out")
    return parse_text(raw)


def parse_text(raw: Value) -> str:
    """One line of printable text; `${` is refused, since configurations would expand it."""
    if not isinstance(raw, str):
        raise RefusedValueError("it must be text", "give one line of text")
    text = raw.strip()
    if not text.isprintable():
        raise RefusedValueError("it holds a control character", "give one line of plain text")
    if "${" in text or text == "???":
        raise RefusedValueError("`${...}` and `???` are never expanded", "write the value itself")
    if len(text) > LONGEST_TEXT:
        raise RefusedValueError(f"it has {len(text)} characters", f"use at most {LONGEST_TEXT}")
    return text


def one_of(choices: list[str], raw: Value) -> str:
    """``raw`` if it is one of ``choices``; raises RefusedValueError naming the nearest."""
    text = str(raw).strip()
    if text in choices:
        return text
    nearest = get_close_matches(text.lower(), choices, n=1, cutoff=0.5)
    hint = f"; did you mean {nearest[0]}?" if nearest else ""
    raise RefusedValueError(f"it must be one of {', '.join(choices)}", f"choose one of them{hint}")


def stands_for(text: str, value: Value) -> bool:
    """Whether a text in a file is another way to write a value: ``1e-5`` for 0.00001."""
    text = text.strip()
    if isinstance(value, bool):
        return WORDS.get(text.lower()) is value
    if isinstance(value, str):
        return text == value
    if isinstance(value, int) and (match := WHOLE.fullmatch(text)) and not match[3]:
        return match[0].replace("_", "").lstrip("+") == str(value)
    return DECIMAL.fullmatch(text) is not None and float(text) == value


def expected(option: Option) -> str:
    """What may be given, in words: ``a whole number from 1 to 64``."""
    allowed = permitted(option)
    if allowed:
        return "one of " + ", ".join(written(value) for value in allowed)
    kinds = {"bool": "true or false", "int": "a whole number", "float": "a number"}
    text = kinds.get(option.type, "one line of text")
    lows = (option.minimum, *(ruling.minimum for ruling in option.rulings))
    highs = (option.maximum, *(ruling.maximum for ruling in option.rulings))
    low = max((limit for limit in lows if limit is not None), default=None)
    high = min((limit for limit in highs if limit is not None), default=None)
    if low is not None and high is not None:
        return f"{text} from {low} to {high}"
    if low is not None:
        return f"{text} of at least {low}"
    return text if high is None else f"{text} of at most {high}"


def permitted(option: Option) -> tuple[Value, ...]:
    """The only values that the option may have, where they are listed; else none."""
    lists = [option.choices, *(ruling.allowed for ruling in option.rulings)]
    first = next((values for values in lists[::-1] if values), ())
    return tuple(value for value in first if refusal(option.rulings, value) is None)


def clamp(option: Option, value: Value) -> Value:
    """A default brought back into the option's limits, and those of the teams."""
    allowed = permitted(option)
    if allowed and value not in allowed:
        return allowed[0]
    if isinstance(value, bool | str):
        return value
    for limits in option.rulings:
        if limits.minimum is not None:
            value = max(value, limits.minimum)
        if limits.maximum is not None:
            value = min(value, limits.maximum)
    if option.minimum is not None and value < option.minimum:
        value = option.minimum
    if option.maximum is not None and value > option.maximum:
        value = option.maximum
    return int(value) if option.type == "int" else float(value)


def _require_value(raw: Value, wanted: str) -> None:
    if isinstance(raw, str) and not raw.strip():
        raise RefusedValueError("it has no value", f"give {wanted}")


def _truth(option: Option, raw: Value) -> bool:
    if isinstance(raw, bool):
        return raw
    word = str(raw).strip().lower()
    if word not in WORDS:
        raise RefusedValueError("it must be true or false", f"give {expected(option)}")
    return WORDS[word]


def _whole(option: Option, raw: Value) -> int:
    if isinstance(raw, int) and not isinstance(raw, bool):
        number = raw
    else:
        match = WHOLE.fullmatch(raw.strip()) if isinstance(raw, str) else None
        if match is None:
            raise RefusedValueError("it must be a whole number", f"give {expected(option)}")
        sign, digits, exponent = match[1], match[2].replace("_", ""), match[3]
        if len(digits) > len(str(LARGEST_INT)):
            raise RefusedValueError("it is too large", f"give {expected(option)}")
        number = int(sign + digits) * 10 ** int(exponent or 0)
    if abs(number) > LARGEST_INT:
        raise RefusedValueError("it is too large", f"give {expected(option)}")
    return number


def _decimal(option: Option, raw: Value) -> float:
    if isinstance(raw, bool) or isinstance(raw, str) and not DECIMAL.fullmatch(raw.strip()):
        raise RefusedValueError("it must be a finite number", f"give {expected(option)}")
    if isinstance(raw, int) and abs(raw) > LARGEST_INT:
        raise RefusedValueError("it is too large", f"give {expected(option)}")
    number = float(raw)
    if not math.isfinite(number):
        raise RefusedValueError("it must be a finite number", f"give {expected(option)}")
    return number + 0.0  # -0.0 becomes 0.0


def _within(option: Option, number: Number) -> Number:
    if option.minimum is not None and number < option.minimum:
        raise RefusedValueError(f"it must be at least {option.minimum}", f"give {expected(option)}")
    if option.maximum is not None and number > option.maximum:
        raise RefusedValueError(f"it must be at most {option.maximum}", f"give {expected(option)}")
    return number
