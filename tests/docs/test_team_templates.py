"""The pack in docs/team-templates.md is used as shown there, and its base may be upgraded."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scaffold import limits
from scaffold.catalogue import default_roots
from scaffold.lock import read_lock
from scaffold.packs import tree
from scaffold.packs.overlays import OLDEST
from scaffold.records import LOCK_PATH
from scaffold.render import LONGEST_TEXT

FILE = re.compile(r"`acme/([\w./-]+)`[^`]*?```(?:yaml|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SESSION = re.compile(r"^```console\n\$ (.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MOST_YAML_LINES = 30
UPGRADED = (
    "import sys; from pathlib import Path; import scaffold.catalogue as catalogue; "
    "catalogue.default_roots = lambda: (Path({root!r}),); "
    "from scaffold.cli import main; sys.exit(main(sys.argv[1:]))"
)


@pytest.fixture(scope="module")
def text(repository: Path) -> str:
    return (repository / "docs/team-templates.md").read_text(encoding="utf-8")


@pytest.fixture
def acme(text: str, tmp_path: Path) -> Path:
    """The pack of the document, in a folder."""
    files = dict(FILE.findall(text))
    assert len(files) == 4
    for path, content in files.items():
        file = tmp_path / "acme" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    return tmp_path / "acme"


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def plain(output: str) -> str:
    """Without the number of files and bytes, which every change of a template changes."""
    return re.sub(r"\d+ files, [\d.]+ KiB", "N files, N KiB", output.strip())


def test_the_pack_is_short(acme: Path) -> None:
    lines = (acme / "pack.yaml").read_text().splitlines()
    assert len(lines) < MOST_YAML_LINES


def test_the_limits_are_those_that_hold(text: str) -> None:
    told = " ".join(text.split())
    assert f"{limits.CPU_SECONDS} seconds of computing" in told
    assert f"{limits.MEMORY_BYTES // 2**30} GiB of addresses" in told
    assert f"at most {LONGEST_TEXT // 2**20} million characters" in told
    assert f"{tree.MOST_FILES:,} files of {tree.LARGEST_FILE // 2**20} MiB" in told
    assert f"{tree.LARGEST_PACK // 2**20} MiB together" in told
    assert f"copier ({'.'.join(map(str, OLDEST))} or newer" in told


@pytest.mark.slow
def test_every_command_prints_what_is_shown(acme: Path, text: str) -> None:
    sessions = SESSION.findall(text)
    assert len(sessions) == 5
    for command, shown in sessions:
        done = run(acme.parent, "-m", *command.split())
        assert done.returncode == (2 if "problem(s)" in shown else 0), done.stderr
        assert plain(shown) in plain(done.stdout + done.stderr), command
    assert not (acme.parent / "other").exists()
    project = acme.parent / "run"
    submit = (project / "launch/submit.sh").read_text()
    assert "sbatch --qos=urgent launch/slurm.sh" in submit
    slurm = (project / "launch/slurm.sh").read_text()
    assert "#SBATCH --account=research" in slurm
    assert "--container-image=registry.acme.example/torch:2.13" in slurm
    assert "wandb sync --sync-tensorboard --project llm runs" in (project / "README.md").read_text()
    for path in ("src/run/train.py", "tests/test_train.py", "launch/slurm.sh"):
        assert "# Copyright Acme GmbH. All rights reserved.\n" in (project / path).read_text()
    assert "n_kv_heads: 1" in (project / "scaffold.yaml").read_text()
    assert "float16 runs have diverged" in (project / "DESIGN.md").read_text()
    assert read_lock((project / LOCK_PATH).read_text()).packs[0].reference == "../acme"
    for words in (["check"], ["format", "--check"]):
        done = run(project, "-m", "ruff", *words, "--no-cache", ".")
        assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_the_base_is_upgraded_underneath(acme: Path) -> None:
    base = acme.parent / "newer"
    shutil.copytree(default_roots()[0], base)
    slurm = base / "parts/launch/slurm/files/launch/slurm.sh.jinja"
    slurm.write_text(slurm.read_text().replace("--requeue", "--requeue\n#SBATCH --exclusive"))
    heads = base / "parts/attention/grouped-query/fragments/__init__.py"
    heads.write_text(heads.read_text().replace("rouped-query", "rouped, or shared, query"))
    words = ["new", "run", "--pack", "./acme", "--defaults"]
    done = run(acme.parent, "-c", UPGRADED.format(root=str(base)), *words)
    assert done.returncode == 0, done.stderr
    project = acme.parent / "run"
    assert "#SBATCH --exclusive" in (project / "launch/slurm.sh").read_text()
    assert "--qos=normal" in (project / "launch/submit.sh").read_text()
    assert "rouped, or shared, query" in (project / "src/run/model/__init__.py").read_text()
    # What the base says where the pack says something too is told, and not decided in silence.
    shutil.copytree(acme / "parts/attention/house", base / "parts/attention/house")
    part = base / "parts/attention/house/part.yaml"
    part.write_text(part.read_text().replace("like: grouped-query\n", ""))
    done = run(acme.parent, "-c", UPGRADED.format(root=str(base)), *[*words[:1], "two", *words[2:]])
    assert done.returncode == 2
    assert "part.yaml: is there already in earlier templates" in done.stderr
