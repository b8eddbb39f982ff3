"""Parameters, floating-point operations and memory of a design: pure formulas, with units.

What a part declares under ``estimates`` is summed by name over the chosen parts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scaffold.catalogue import Catalogue
from scaffold.design import Design, Value
from scaffold.expressions import evaluate, names
from scaffold.parts import Part

FLOAT32_BYTES = 4  # parameters and gradients are kept in float32 whatever the autocast precision
PASSES = 3  # the backward pass multiplies twice what the forward pass does


@dataclass(frozen=True)
class Estimates:
    """What one copy of the model costs; memory is for one micro-batch on one device.

    ``flops_per_token`` counts forward and backward. Generation keeps ``cache_bytes_per_token``, and
    ``cache_bytes_per_sequence`` however long the text is: None where it keeps no such thing.
    ``active_parameters`` are those that a token uses, None where it uses them all. ``formulas``
    says how each number was worked out, in the design's own names. ``outer_parameters`` are in no
    layer; of all activations, ``layer_activation_bytes`` are in the layers, the others outside.
    """

    parameters: int
    flops_per_token: int
    parameter_bytes: int
    gradient_bytes: int
    optimizer_bytes: int
    activation_bytes: int
    cache_bytes_per_token: int | None
    formulas: Mapping[str, str]
    active_parameters: int | None = None
    cache_bytes_per_sequence: int | None = None
    outer_parameters: int = 0
    layer_activation_bytes: int = 0
    outer_activation_bytes: int = 0

    @property
    def training_bytes(self) -> int:
        """Parameters, gradients, optimizer state and the activations of one micro-batch."""
        return (
            self.parameter_bytes
            + self.gradient_bytes
            + self.optimizer_bytes
            + self.activation_bytes
        )


def estimate(catalogue: Catalogue, design: Design) -> Estimates:
    """Works out the estimates of a design from the declarations of its parts."""
    totals: dict[str, float] = {}
    sums: dict[str, list[str]] = {}
    parts = [catalogue.axes[choice.axis].parts[choice.variant] for choice in design]
    shares = {axis: share for part in parts for axis, share in part.shares.items()}
    in_layers = 0.0
    for part in parts:
        for name, whole in part.estimates.items():
            text = f"({shares[part.axis]}) * ({whole})" if part.axis in shares else whole
            value = _number(evaluate(text, design.values))
            totals[name] = totals.get(name, 0) + value
            sums.setdefault(name, []).append(text)
            if name == "activation_bytes_per_token" and _depends(parts, whole, "n_layers"):
                in_layers += value
    parameters = round(totals.get("parameters", 0))
    tokens = _number(design.values.get("tokens_per_sample", 1)) * _number(
        design.values.get("micro_batch_size", 1)
    )
    cache = totals.get("cache_bytes_per_token")
    state = totals.get("cache_bytes_per_sequence")
    inactive = totals.get("inactive_parameters")
    return Estimates(
        parameters=parameters,
        flops_per_token=round(PASSES * totals.get("flops_per_token", 0)),
        parameter_bytes=FLOAT32_BYTES * parameters,
        gradient_bytes=FLOAT32_BYTES * parameters,
        optimizer_bytes=round(
            totals.get("optimizer_bytes_per_parameter", 0) * parameters
            + totals.get("optimizer_bytes_per_outer_parameter", 0)
            * totals.get("outer_parameters", 0)
        ),
        activation_bytes=round(totals.get("activation_bytes_per_token", 0) * tokens),
        cache_bytes_per_token=None if cache is None else round(cache),
        formulas=_formulas(sums),
        active_parameters=None if inactive is None else parameters - round(inactive),
        cache_bytes_per_sequence=None if state is None else round(state),
        outer_parameters=round(totals.get("outer_parameters", 0)),
        layer_activation_bytes=round(in_layers * tokens),
        outer_activation_bytes=round(
            (totals.get("activation_bytes_per_token", 0) - in_layers) * tokens
        ),
    )


def _depends(parts: Sequence[Part], text: str, name: str) -> bool:
    """Whether an expression reads a value, itself or through derived ones."""
    derived = {key: formula for part in parts for key, formula in part.derived.items()}
    found: set[str] = set()
    open_names = [*names(text)]
    while open_names:
        word = open_names.pop()
        if word not in found:
            found.add(word)
            open_names += names(derived[word]) if word in derived else ()
    return name in found


def _formulas(sums: Mapping[str, list[str]]) -> dict[str, str]:
    text = {name: _sum(terms) for name, terms in sums.items()}
    return {
        "parameters": text.get("parameters", "0"),
        "active_parameters": f"parameters - ({text.get('inactive_parameters', '0')})",
        "flops_per_token": f"{PASSES} * ({text.get('flops_per_token', '0')})",
        "parameter_bytes": f"{FLOAT32_BYTES} * parameters",
        "gradient_bytes": f"{FLOAT32_BYTES} * parameters",
        "optimizer_bytes": _optimizer_formula(text),
        "activation_bytes": (
            f"({text.get('activation_bytes_per_token', '0')})"
            " * tokens_per_sample * micro_batch_size"
        ),
        "cache_bytes_per_token": text.get("cache_bytes_per_token", "0"),
        "cache_bytes_per_sequence": text.get("cache_bytes_per_sequence", "0"),
        "training_bytes": "parameter_bytes + gradient_bytes + optimizer_bytes + activation_bytes",
    }


def _optimizer_formula(text: Mapping[str, str]) -> str:
    """Bytes for each parameter, and those for each that no layer has."""
    formula = f"{_factor(text.get('optimizer_bytes_per_parameter', '0'))} * parameters"
    outer = text.get("optimizer_bytes_per_outer_parameter")
    if outer is None:
        return formula
    return f"{formula} + {_factor(outer)} * ({text.get('outer_parameters', '0')})"


def _sum(terms: list[str]) -> str:
    """The terms of a sum as it is written by hand: ``a - b``, not ``a + -b``."""
    first, *others = (f"({term})" if " if " in term else term for term in terms)
    return first + "".join(
        f" - {term[1:].lstrip()}" if term.startswith("-") else f" + {term}" for term in others
    )


def _number(value: Value) -> float:
    """An estimate is a number; exact for whole ones, which stay Python integers."""
    if isinstance(value, str):
        raise TypeError(f"an estimate must be a number, not {value!r}")
    return value


def _factor(text: str) -> str:
    """An expression as a factor of a product: in brackets unless it is a plain number."""
    return text if text.isdigit() else f"({text})"
