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

    Parts say how under ``provides``: ``prepare_commands`` (``run``, ``does``), ``run_command``
    and ``run_where`` (on which machines, if not on this one).
    """
    steps = [
        (f"cd {shlex.quote(destination)}", "the new project"),
        (INSTALL, "install it with what it needs"),
    ]
    steps += [_step(plan, item) for item in _list(plan.provides.get("prepare_commands", []))]
    where = _filled(plan, plan.provides.get("run_where", ""))
    steps.append((_filled(plan, plan.provides.get("run_command", TRAIN)), f"train{where}"))
    return tuple(steps)


def _step(plan: RenderPlan, item: Provided) -> tuple[str, str]:
    fields = item if isinstance(item, dict) else {"run": item}
    return _filled(plan, fields.get("run", "")), _filled(plan, fields.get("does", ""))


def _list(value: Provided) -> list[Provided]:
    return value if isinstance(value, list) else [value]


def _filled(plan: RenderPlan, text: Provided) -> str:
    """A text with ``{{package}}`` and ``{{design.axis.name}}`` replaced by their values."""
    values = {**plan.design.values, "package": plan.design.project.package}

    def value(match: re.Match[str]) -> str:
        found = values[match[1].rpartition(".")[2]]
        return found if isinstance(found, str) else shown(found)  # a command is shown whole

    return PLACEHOLDER.sub(value, str(text))
