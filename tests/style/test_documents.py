"""README and DESIGN of a project speak of that project: its files, its modules, its choices."""

import re
from collections.abc import Mapping

from rendering import Rendering

LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)\)")
MODULE = re.compile(r"python -m ([\w.]+)")
ROW = re.compile(r"^\| \[[^]]+\]\(([^)]+)\) \|(.*)\|$", re.MULTILINE)
TOOLS = ("pip", "pytest", "ruff", "mypy", "venv", "torch.distributed.run")
DOCUMENTS = ("README.md", "DESIGN.md")


def test_links_lead_to_files_of_the_project(covering_set: Mapping[str, Rendering]) -> None:
    for title, rendering in covering_set.items():
        for document in DOCUMENTS:
            for target in LINK.findall(rendering.texts()[document]):
                is_there = any(path.startswith(target) for path in rendering.tree)
                assert is_there, f"{title}: {document} links to {target}"


def test_commands_run_modules_of_the_project(covering_set: Mapping[str, Rendering]) -> None:
    for title, rendering in covering_set.items():
        for path, text in rendering.texts().items():
            if path.startswith(".scaffold/"):
                continue
            for module in MODULE.findall(text):
                file = f"src/{module.replace('.', '/')}.py"
                assert file in rendering.tree or module in TOOLS, f"{title}: {path}: {module}"


def test_every_file_in_the_readme_is_described(covering_set: Mapping[str, Rendering]) -> None:
    for title, rendering in covering_set.items():
        rows = ROW.findall(rendering.texts()["README.md"])
        assert rows
        bare = [path for path, description in rows if not description.strip()]
        assert not bare, f"{title}: {bare}"


def test_the_documents_show_every_choice(covering_set: Mapping[str, Rendering]) -> None:
    for title, rendering in covering_set.items():
        texts = rendering.texts()
        for item in rendering.plan.chosen:
            assert item.part.title in texts["README.md"], f"{title}: {item.part.id}"
            row = f"| {item.axis.name} | {item.part.variant} |"
            assert row in texts["DESIGN.md"], f"{title}: {item.part.id}"
