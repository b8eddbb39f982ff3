"""What to type after a project was made: from the folder to the first training step."""

import re
import shlex

from scaffold.keys import shown
from scaffold.parts import Provided
from scaffold.plan import RenderPlan

INSTALL = "python -m pip install -e ."
TRAIN = "python -m {{package}}.train"
PLACEHOLDER = re.compile(r"\{\{\s*([\w.]+)\s*\}\}")


def next_steps(plan: RenderPlan, destination: str) -> tuple[tuple[str, str], ...]:
    """(command, what it does): enter the folder, install, prepare the data if need be, train.

    Parts say how under ``provides``: ``prepare_commands`` (``run``, ``does``) and ``run_command``.
    """
    steps = [
        (f"cd {shlex.quote(destination)}", "the new project"),
        (INSTALL, "install it with what it needs"),
    ]
    steps += [_step(plan, item) for item in _list(plan.provides.get("prepare_commands", []))]
    steps.append((_filled(plan, plan.provides.get("run_command", TRAIN)), "train"))
    return tuple(steps)


def _step(plan: RenderPlan, item: Provided) -> tuple[str, str]:
    fields = item if isinstance(item, dict) else {"run": item}
    return _filled(plan, fields.get("run", "")), _filled(plan, fields.get("does", ""))


def _list(value: Provided) -> list[Provided]:
    return value if isinstance(value, list) else [value]


def _filled(plan: RenderPlan, text: Provided) -> str:
    """A text with ``{{package}}`` and ``{{design.axis.name}}`` replaced by their values."""
    values = {**plan.design.values, "package": plan.design.project.package}
    return PLACEHOLDER.sub(lambda match: shown(values[match[1].rpartition(".")[2]]), str(text))
