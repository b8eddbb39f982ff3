"""Why a variant cannot be chosen: what speaks against it, at once or further on."""

from scaffold.catalogue import Axis, Catalogue
from scaffold.completion import complete
from scaffold.rulings import notes, refusal
from scaffold.variants import Variants, applies, either, objections


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
            variant: _reasons(catalogue, axis.name, variant, settled)
            for variant in axis.parts
            if refusal(axis.rulings, variant) is None
        }
        fewest = min(map(len, against.values()))
        if fewest > 0:
            found: dict[str, list[str]] = {}  # what several variants need alike is said once
            for variant, reasons in against.items():
                for reason in reasons if len(reasons) == fewest else ():
                    found.setdefault(reason.removeprefix(f"{axis.name} = {variant} "), []).append(
                        variant
                    )
            texts = [f"{either(names)} {reason}" for reason, names in found.items()]
            texts += [notes(axis.rulings)] if axis.rulings else []
            return f"no {axis.name} fits: {'; '.join(texts)}"
    return None


def _forced(catalogue: Catalogue, settled: Variants) -> dict[str, str]:
    """The settled variants and those that they leave no choice about."""
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
    """Whether the axis may be left with no variant that fits.

    Every variant needs something of the others, or teams allow only some.
    """
    needs = bool(axis.when) and all(part.requires for part in axis.parts.values())
    return needs or any(ruling.is_restriction for ruling in axis.rulings)
