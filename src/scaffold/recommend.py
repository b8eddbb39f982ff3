"""What the hardware of a design recommends on the axes that spread the training."""

from collections.abc import Mapping
from itertools import combinations

from scaffold.accelerators import accelerators
from scaffold.advice import FLOAT32_BYTES, Advice, Demand, Hardware, advise
from scaffold.catalogue import Catalogue
from scaffold.design import Design
from scaffold.estimates import Estimates, estimate
from scaffold.variants import clash

SPREADING = (
    "parallelism",
    "activation_checkpointing",
    "context_parallel",
    "tensor_parallel",
    "pipeline",
)


def advice_for(catalogue: Catalogue, design: Design) -> Advice | None:
    """The advice for a design; None where its hardware is not known."""
    name = str(design.values.get("accelerator", ""))
    if name not in accelerators():
        return None
    hardware = Hardware(
        accelerators()[name], _whole(design, "accelerators_per_node", 1), _whole(design, "nodes", 1)
    )

    def is_offered(choices: Mapping[str, str]) -> bool:
        variants = [(axis, variant) for axis, variant in choices.items() if "." not in axis]
        return all(_exists(catalogue, choices, key) for key in choices) and not any(
            clash(catalogue, one, other) for one, other in combinations(variants, 2)
        )

    return advise(demand_of(design, estimate(catalogue, design)), hardware, is_offered)


def _exists(catalogue: Catalogue, choices: Mapping[str, str], key: str) -> bool:
    """Whether there is the variant, or the option of the variant, that a key of a level means."""
    axis, _, option = key.partition(".")
    parts = catalogue.axes[axis].parts if axis in catalogue.axes else {}
    part = parts.get(choices[axis])
    return part is not None and (not option or option in part.options)


def advised(catalogue: Catalogue, design: Design) -> Mapping[str, str]:
    """The answers that are recommended, by key; none where the hardware is not known."""
    if "accelerator" not in design.values:
        return {}
    advice = advice_for(catalogue, design)
    return {} if advice is None else advice.chosen.choices


def demand_of(design: Design, estimates: Estimates) -> Demand:
    """What the training of a design needs, whole."""
    tokens = _whole(design, "tokens_per_sample", 1)
    samples = _whole(design, "micro_batch_size", 1)
    return Demand(
        parameters=estimates.parameters,
        parameter_bytes=FLOAT32_BYTES * estimates.parameters,
        gradient_bytes=FLOAT32_BYTES * estimates.parameters,
        optimizer_bytes=estimates.optimizer_bytes * _whole(design, "shard_degree", 1),
        outer_parameters=estimates.outer_parameters,
        layer_activations=estimates.layer_activation_bytes,
        outer_activations=estimates.outer_activation_bytes,
        # Between the layers stand sums of what they add, in float32.
        layer_input=FLOAT32_BYTES * _whole(design, "dim", 0) * tokens * samples,
        n_layers=_whole(design, "n_layers", 1),
        heads=tuple(
            _whole(design, name, 1) for name in ("n_heads", "n_kv_heads") if name in design.values
        ),
        tokens_per_sample=tokens,
        compute_bytes=_whole(design, "activation_bytes_per_value", FLOAT32_BYTES),
    )


def _whole(design: Design, name: str, default: int) -> int:
    return int(design.values.get(name, default))
