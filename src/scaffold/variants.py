"""Which variants go together: what speaks against one, and how the axes left open are settled."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from scaffold.catalogue import Catalogue
from scaffold.parts import Axis, Part

Variants = Mapping[str, str]  # axis -> variant, for the axes that are settled


def applies(axis: Axis, variants: Variants) -> bool:
    """Whether the axis exists in a design with these variants."""
    return all(variants.get(other) in allowed for other, allowed in axis.when.items()) and not any(
        variants.get(other) in excluded for other, excluded in axis.unless.items()
    )


def fitted(part: Part, variants: Variants) -> Part:
    """The part without the options that a design with these variants does not have."""
    options = {
        name: option
        for name, option in part.options.items()
        if not any(variants.get(other) in excluded for other, excluded in option.unless.items())
    }
    return part if len(options) == len(part.options) else replace(part, options=options)


def clash(catalogue: Catalogue, one: tuple[str, str], two: tuple[str, str]) -> str | None:
    """Why two (axis, variant) pairs cannot stand in one design; None if they can."""
    for (axis_name, variant), (other, other_variant) in ((one, two), (two, one)):
        axis = catalogue.axes[axis_name]
        part = axis.parts[variant]
        if other in axis.when and other_variant not in axis.when[other]:
            return f"{axis_name} exists only with {other} = {_either(axis.when[other])}"
        if other_variant in axis.unless.get(other, ()):
            return f"{axis_name} does not exist with {other} = {other_variant}"
        if other in part.requires and other_variant not in part.requires[other]:
            return _because(
                part, f"{axis_name} = {variant} needs {other} = {_either(part.requires[other])}"
            )
        if other_variant in part.conflicts.get(other, ()):
            return _because(part, f"{axis_name} = {variant} excludes {other} = {other_variant}")
    return None


def objections(
    catalogue: Catalogue, axis: str, variant: str, settled: Variants
) -> Iterator[tuple[str, str]]:
    """The settled axes that a variant does not go with, each with the reason."""
    for other, other_variant in settled.items():
        if other != axis:
            reason = clash(catalogue, (axis, variant), (other, other_variant))
            if reason:
                yield other, reason


def complete(catalogue: Catalogue, settled: Variants) -> dict[str, str] | None:
    """One variant for every axis that exists, the settled ones kept; None if nothing fits.

    Open axes take their first variant, in the order of the parts, that goes with all the others: so
    a default that a settled choice excludes moves to the next one.
    """
    found = _complete(catalogue, list(catalogue.axes.values()), {}, settled)
    return (
        None if found is None else {name: found[name] for name in catalogue.axes if name in found}
    )


def disabled_because(
    catalogue: Catalogue, axis: str, variant: str, settled: Variants
) -> str | None:
    """Why a variant cannot be chosen beside the settled ones; None if it can."""
    reasons = [reason for _, reason in objections(catalogue, axis, variant, settled)]
    if reasons:
        return "; ".join(dict.fromkeys(reasons))
    if complete(catalogue, {**settled, axis: variant}) is None:
        return "no choice on the remaining axes goes with it"
    return None


def _complete(
    catalogue: Catalogue, axes: list[Axis], chosen: Variants, settled: Variants
) -> Variants | None:
    if not axes:
        missing = any(
            other not in chosen
            for axis, variant in chosen.items()
            for other in catalogue.axes[axis].parts[variant].requires
        )
        return None if missing else chosen
    axis, rest = axes[0], axes[1:]
    if not applies(axis, chosen):
        return None if axis.name in settled else _complete(catalogue, rest, chosen, settled)
    candidates = [settled[axis.name]] if axis.name in settled else list(axis.parts)
    for variant in candidates:
        if not any(objections(catalogue, axis.name, variant, {**settled, **chosen})):
            found = _complete(catalogue, rest, {**chosen, axis.name: variant}, settled)
            if found is not None:
                return found
    return None


def _either(variants: tuple[str, ...]) -> str:
    return " or ".join(variants)


def _because(part: Part, text: str) -> str:
    return f"{text} ({part.because})" if part.because else text
