"""The text of scaffold.yaml: the design as the user edits it, every value with its meaning."""

from collections.abc import Iterator

from scaffold.formats import comment, yaml_scalar
from scaffold.plan import Chosen, RenderPlan

WIDTH = 100
HEAD = "The design of this project: change a value, then run `scaffold update`."


def design_text(plan: RenderPlan) -> str:
    """scaffold.yaml: the project, then one block per axis with its variant and every option."""
    project = plan.design.project
    lines = [f"# {HEAD}", "project:"]
    lines += _entry("name", project.name, "for people and for pip")
    lines += _entry("package", project.package, "for `import`")
    lines += _entry("description", project.description, "")
    for chosen in plan.chosen:
        lines += ["", *_block(chosen)]
    return "\n".join(lines) + "\n"


def _block(chosen: Chosen) -> Iterator[str]:
    axis = chosen.axis
    yield comment(axis.question, WIDTH)
    yield f"{axis.name}:"
    others = [variant for variant in axis.parts if variant != chosen.part.variant]
    yield from _entry("variant", chosen.part.variant, f"or {', '.join(others)}" if others else "")
    for option in chosen.part.options.values():
        yield from _entry(option.name, chosen.choice.options[option.name], option.help)


def _entry(name: str, value: object, help_text: str) -> Iterator[str]:
    """``name: value  # help``, with the help above where the line would be too long."""
    line = f"  {name}: {yaml_scalar(value)}"
    help_text = " ".join(help_text.split())
    if help_text and len(line) + len(help_text) + len("  # ") > WIDTH:
        yield comment(help_text, WIDTH, indent=2)
    elif help_text:
        line = f"{line}  # {help_text}"
    yield line
