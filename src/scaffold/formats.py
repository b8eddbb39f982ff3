"""Filters of data templates: how a value is written in YAML, TOML, JSON, Markdown, a shell."""

import json
import math
import re
import shlex
import textwrap
from collections.abc import Callable, Mapping

from scaffold.units import bytes_text, count_text

_PLAIN_YAML = re.compile(r"[A-Za-z_/][A-Za-z0-9_./-]*")
# Characters that JSON leaves alone and YAML does not allow in a stream.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
# YAML 1.1, which PyYAML and OmegaConf read, takes these words for booleans or null.
_YAML_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


def yaml_scalar(value: object) -> str:
    """A scalar as YAML 1.1 text that reads back as the same type and value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _yaml_float(value)
    if isinstance(value, str):
        return _yaml_text(value)
    return "null" if value is None else str(value)


def _yaml_float(value: float) -> str:
    text = repr(value)
    if not math.isfinite(value):
        return f".{text}" if value > 0 or math.isnan(value) else "-.inf"
    # YAML 1.1 takes 1e-05 for text: it wants a point in the mantissa and a sign in the exponent.
    mantissa, exponent, digits = text.partition("e")
    if exponent and "." not in mantissa:
        mantissa += ".0"
    return mantissa + exponent + digits


def _yaml_text(text: str) -> str:
    if _PLAIN_YAML.fullmatch(text) and text.lower() not in _YAML_WORDS:
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def yaml_block(data: Mapping[str, object], indent: str = "") -> str:
    """Nested mappings and lists of scalars as YAML, in the order given."""
    lines = []
    for key, value in data.items():
        name = f"{indent}{yaml_scalar(key)}:"
        if isinstance(value, Mapping) and value:
            lines.append(f"{name}\n{yaml_block(value, indent + '  ')}")
        elif isinstance(value, list) and value:
            items = "".join(f"{indent}  - {yaml_scalar(item)}\n" for item in value)
            lines.append(f"{name}\n{items}")
        else:
            lines.append(f"{name} {_yaml_leaf(value)}\n")
    return "".join(lines)


def _yaml_leaf(value: object) -> str:
    if isinstance(value, Mapping):
        return "{}"
    return "[]" if isinstance(value, list) else yaml_scalar(value)


def toml_string(value: object) -> str:
    """A text as a TOML basic string."""
    return json.dumps(str(value), ensure_ascii=False)


def json_text(value: object) -> str:
    """A value as JSON."""
    return json.dumps(value, ensure_ascii=False)


def shell_word(value: object) -> str:
    """A text as one word of a shell's command."""
    return shlex.quote(str(value))


def markdown_cell(value: object) -> str:
    """A text that stands in one cell of a Markdown table."""
    return " ".join(str(value).split()).replace("|", "\\|")


def comment(value: object, width: int = 100, indent: int = 0) -> str:
    """A text as lines of ``# `` comments, at most ``width`` columns wide from column ``indent``."""
    prefix = " " * indent + "# "
    return textwrap.fill(
        " ".join(str(value).split()), width, initial_indent=prefix, subsequent_indent=prefix
    )


FILTERS: Mapping[str, Callable[..., str]] = {
    "yaml": yaml_scalar,
    "toml": toml_string,
    "json": json_text,
    "shell": shell_word,
    "cell": markdown_cell,
    "comment": comment,
    "bytes": bytes_text,
    "count": count_text,
}
