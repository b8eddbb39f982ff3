"""Which variants go together, and what speaks against one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from scaffold.catalogue import Catalogue
from scaffold.parts import Axis, Part
from scaffold.rulings import refusal

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
            return f"{axis_name} exists only with {other} = {either(axis.when[other])}"
        if other_variant in axis.unless.get(other, ()):
            return f"{axis_name} does not exist with {other} = {other_variant}"
        if other in part.requires and other_variant not in part.requires[other]:
            return _because(
                part, f"{axis_name} = {variant} needs {other} = {either(part.requires[other])}"
            )
        if other_variant in part.conflicts.get(other, ()):
            return _because(part, f"{axis_name} = {variant} excludes {other} = {other_variant}")
    return None


def objections(
    catalogue: Catalogue, axis: str, variant: str, settled: Variants
) -> Iterator[tuple[str, str]]:
    """The axes that a variant does not go with, each with the reason; its own if a team's."""
    ruling = refusal(catalogue.axes[axis].rulings, variant)
    if ruling is not None:
        yield axis, ruling.rule
    for other, other_variant in settled.items():
        if other != axis:
            reason = clash(catalogue, (axis, variant), (other, other_variant))
            if reason:
                yield other, reason


def either(variants: Sequence[str]) -> str:
    """The variants as text."""
    return " or ".join(variants)


def _because(part: Part, text: str) -> str:
    return f"{text} ({part.because})" if part.because else text
