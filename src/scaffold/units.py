"""Numbers as people read them, the same on every machine whatever its locale."""

from collections.abc import Sequence

from scaffold.design import Value
from scaffold.keys import shown

BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
DECIMAL = ("", " thousand", " M", " G", " T", " P")
FLOPS = ("FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP")
KIBI = 1024
KILO = 1000


def bytes_text(number: float) -> str:
    """A number of bytes: ``1.50 MiB``."""
    return _scaled(number, KIBI, BINARY, " ")


def count_text(number: float) -> str:
    """A number of things: ``10.66 M``."""
    return _scaled(number, KILO, DECIMAL, "")


def quantity(name: str, value: Value) -> str:
    """A decision's value with the unit that its name implies."""
    if isinstance(value, bool | str):
        return shown(value)
    if name.endswith("_bytes") or name.startswith("cache_bytes_per_"):
        return bytes_text(value)
    if name in ("parameters", "active_parameters"):
        return f"{count_text(value)} ({value:,})" if value >= KILO else shown(value)
    if name == "flops_per_token":
        return _scaled(value, KILO, FLOPS, " ")
    return shown(value)


def _scaled(number: float, base: int, units: Sequence[str], space: str) -> str:
    size = float(number)
    for unit in units[:-1]:
        # 999.996 would be shown as 1000.00: it belongs to the next unit.
        if abs(size) < base - 0.005:
            return _digits(size, space + unit)
        size /= base
    return _digits(size, space + units[-1])


def _digits(size: float, unit: str) -> str:
    return f"{size:.0f}{unit}" if size.is_integer() and size < KIBI else f"{size:.2f}{unit}"
