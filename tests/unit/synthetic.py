"""A tiny catalogue on disk, in which each rule of the real one can be broken alone."""

from pathlib import Path

from scaffold.catalogue import Catalogue, read_catalogue
from scaffold.decisions import Decision
from scaffold.design import Choice, Design, Project, Value
from scaffold.errors import TemplateError
from scaffold.estimates import Estimates
from scaffold.plan import RenderPlan, make_plan

FILES = {
    "parts/color/axis.yaml": "title: Color\nquestion: Which color?\norder: 20\n",
    "parts/color/red/part.yaml": """\
title: Red
help: The color of blood.
reason: It is seen first.
source: https://example.org/red
order: 1
options:
  shade: {type: int, default: 3, minimum: 0, maximum: 9, help: how dark}
  rate: {type: float, default: 1e-5, help: how fast it fades, config: paint.rate}
derived: {double_shade: shade * 2}
dependencies: [torch>=2.11, numpy]
dev_dependencies: [pytest]
provides:
  commands: ['python -m {{package}}.train']
""",
    "parts/color/red/files/src/package/red.py": '"""Red."""\n\nfrom .base import Base\n\n\n'
    "class Red(Base):\n    pass\n",
    "parts/color/red/fragments/train.py": '''\
"""Red paint."""

import os
from pathlib import Path

from .red import Red


def train(path: Path) -> None:
    # {% macro paint() %}
    red = Red(os.name, shade={{design.color.shade}})
    print(red)
    # {% endmacro %}
''',
    "parts/color/blue/part.yaml": "title: Blue\nhelp: The color of the sky.\norder: 2\n"
    "dependencies: [torch<3]\n",
    "parts/color/blue/fragments/train.py": '''\
"""Blue paint."""

# {% macro paint() %}
# {% endmacro %}
''',
    "parts/size/axis.yaml": "title: Size\nquestion: How large?\norder: 10\n",
    "parts/size/small/part.yaml": "title: Small\nhelp: Fits anywhere.\norder: 1\n"
    "dependencies: [torch>=2.11]\nprovides: {commands: [ls]}\n",
    "parts/size/small/files/launch/go.sh.jinja": "#!/bin/sh\npython -m {{ package }}.train\n",
    "frames/src/package/train.py": '''\
"""Trains."""

import sys

# {# paint may read nothing #}


def train() -> None:
    print(sys.argv)
    # {% print color.paint() %}


if __name__ == "__main__":
    train()
''',
    "frames/src/package/base.py": '"""The base."""\n\n\nclass Base:\n    pass\n',
    "frames/tests/test_train.py": '"""Tests."""\n\nfrom package.train import train\n\n\n'
    "def test_train() -> None:\n    train()\n",
    "data/dot-gitignore": "runs/\n",
    "data/configs/train.yaml.jinja": "{% for group in config %}\n{{ group.name }}:\n"
    "{% for item in group.values %}\n  {{ item.name }}: {{ item.value | yaml }}"
    "  # {{ item.help }}\n{% endfor %}\n{% endfor %}\n",
    "data/README.md.jinja": "# {{ project.name }}\n{% for command in provides.commands %}\n"
    "    {{ command }}\n{% endfor %}\n",
}

ESTIMATES = Estimates(10, 60, 40, 40, 80, 100, None, {})
DECISIONS = (Decision("color", "red", "It is seen first.", "https://example.org/red", "default"),)


def write_templates(root: Path, changes: dict[str, str | None] | None = None) -> Path:
    """Writes the tree to a folder, with files replaced or added, or left out (None)."""
    for name, text in {**FILES, **(changes or {})}.items():
        if text is not None:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return root


def make_design(catalogue: Catalogue, package: str = "real_name", **variants: str) -> Design:
    """The design of the first part of each axis, or of the named variants, at their defaults."""
    choices: dict[str, Choice] = {}
    values: dict[str, Value] = {}
    for axis in catalogue.axes.values():
        if any(choices[name].variant not in allowed for name, allowed in axis.when.items()):
            continue
        part = axis.parts[variants.get(axis.name, next(iter(axis.parts)))]
        options = {option.name: option.default for option in part.options.values()}
        choices[axis.name] = Choice(axis.name, part.variant, options)
        values |= options
        values |= dict.fromkeys(part.derived, 6)
    origins = dict.fromkeys([*choices, *values], "default")
    return Design(Project("Real name", package, "A test."), choices, values, origins)


def plan_of(
    root: Path, changes: dict[str, str | None] | None = None, **variants: str
) -> RenderPlan:
    """The plan for the tree with some changes."""
    catalogue = read_catalogue(write_templates(root, changes))
    return make_plan(catalogue, make_design(catalogue, **variants), DECISIONS, ESTIMATES)


def template_error(root: Path, changes: dict[str, str | None], **variants: str) -> str:
    """The text of the TemplateError that planning the changed tree must raise."""
    try:
        plan_of(root, changes, **variants)
    except TemplateError as error:
        return str(error)
    raise AssertionError("no TemplateError was raised")
