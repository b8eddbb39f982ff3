"""The text of scaffold.yaml: the design as the user edits it, every value with its meaning."""

from collections.abc import Iterator, Mapping

from scaffold.formats import comment, yaml_scalar
from scaffold.parts import Part
from scaffold.plan import Chosen, RenderPlan
from scaffold.rulings import notes, refusal

WIDTH = 100
HEAD = "The design of this project: change a value, and `scaffold update` applies it."


def design_text(plan: RenderPlan) -> str:
    """scaffold.yaml: the project, then one block per axis with its variant and every option."""
    project = plan.design.project
    lines = [f"# {HEAD}", "project:"]
    lines += _entry("name", project.name, "for people and for pip")
    lines += _entry("package", project.package, "for `import`")
    lines += _entry("description", project.description, "")
    variants = {choice.axis: choice.variant for choice in plan.design}
    for chosen in plan.chosen:
        lines += ["", *_block(chosen, variants)]
    return "\n".join(lines) + "\n"


def _block(chosen: Chosen, variants: Mapping[str, str]) -> Iterator[str]:
    axis = chosen.axis
    yield comment(axis.question, WIDTH)
    yield f"{axis.name}:"
    others = [
        part.variant
        for part in axis.parts.values()
        if part is not chosen.part
        and _fits(part, variants)
        and refusal(axis.rulings, part.variant) is None
    ]
    help_text = f"or {', '.join(others)}" if others else ""
    yield from _entry("variant", chosen.part.variant, _joined(help_text, notes(axis.rulings)))
    for option in chosen.part.options_of(chosen.choice):
        help_text = _joined(option.help, notes(option.rulings))
        yield from _entry(option.name, chosen.choice.options[option.name], help_text)


def _fits(part: Part, variants: Mapping[str, str]) -> bool:
    """Whether a part may stand beside the variants that are chosen on the other axes."""
    is_missing = any(variants.get(axis) not in names for axis, names in part.requires.items())
    return not is_missing and not any(
        variants.get(axis) in names for axis, names in part.conflicts.items()
    )


def _joined(help_text: str, note: str) -> str:
    return "; ".join(text for text in (help_text.rstrip("."), note) if text) if note else help_text


def _entry(name: str, value: object, help_text: str) -> Iterator[str]:
    """``name: value  # help``, with the help above where the line would be too long."""
    line = f"  {name}: {yaml_scalar(value)}"
    help_text = " ".join(help_text.split())
    if help_text and len(line) + len(help_text) + len("  # ") > WIDTH:
        yield comment(help_text, WIDTH, indent=2)
    elif help_text:
        line = f"{line}  # {help_text}"
    yield line
