"""Parts made from other parts: one that is like another, and one with additions to it."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from scaffold.errors import TemplateError
from scaffold.parts import Addition, Axis, Part, Provided


def inherited(parts: Mapping[str, Part], part: Part) -> Part:
    """A part that is like another one, with everything from it that it does not say itself.

    That one may be like a third.
    """
    _check_line(parts, part)
    base = parts[part.like]
    base = inherited(parts, base) if base.like else base
    rules = {rule.id: rule for rule in (*base.rules, *part.rules)}
    return replace(
        part,
        like="",
        source=part.source or base.source,
        requires={**base.requires, **part.requires},
        conflicts={**base.conflicts, **part.conflicts},
        because=part.because or base.because,
        options={**base.options, **part.options},
        derived={**base.derived, **part.derived},
        rules=tuple(rules.values()),
        estimates={**base.estimates, **part.estimates},
        shares={**base.shares, **part.shares},
        dependencies=(*base.dependencies, *part.dependencies),
        dev_dependencies=(*base.dev_dependencies, *part.dev_dependencies),
        provides={**base.provides, **part.provides},
        files={**base.files, **part.files},
        fragments={**base.fragments, **part.fragments},
    )


def _check_line(parts: Mapping[str, Part], part: Part) -> None:
    """Raises TemplateError if one that the part is like is not there, or is like the part."""
    line = [part.variant]
    while like := parts[line[-1]].like:
        where = f"parts/{part.axis}/{line[-1]}/part.yaml: like"
        if like not in parts:
            known = ", ".join(name for name, other in parts.items() if not other.like)
            raise TemplateError(f"{where}: {like!r} is none of {known}")
        if like in line:
            raise TemplateError(f"{where}: {' is like '.join([*line, like])}")
        line.append(like)


def meant_too(axes: Mapping[str, Axis], likes: Mapping[tuple[str, str], str]) -> dict[str, Axis]:
    """The axes, in which conditions that name a variant mean those that are like it, too.

    ``likes`` maps axis and variant to the variant of that axis that it is like. Who wrote the
    conditions could not know of it.
    """

    def widened(condition: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        return {
            axis: tuple(dict.fromkeys([*named, *(_like_one_of(named, axis, likes))]))
            for axis, named in condition.items()
        }

    def of_part(part: Part) -> Part:
        options = {
            name: replace(option, unless=widened(option.unless))
            for name, option in part.options.items()
        }
        requires, conflicts = widened(part.requires), widened(part.conflicts)
        return replace(part, requires=requires, conflicts=conflicts, options=options)

    return {
        name: replace(
            axis,
            when=widened(axis.when),
            unless=widened(axis.unless),
            parts={variant: of_part(part) for variant, part in axis.parts.items()},
        )
        for name, axis in axes.items()
    }


def _like_one_of(
    named: Collection[str], axis: str, likes: Mapping[tuple[str, str], str]
) -> list[str]:
    found: list[str] = []
    for other, variant in likes:
        ancestor = likes[other, variant] if other == axis else ""
        while ancestor and ancestor not in named:
            ancestor = likes.get((axis, ancestor), "")
        if ancestor:
            found.append(variant)
    return found


def extended(part: Part, addition: Addition, where: str) -> Part:
    """A part with additions, none of which it may have already."""
    for name in (*addition.options, *addition.derived):
        if name in part.options or name in part.derived:
            raise TemplateError(f"{where}: {name} is there already")
    return replace(
        part,
        options={**part.options, **addition.options},
        derived={**part.derived, **addition.derived},
        rules=(*part.rules, *addition.rules),
        dependencies=(*part.dependencies, *addition.dependencies),
        dev_dependencies=(*part.dev_dependencies, *addition.dev_dependencies),
        provides=_joined(part.provides, addition.provides),
    )


def _joined(old: Mapping[str, Provided], more: Mapping[str, Provided]) -> dict[str, Provided]:
    """What a part provides with more: lists grow, mappings merge, other values are replaced."""
    joined = dict(old)
    for key, value in more.items():
        before = joined.get(key)
        if isinstance(before, list) and isinstance(value, list):
            joined[key] = [*before, *value]
        elif isinstance(before, dict) and isinstance(value, dict):
            joined[key] = _joined(before, value)
        else:
            joined[key] = value
    return joined
