"""What people install: a wheel, in an environment of its own, makes the same projects."""

import os
import re
import site
import stat
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from rendering import BASES, Given, Rendering, preset_answers, read_folder

PRESET = "pydoc-lm"
LITTER = re.compile(
    r"(?:^|/)(?:__pycache__|\.(?:ruff|mypy|pytest)_cache|\.git|\.DS_Store)(?:/|$)|\.py[co]$"
)
# What takes long to import, and no list of commands needs.
HEAVY = ("copier", "jinja2", "numpy", "omegaconf", "questionary", "torch", "yaml")
# What a project can be made without.
NOT_FOR_NEW = ("copier", "numpy", "prompt_toolkit", "questionary", "torch", "urllib.request")


@dataclass(frozen=True)
class Installed:
    """An environment in which the wheel, and nothing else of this tool, is installed."""

    folder: Path
    package: Path

    def run(self, *words: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """Runs Python there, as on a machine that knows nothing of the checkout."""
        hidden = ("PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV")
        environment = {key: value for key, value in os.environ.items() if key not in hidden}
        return subprocess.run(
            [str(_scripts(self.folder) / words[0]), *words[1:]],
            cwd=cwd,
            env={**environment, **variables},
            capture_output=True,
            text=True,
            check=True,
        )


def _scripts(folder: Path) -> Path:
    return folder / ("Scripts" if os.name == "nt" else "bin")


@pytest.fixture(scope="module")
def wheel(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the checkout; built without a download."""
    folder = tmp_path_factory.mktemp("wheel")
    words = "wheel . --no-deps --no-build-isolation --no-index --quiet --wheel-dir"
    _pip(*words.split(), str(folder), cwd=repository)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in a fresh environment, which finds the libraries in ours."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = _scripts(folder) / "python"
    _pip(
        "--python",
        str(python),
        *"install --no-deps --no-index --quiet --no-compile".split(),
        str(wheel),
        cwd=folder,
    )
    variables = {"base": str(folder), "platbase": str(folder)}
    packages = Path(sysconfig.get_path("purelib", "venv", vars=variables))
    # A folder named in a .pth file comes after our own, and its .pth files are not read: an
    # editable installation of the checkout there stays out of sight.
    ours = [path for path in [*site.getsitepackages(), sysconfig.get_path("purelib")] if path]
    (packages / "libraries.pth").write_text("\n".join(dict.fromkeys(ours)) + "\n")
    return Installed(folder, packages / "scaffold")


def _pip(*words: str, cwd: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *words],
        cwd=cwd,
        check=True,
        capture_output=True,
        text=True,
    )


def expected(rendering: Rendering) -> dict[str, tuple[bytes, int]]:
    return {path: (file.content, file.mode) for path, file in rendering.tree.items()}


def imported(result: subprocess.CompletedProcess[str]) -> set[str]:
    """The modules that a run under ``-X importtime`` imported."""
    return {
        line.rpartition("|")[2].strip()
        for line in result.stderr.splitlines()
        if line.startswith("import time:")
    }


def test_the_wheel_holds_the_trees_and_no_litter(wheel: Path, repository: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert not [name for name in names if LITTER.search(name)]
    for tree in ("templates", "presets"):
        here = {
            path.relative_to(repository).as_posix()
            for path in (repository / tree).rglob("*")
            if path.is_file() and not LITTER.search(path.relative_to(repository).as_posix())
        }
        there = {
            name.removeprefix("scaffold/") for name in names if name.startswith(f"scaffold/{tree}/")
        }
        assert there == here
    outside = {name.partition("/")[0] for name in names} - {"scaffold"}
    assert all(name.endswith(".dist-info") for name in outside), outside


def test_the_installed_tool_is_the_one_that_runs(installed: Installed, tmp_path: Path) -> None:
    result = installed.run(
        "python", "-c", "import scaffold; print(scaffold.__file__)", cwd=tmp_path
    )
    assert Path(result.stdout.strip()).parent == installed.package


@pytest.mark.parametrize("is_compiled", [False, True])
def test_it_makes_the_project_that_the_checkout_makes(
    installed: Installed,
    render_design: Callable[[Given], Rendering],
    tmp_path: Path,
    is_compiled: bool,
) -> None:
    if is_compiled:
        # As pip does unless told otherwise; tags in comments are valid Python.
        installed.run("python", "-m", "compileall", "-q", str(installed.package), cwd=tmp_path)
        assert list((installed.package / "templates").rglob("*.pyc"))
    name = "first-project"
    result = installed.run("scaffold", "new", name, "--preset", PRESET, cwd=tmp_path)
    assert "first_project.train" in result.stdout
    made = render_design({**preset_answers(PRESET), "project.name": name})
    found = read_folder(tmp_path / name)
    assert set(found) == set(made.tree)
    assert found == expected(made)
    assert not [path for path in found if LITTER.search(path)]
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_it_makes_a_project_of_flags_alone(
    installed: Installed, render_design: Callable[[Given], Rendering], tmp_path: Path
) -> None:
    given = {**BASES["images"], "normalization": "layer-norm", "project.name": "eyes"}
    sets = ["--set=task=image-classification", "--set=normalization=layer-norm", "--defaults"]
    installed.run("scaffold", "new", "eyes", *sets, cwd=tmp_path)
    assert read_folder(tmp_path / "eyes") == expected(render_design(given))


@pytest.mark.skipif(os.name == "nt", reason="no modes there")
def test_scripts_can_be_executed(installed: Installed, tmp_path: Path) -> None:
    installed.run("scaffold", "new", "run", "--preset", "gpu-lm", cwd=tmp_path)
    scripts = list((tmp_path / "run").rglob("*.sh"))
    assert len(scripts) > 1
    assert all(path.stat().st_mode & stat.S_IXUSR for path in scripts)


@pytest.mark.parametrize(
    ("words", "unwanted"),
    [
        (("--help",), HEAVY),
        (("--version",), HEAVY),
        (("new", "--help"), HEAVY),
        (("new", "project", "--preset", PRESET), NOT_FOR_NEW),
    ],
)
def test_a_command_imports_only_what_it_needs(
    installed: Installed, tmp_path: Path, words: tuple[str, ...], unwanted: tuple[str, ...]
) -> None:
    words = ("python", "-X", "importtime", "-m", "scaffold.cli", *words)
    modules = imported(installed.run(*words, cwd=tmp_path))
    assert "scaffold.errors" in modules
    assert not [name for name in unwanted if name in modules]


def test_every_requirement_of_the_wheel_is_declared(
    wheel: Path, covering_set: Mapping[str, Rendering]
) -> None:
    """A project needs none of the tool's libraries, and the tool none of a project's."""
    archive = zipfile.ZipFile(wheel)
    (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    lines = archive.read(name).decode().splitlines()
    required = {
        re.split(r"[^\w-]", line.removeprefix("Requires-Dist: "))[0]
        for line in lines
        if line.startswith("Requires-Dist: ") and "extra ==" not in line
    }
    assert required == {"jinja2", "omegaconf", "pyyaml", "questionary", "shtab"}
    for rendering in covering_set.values():
        assert "torch-scaffold" not in rendering.tree["pyproject.toml"].content.decode()
