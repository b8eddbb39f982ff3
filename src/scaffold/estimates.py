"""Parameters, floating-point operations and memory of a design: pure formulas, with units.

What a part declares under ``estimates`` is summed by name over the chosen parts.

``activation_bytes_per_token`` is all that backward needs. Of it, what is outside the layers is
``outer_activation_bytes_per_token``, and what products with weights and attention give within them
is ``product_bytes_per_token``. A part by which layers keep less declares ``kept_bytes_per_token``,
and ``kept_share_of_products`` if products are kept, too. One layer at a time is whole then, after
what is outside the layers has been freed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from scaffold.catalogue import Catalogue
from scaffold.design import Design, Value
from scaffold.expressions import evaluate
from scaffold.parts import Part

FLOAT32_BYTES = 4  # parameters and gradients are kept in float32 whatever the autocast precision
GATHERED = "gathered_bytes"
SINGLE: Mapping[str, Value] = {"tokens_per_sample": 1, "micro_batch_size": 1}  # unless it says more
LAYERS = "layer_activation_bytes_per_token"  # what of the activations is within the layers
PASSES = 3  # the backward pass multiplies twice what the forward pass does


@dataclass(frozen=True)
class Estimates:
    """What training and using the model costs; memory is for one micro-batch on one device.

    A device holds one of ``shard_degree`` shards of parameters, gradients and optimizer state, and
    ``gathered_bytes`` of others' shards for a while: None where nothing is sharded. Where devices
    share a sample, each has one of ``tensor_degree`` parts of the activations, but for what
    ``whole_bytes_per_token`` says, and of what is gathered; or of ``context_degree`` parts, and
    what ``shared_bytes_per_token`` says of all tokens.

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
    gathered_bytes: int | None = None
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
            + (self.gathered_bytes or 0)
        )


def estimate(catalogue: Catalogue, design: Design) -> Estimates:
    """Works out the estimates of a design from the declarations of its parts."""
    totals: dict[str, float] = {}
    gathered = ""
    sums: dict[str, list[str]] = {}
    parts = [catalogue.axes[choice.axis].parts[choice.variant] for choice in design]
    shares = {axis: share for part in parts for axis, share in part.shares.items()}
    for part in parts:
        for name, whole in part.estimates.items():
            if name == GATHERED:
                gathered = whole  # of what the others add up to
                continue
            text = f"({shares[part.axis]}) * ({whole})" if part.axis in shares else whole
            totals[name] = totals.get(name, 0) + _number(evaluate(text, design.values))
            sums.setdefault(name, []).append(text)
        for text in _within_layers(part, shares.get(part.axis)):
            sums.setdefault(LAYERS, []).append(text)
    parameters = round(totals.get("parameters", 0))
    outer = round(totals.get("outer_parameters", 0))
    known = {**design.values, "parameters": parameters, "outer_parameters": outer}
    degree = round(_number(design.values.get("shard_degree", 1)))
    spread = round(_number(design.values.get("tensor_degree", 1)))
    formulas = _formulas(sums, gathered, degree, spread)
    in_layers = _number(evaluate(_sum(sums.get(LAYERS, ["0"])), design.values))
    tokens = _number(evaluate("tokens_per_sample * micro_batch_size", {**SINGLE, **design.values}))
    cache = totals.get("cache_bytes_per_token")
    state = totals.get("cache_bytes_per_sequence")
    inactive = totals.get("inactive_parameters")
    return Estimates(
        parameters=parameters,
        flops_per_token=round(PASSES * totals.get("flops_per_token", 0)),
        parameter_bytes=FLOAT32_BYTES * parameters // degree,
        gradient_bytes=FLOAT32_BYTES * parameters // degree,
        optimizer_bytes=round(
            totals.get("optimizer_bytes_per_parameter", 0) * parameters
            + totals.get("optimizer_bytes_per_outer_parameter", 0) * outer
        )
        // degree,
        activation_bytes=round(
            _number(evaluate(formulas["activation_bytes"], {**SINGLE, **design.values}))
        ),
        cache_bytes_per_token=None if cache is None else round(cache),
        formulas=formulas,
        active_parameters=None if inactive is None else parameters - round(inactive),
        cache_bytes_per_sequence=None if state is None else round(state),
        gathered_bytes=round(_number(evaluate(gathered, known)) / spread) if gathered else None,
        outer_parameters=outer,
        layer_activation_bytes=round(in_layers * tokens),
        outer_activation_bytes=round(
            (totals.get("activation_bytes_per_token", 0) - in_layers) * tokens
        ),
    )


def _formulas(
    sums: Mapping[str, list[str]], gathered: str, degree: int, spread: int
) -> dict[str, str]:
    text = {name: _sum(terms) for name, terms in sums.items()}
    shard = " // shard_degree" if degree > 1 else ""
    optimizer = _optimizer_formula(text)
    activations = _activations(sums)
    gathered = gathered.replace("outer_parameters", f"({text.get('outer_parameters', '0')})")
    if spread > 1:
        whole = text.get("whole_bytes_per_token", "0")
        activations = f"({activations} - ({whole})) / tensor_degree + {whole}"
        gathered = f"({gathered}) / tensor_degree"
    if "shared_bytes_per_token" in text:
        shared = text["shared_bytes_per_token"]
        if spread > 1:
            shared = f"({shared}) / tensor_degree"
        if "kept_bytes_per_token" in text:
            shared = f"({shared}) / n_layers"  # of the layer that is worked out again
        activations = f"({activations}) / context_degree + {shared}"
    kept = "parameter_bytes + gradient_bytes + optimizer_bytes + activation_bytes"
    return {
        "parameters": text.get("parameters", "0"),
        "active_parameters": f"parameters - ({text.get('inactive_parameters', '0')})",
        "flops_per_token": f"{PASSES} * ({text.get('flops_per_token', '0')})",
        "parameter_bytes": f"{FLOAT32_BYTES} * parameters{shard}",
        "gradient_bytes": f"{FLOAT32_BYTES} * parameters{shard}",
        "optimizer_bytes": f"({optimizer}){shard}"
        if shard and "+" in optimizer
        else f"{optimizer}{shard}",
        "activation_bytes": f"({activations}) * tokens_per_sample * micro_batch_size",
        "cache_bytes_per_token": text.get("cache_bytes_per_token", "0"),
        "cache_bytes_per_sequence": text.get("cache_bytes_per_sequence", "0"),
        "gathered_bytes": gathered,
        "training_bytes": f"{kept} + gathered_bytes" if gathered else kept,
    }


def _within_layers(part: Part, share: str | None) -> Iterator[str]:
    """What of the activations that a part declares is within the layers."""
    whole = part.estimates.get("activation_bytes_per_token")
    outer = part.estimates.get("outer_activation_bytes_per_token")
    if whole is None or whole == outer:
        return
    text = whole if outer is None else f"{whole} - {outer}"
    yield text if share is None else f"({share}) * ({text})"


def _activations(sums: Mapping[str, list[str]]) -> str:
    """Bytes of activations for each token."""

    def total(name: str) -> str:
        return _sum(sums[name]) if name in sums else "0"

    if "kept_bytes_per_token" not in sums:
        return total("activation_bytes_per_token")
    kept, again = total("kept_bytes_per_token"), total(LAYERS)
    if "kept_share_of_products" in sums:
        products = total("product_bytes_per_token")
        kept, again = f"{kept} + {products}", f"{again} - ({products})"
    return f"{kept} + max({total('outer_activation_bytes_per_token')}, ({again}) / n_layers)"


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
