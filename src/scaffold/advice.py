"""Recommends how to spread a training over devices, and says why nothing simpler would do.

Pure functions of a model's demand and of the hardware. The levels stand in the order in which one
would rather have them; the first that fits is recommended. Memory is per device, in bytes:

- parameters, gradients and optimizer state, divided by the number of devices that share them out;
- where they are shared out, what is gathered at once: the parameters of two blocks (one computes,
  the next one is on its way) and of what stands around the blocks, in the precision of the
  computation, and the gradients of a block, in that and in float32
  (https://arxiv.org/abs/2304.11277);
- the activations of one micro-batch; where they are worked out again, the inputs of all blocks and
  the inside of one, or the logits (https://arxiv.org/abs/1604.06174).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from scaffold.accelerators import Accelerator
from scaffold.units import bytes_text

# The rest goes to the driver's context, the communication library, and to gaps between blocks of
# memory that nothing fits into.
USABLE = 0.9
FLOAT32_BYTES = 4
LONG_SEQUENCE = 32768  # tokens, from which on context parallelism is worth its traffic
MOST_TENSOR_PARALLEL = 8  # devices that NVLink joins in one machine


@dataclass(frozen=True)
class Demand:
    """What a training needs, whole: all layers, and one micro-batch of activations, in bytes.

    ``outer_parameters`` and ``outer_activations`` are those of no layer: embedding, head, logits.
    ``layer_input`` is what one block is given. ``heads`` are those numbers of heads that tensor
    parallelism must divide.
    """

    parameters: int
    parameter_bytes: int
    gradient_bytes: int
    optimizer_bytes: int
    outer_parameters: int
    layer_activations: int
    outer_activations: int
    layer_input: int
    n_layers: int
    heads: tuple[int, ...]
    tokens_per_sample: int
    compute_bytes: int


@dataclass(frozen=True)
class Hardware:
    """So many devices of one kind in each of so many machines."""

    accelerator: Accelerator
    per_node: int
    nodes: int = 1

    @property
    def devices(self) -> int:
        """Devices in all."""
        return self.per_node * self.nodes

    @property
    def usable(self) -> int:
        """Bytes of a device that training may fill."""
        return int(USABLE * self.accelerator.memory)


@dataclass(frozen=True)
class Memory:
    """Bytes on one device."""

    parameters: int
    gradients: int
    optimizer: int
    gathered: int
    activations: int

    @property
    def total(self) -> int:
        """All of it."""
        return sum(size for _, size in self.items())

    def items(self) -> Iterator[tuple[str, int]]:
        """The sizes by what they are of."""
        yield "parameters", self.parameters
        yield "gradients", self.gradients
        yield "optimizer state", self.optimizer
        yield "gathered", self.gathered
        yield "activations", self.activations


@dataclass(frozen=True)
class Plan:
    """How many devices share out the state, a block's matrices, the layers, and the tokens."""

    shards: int = 1
    tensor: int = 1
    stages: int = 1
    context: int = 1
    recomputes: bool = False
    offloads: bool = False


@dataclass(frozen=True)
class Level:
    """A way to spread the training: what it is called, what it chooses, what it takes.

    ``choices`` are answers by their keys: variants by axis, and options where it needs one.
    """

    title: str
    choices: Mapping[str, str]
    memory: Memory
    fits: bool
    is_offered: bool


@dataclass(frozen=True)
class Advice:
    """All levels that make sense on the hardware, the simplest first, and the recommended one."""

    hardware: Hardware
    levels: tuple[Level, ...]
    chosen: Level

    def lines(self) -> Iterator[str]:
        """What was decided on, level by level up to the recommended one, or the first to fit."""
        for level in self.levels:
            yield f"{level.title}: {_sizes(level.memory)}. {self._verdict(level)}."
            if level.fits and (level is self.chosen or not self.chosen.fits):
                break
        if not self.chosen.fits:
            yield (
                "None that can be chosen fits: take more or larger devices, or smaller"
                f" micro-batches. {self.chosen.title} takes the least."
            )

    def _verdict(self, level: Level) -> str:
        usable = bytes_text(self.hardware.usable)
        if not level.fits:
            return f"That is more than the {usable} of a device that can be used"
        fits = f"That fits into the {usable} of a device that can be used"
        return fits if level.is_offered else f"{fits}, but cannot be chosen yet"


def advise(
    demand: Demand, hardware: Hardware, is_offered: Callable[[Mapping[str, str]], bool]
) -> Advice:
    """The levels for a training on the hardware; ``is_offered`` tells what can be chosen at all.

    If none fits of those that are offered, the one that takes the least is recommended.
    """

    def level(title: str, choices: Mapping[str, str], plan: Plan) -> Level:
        memory = memory_of(demand, plan)
        return Level(title, choices, memory, memory.total <= hardware.usable, is_offered(choices))

    levels = tuple(level(*each) for each in _plans(demand, hardware))
    offered = [level for level in levels if level.is_offered] or list(levels[:1])
    smallest = min(offered, key=lambda level: level.memory.total)
    chosen = next((level for level in offered if level.fits), smallest)
    return Advice(hardware, levels, chosen)


