"""What a project and its package may be called."""

import keyword
import re
import sys
from collections.abc import Iterable

from scaffold.catalogue import Catalogue
from scaffold.errors import Problem
from scaffold.keys import shown

LONGEST_NAME = 40
DISTRIBUTION = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")  # PEP 508
PACKAGE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
# Distributions whose import name differs from their own, and what every project here may import.
IMPORT_NAMES = {"scikit-learn": "sklearn", "pyyaml": "yaml", "pillow": "PIL"}
ALWAYS_TAKEN = (
    "torch",
    "numpy",
    "yaml",
    "omegaconf",
    "pytest",
    "ruff",
    "mypy",
    "pip",
    "setuptools",
)
FOLDERS = ("src", "tests", "test", "configs", "launch", "conftest", "scaffold")
DEVICES = ("con", "prn", "aux", "nul")  # names that Windows does not let a folder have


def name_from(folder: str) -> str:
    """The project name that a folder's name suggests."""
    return re.sub(r"\s+", "-", folder.strip()).strip("-._") or "project"


def package_from(name: str) -> str:
    """The package name that a project name suggests."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def name_problems(catalogue: Catalogue, name: str) -> Iterable[Problem]:
    """What is wrong with a project name."""
    fix = "give another as project.name, or to `new` by --name"
    if not DISTRIBUTION.fullmatch(name):
        rule = "it must be letters, digits, '-', '_' and '.', with a letter or digit at both ends"
        yield Problem("project.name", shown(name), rule, fix)
    elif len(name) > LONGEST_NAME:
        rule = f"a project name has at most {LONGEST_NAME} characters"
        yield Problem("project.name", shown(name), rule, fix)
    elif _normal(name) in {_normal(taken) for taken in _distributions(catalogue)}:
        yield Problem("project.name", name, "that is a package which projects depend on", fix)


def package_problems(catalogue: Catalogue, package: str) -> Iterable[Problem]:
    """What is wrong with a package name."""
    fix = "give another as project.package, or to `new` by --package"
    rule = None
    if not PACKAGE.fullmatch(package):
        rule = "a package name is lower-case letters, digits and single '_', a letter first"
    elif len(package) > LONGEST_NAME:
        rule = f"a package name has at most {LONGEST_NAME} characters"
    elif keyword.iskeyword(package) or keyword.issoftkeyword(package):
        rule = "that is a keyword of Python"
    elif package in sys.stdlib_module_names:
        rule = "that is a module of Python's standard library"
    elif package in {_import_name(taken) for taken in _distributions(catalogue)}:
        rule = "that is a package which projects depend on"
    elif package in FOLDERS or package in DEVICES:
        rule = "that name is taken by a folder or a tool"
    if rule is not None:
        yield Problem("project.package", shown(package), rule, fix)


def _distributions(catalogue: Catalogue) -> set[str]:
    """The names of all distributions that some part of the catalogue depends on."""
    names = set(ALWAYS_TAKEN)
    for axis in catalogue.axes.values():
        for part in axis.parts.values():
            for requirement in (*part.dependencies, *part.dev_dependencies):
                match = REQUIREMENT.match(requirement)
                names.update([match[0]] if match else [])
    return names | set(IMPORT_NAMES)


def _import_name(distribution: str) -> str:
    return IMPORT_NAMES.get(distribution.lower(), _normal(distribution).replace("-", "_"))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
