"""Which variants go together: what speaks against one, and how the axes left open are settled."""

from collections.abc import Iterator, Mapping

from scaffold.catalogue import Catalogue
from scaffold.parts import Axis, Part

Variants = Mapping[str, str]  # axis -> variant, for the axes that are settled


def applies(axis: Axis, variants: Variants) -> bool:
    """Whether the axis exists in a design with these variants."""
    return all(variants.get(other) in allowed for other, allowed in axis.when.items())


def clash(catalogue: Catalogue, one: tuple[str, str], two: tuple[str, str]) -> str | None:
    """Why two (axis, variant) pairs cannot stand in one design; None if they can."""
    for (axis_name, variant), (other, other_variant) in ((one, two), (two, one)):
        axis = catalogue.axes[axis_name]
        part = axis.parts[variant]
        if other in axis.when and other_variant not in axis.when[other]:
            return f"{axis_name} exists only with {other} = {_either(axis.when[other])}"
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
    forced = _forced(catalogue, settled)
    if _clashes(catalogue, settled, forced) or dead_end(catalogue, forced) is not None:
        return None
    found = _complete(catalogue, list(catalogue.axes.values()), {}, forced)
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
    settled = {**settled, axis: variant}
    if complete(catalogue, settled) is None:
        return dead_end(catalogue, settled) or "no choice on the remaining axes goes with it"
    return None


def dead_end(catalogue: Catalogue, settled: Variants) -> str | None:
    """What speaks against every variant of an axis that exists beside the settled ones.

    Of the variants those are named that the fewest settled choices speak against. None where each
    such axis has a variant that goes with all of them.
    """
    for axis in catalogue.axes.values():
        if axis.name in settled or not _demands(axis) or not applies(axis, settled):
            continue
        against = {
            variant: _reasons(catalogue, axis.name, variant, settled) for variant in axis.parts
        }
        fewest = min(map(len, against.values()))
        if fewest > 0:
            found: dict[str, list[str]] = {}  # what several variants need alike is said once
            for variant, reasons in against.items():
                for reason in reasons if len(reasons) == fewest else ():
                    found.setdefault(reason.removeprefix(f"{axis.name} = {variant} "), []).append(
                        variant
                    )
            texts = [f"{_either(tuple(names))} {reason}" for reason, names in found.items()]
            return f"no {axis.name} fits: {'; '.join(texts)}"
    return None


def _forced(catalogue: Catalogue, settled: Variants) -> dict[str, str]:
    """The settled variants and those that they leave no choice about.

    Without these, a search would try all that there is on the axes before it met one that is bound.
    """
    forced = dict(settled)
    open_axes = list(forced)
    for name in open_axes:
        axis = catalogue.axes[name]
        for needs in (axis.when, axis.parts[forced[name]].requires):
            for other, allowed in needs.items():
                known = catalogue.axes[other].parts if other in catalogue.axes else {}
                if other not in forced and len(allowed) == 1 and allowed[0] in known:
                    forced[other] = allowed[0]
                    open_axes.append(other)
    return forced


def _reasons(catalogue: Catalogue, axis: str, variant: str, settled: Variants) -> list[str]:
    """What speaks against a variant beside the settled ones, also by way of what it forces."""
    direct = [reason for _, reason in objections(catalogue, axis, variant, settled)]
    if direct:
        return direct
    settled = {**settled, axis: variant}
    return _clashes(catalogue, settled, _forced(catalogue, settled))


def _clashes(catalogue: Catalogue, settled: Variants, forced: Variants) -> list[str]:
    """What speaks against those that were forced and had not been settled."""
    return [
        reason
        for axis, variant in forced.items()
        if axis not in settled
        for _, reason in objections(catalogue, axis, variant, forced)
    ]


def _demands(axis: Axis) -> bool:
    """Whether every variant of the axis needs something of the others, so that none may fit."""
    return bool(axis.when) and all(part.requires for part in axis.parts.values())


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
    beside = {**settled, **chosen}
    for variant in candidates:
        if any(objections(catalogue, axis.name, variant, beside)):
            continue
        extended = {**beside, axis.name: variant}
        if axis.name in settled or dead_end(catalogue, extended) is None:
            found = _complete(catalogue, rest, {**chosen, axis.name: variant}, settled)
            if found is not None:
                return found
    return None


def _either(variants: tuple[str, ...]) -> str:
    return " or ".join(variants)


def _because(part: Part, text: str) -> str:
    return f"{text} ({part.because})" if part.because else text