def memory_of(demand: Demand, plan: Plan) -> Memory:
    """The bytes that a plan takes on the device that has the most."""
    shares = plan.shards * plan.tensor * plan.stages
    on_device = 0 if plan.offloads else 1
    block = (demand.parameters - demand.outer_parameters) / demand.n_layers / plan.tensor
    outer = demand.outer_parameters / plan.tensor
    gathered = 0.0
    if plan.shards > 1 or plan.tensor > 1 or plan.offloads:
        gathered = demand.compute_bytes * (outer + 2 * block)
        gathered += (demand.compute_bytes + FLOAT32_BYTES) * block
    # A stage of a pipeline has fewer layers, and as many more micro-batches on their way.
    kept = demand.layer_activations + demand.outer_activations
    if plan.recomputes:
        # What stands around the blocks is free again when the last block is worked out again.
        one = max(demand.layer_activations / demand.n_layers, demand.outer_activations)
        kept = min(kept, round(demand.layer_input * demand.n_layers + one))
    activations = kept / plan.tensor / plan.context
    return Memory(
        parameters=on_device * _share(demand.parameter_bytes, shares),
        gradients=on_device * _share(demand.gradient_bytes, shares),
        optimizer=on_device * _share(demand.optimizer_bytes, shares),
        gathered=round(gathered),
        activations=round(activations),
    )


def _plans(demand: Demand, hardware: Hardware) -> Iterator[tuple[str, dict[str, str], Plan]]:
    """(title, choices, plan) of every level, in the order of preference."""
    recompute = {"activation_checkpointing": "full"}
    again = "with activation checkpointing"
    basic = _basic(hardware)
    for title, choices, plan in basic:
        yield title, choices, plan
    for title, choices, plan in basic:
        yield f"{title} {again}", {**choices, **recompute}, replace(plan, recomputes=True)
    fsdp = {"parallelism": "fsdp"}
    whole = Plan(shards=hardware.devices)
    if hardware.devices > 1 and demand.tokens_per_sample > LONG_SEQUENCE:
        context = {**fsdp, **recompute, "context_parallel": "gathered-keys"}
        for degree in _powers(hardware.devices):
            plan = replace(whole, context=degree, recomputes=True)
            over = {"context_parallel.degree": str(degree)}
            yield f"FSDP and context parallel over {degree} {again}", {**context, **over}, plan
    degrees = _tensor_degrees(demand, hardware)
    tensor = {**fsdp, "tensor_parallel": "sequence-parallel"}
    for extra, suffix in (({}, ""), (recompute, f" {again}")):
        for degree in degrees:
            plan = Plan(hardware.devices // degree, degree, recomputes=bool(extra))
            over = {"tensor_parallel.degree": str(degree)}
            title = f"FSDP and tensor parallel over {degree}{suffix}"
            yield title, {**tensor, **over, **extra}, plan
    for stages in _powers(min(hardware.nodes, demand.n_layers)):
        for degree in degrees[-1:]:
            shards = hardware.devices // (degree * stages)
            plan = Plan(shards, degree, stages, recomputes=True)
            title = f"FSDP, tensor parallel over {degree} and {stages} pipeline stages {again}"
            over = {"tensor_parallel.degree": str(degree), "pipeline.stages": str(stages)}
            yield title, {**tensor, "pipeline": "1f1b", **over, **recompute}, plan
    if hardware.devices > 1:
        offload = {**fsdp, "parallelism.cpu_offload": "true", **recompute}
        plan = replace(whole, recomputes=True, offloads=True)
        yield f"FSDP with the state in the host's memory, {again}", offload, plan


def _basic(hardware: Hardware) -> list[tuple[str, dict[str, str], Plan]]:
    """One device, or replicas, or one copy over the devices of a machine, or over all."""
    if hardware.devices == 1:
        return [("One device", {"parallelism": "one-device"}, Plan())]
    levels = [("DDP", {"parallelism": "ddp"}, Plan())]
    if hardware.nodes > 1 and hardware.per_node > 1:
        levels.append(("HSDP", {"parallelism": "hsdp"}, Plan(shards=hardware.per_node)))
    levels.append(("FSDP", {"parallelism": "fsdp"}, Plan(shards=hardware.devices)))
    return levels


def _tensor_degrees(demand: Demand, hardware: Hardware) -> list[int]:
    """Powers of two that divide heads and machines; none where devices have no fast link."""
    if not hardware.accelerator.has_fast_link:
        return []
    return [
        degree
        for degree in _powers(min(hardware.per_node, MOST_TENSOR_PARALLEL))
        if all(number % degree == 0 for number in (*demand.heads, hardware.per_node))
    ]


def _powers(most: int) -> list[int]:
    """2, 4, 8 and so on, up to ``most``."""
    return [1 << exponent for exponent in range(1, most.bit_length()) if 1 << exponent <= most]


def _share(size: int, devices: int) -> int:
    return -(-size // devices)


def _sizes(memory: Memory) -> str:
    parts = [f"{name} {bytes_text(size)}" for name, size in memory.items() if size]
    return f"{bytes_text(memory.total)} a device ({', '.join(parts)})"
