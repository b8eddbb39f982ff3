"""The table of accelerators: memory, peaks, links, and where the numbers are from."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from scaffold.declarations import Fields, load_yaml
from scaffold.modes import PLAIN
from scaffold.sources import Source

TABLE = Path(__file__).with_name("accelerators.yaml")
FASTEST_PCIE = 128e9  # bytes a second of 16 lanes of the fifth generation, both directions


@dataclass(frozen=True)
class Accelerator:
    """One device: bytes, bytes a second, and FLOP/s of dense products by precision.

    ``network`` is None where no network of its own is usual for a device.
    """

    name: str
    memory: float
    memory_bandwidth: float
    peaks: Mapping[str, float]
    link: str
    link_bandwidth: float
    network: float | None
    device_names: tuple[str, ...]
    source: str

    @property
    def has_fast_link(self) -> bool:
        """Whether the devices of a machine reach each other faster than over PCIe."""
        return self.link_bandwidth > FASTEST_PCIE


@lru_cache(maxsize=1)
def accelerators() -> Mapping[str, Accelerator]:
    """Every accelerator by its name."""
    source = Source(TABLE, TABLE.read_bytes(), PLAIN)
    return Fields(TABLE, {"accelerators": load_yaml(source)}).each("accelerators", _accelerator)


def _accelerator(fields: Fields, name: str) -> Accelerator:
    link, peaks = fields.fields("node_link"), fields.fields("peaks")
    found = Accelerator(
        name=name,
        memory=fields.read("memory", float),
        memory_bandwidth=fields.read("memory_bandwidth", float),
        peaks={precision: peaks.read(precision, float) for precision in peaks.names()},
        link=link.read("kind", str),
        link_bandwidth=link.read("bandwidth", float),
        network=fields.read("network", float) if fields.has("network") else None,
        device_names=fields.strings("device_names"),
        source=fields.read("source", str),
    )
    fields.read("network", float, 0.0)
    for each in (fields, link):
        each.finish()
    return found
