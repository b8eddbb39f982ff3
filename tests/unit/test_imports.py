"""Import blocks, held against ruff: its isort rules and its formatter are the specification."""

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scaffold.imports import (
    Header,
    HeaderError,
    Import,
    emit,
    in_place,
    read_header,
    rename_package,
    with_package,
)

PACKAGE = "my_package"
SUBMODULES = ("", ".model", ".model.attention", ".data", ".layer2", ".layer10", ".layer1")
FIRST_PARTY = frozenset({PACKAGE, "tests"})
MODULES = (
    "os os.path sys collections collections.abc math torch torch.nn torch.nn.functional numpy"
    " omegaconf yaml a1 a10 a2 a01 a001 a_1 ab aB Alpha alpha _private x.y_z x.yz x.y1"
).split()
MEMBERS = (
    "A B F AB Ab aB ab a1 a2 a10 a01 CONST_1 CONST_10 CONST_2 Tensor tensor _x _X X1 X10 nn A_ a_b"
    " very_long_name_that_takes_space AnotherVeryLongClassName ANOTHER_LONG_CONSTANT_NAME"
    f" {'extremely_' * 8}long_name"
).split()
RELATIVE = (".", ".config", "..data", "..", ".model.layer2", ".model.layer10", ".a_b", ".aB")


def random_imports(random: Random) -> frozenset[Import]:
    """A set of imports as files have them: members of few modules, some renamed."""
    absolute = (*MODULES, *(PACKAGE + name for name in SUBMODULES), "tests.reference")
    found = {Import("__future__", "annotations")} if random.random() < 0.2 else set()
    for module in random.choices((*absolute, *RELATIVE), k=random.randrange(8)):
        if not module.startswith(".") and random.random() < 0.5:
            found.add(Import(module, None, random.choice([None, None, "np", "renamed"])))
        for name in random.choices(MEMBERS, k=random.randrange(9)):
            found.add(Import(module, name, random.choice([None] * 6 + ["zz", "QQ"])))
    return frozenset(found)


def ruff(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ruff", *arguments, "--diff", "."]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32))
def test_ruff_finds_nothing_to_change(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    folder = tmp_path_factory.mktemp("imports")
    (folder / "pyproject.toml").write_text("[tool.ruff]\nline-length = 100\n")
    names = [f"src/{PACKAGE}{name.replace('.', '/')}/__init__.py" for name in SUBMODULES]
    for name in (*names, "tests/reference.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    random = Random(seed)
    for index in range(200):
        sample = random_imports(random)
        block = in_place(Header(1, 1, ()), emit(sample, FIRST_PARTY))
        text = f'"""A sample."""\n{block}\nX = 1\n'
        (folder / f"sample{index}.py").write_text(text)
        assert frozenset(read_header(text).imports) == sample
    for result in (ruff(folder, "check", "--select", "I"), ruff(folder, "format")):
        assert result.returncode == 0, result.stdout[:2000] + result.stderr[:2000]


@given(st.integers(0, 2**32))
def test_what_is_written_reads_back(seed: int) -> None:
    sample = random_imports(Random(seed))
    header = read_header(emit(sample, FIRST_PARTY))
    assert frozenset(header.imports) == sample
    assert emit(frozenset(header.imports), FIRST_PARTY) == emit(sample, FIRST_PARTY)


def test_sections_and_kinds() -> None:
    sample = [
        Import(".config", "Config"),
        Import("torch.nn.functional", None, "F"),
        Import("torch", "Tensor"),
        Import("torch", "nn"),
        Import("torch"),
        Import("os"),
        Import("__future__", "annotations"),
        Import("my_package.data", "Batch"),
        Import("..data", "Batch"),
    ]
    assert emit(frozenset(sample), FIRST_PARTY) == (
        "from __future__ import annotations\n\nimport os\n\nimport torch\n"
        "import torch.nn.functional as F\nfrom torch import Tensor, nn\n\n"
        "from my_package.data import Batch\n\n"
        "from ..data import Batch\nfrom .config import Config\n"
    )


def test_a_long_line_is_wrapped_one_name_a_line() -> None:
    names = [f"quite_a_long_name_{index}" for index in range(4)]
    fits = emit(frozenset(Import("torch", name) for name in names), FIRST_PARTY)
    assert fits.count("\n") == 1
    wrapped = emit(frozenset(Import("torch", name + "_more") for name in names), FIRST_PARTY)
    assert wrapped == (
        "from torch import (\n" + "".join(f"    {name}_more,\n" for name in names) + ")\n"
    )


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("", Header(0, 0, ())),
        ("x = 1\nimport os\n", Header(0, 0, ())),
        ('"""Doc."""\n\nx = 1\n', Header(1, 1, ())),
        ('"""Doc\n\nimport no\n"""\n\n\ndef f(): ...\n', Header(4, 4, ())),
        ('"""Doc."""\n\nimport os\n\nfrom a import (\n    b,\n    c,\n)\n\nx = 1\n', None),
        ('"""Doc."""\n\n# {# slots:\n# a() #}\nimport os\n', Header(4, 5, (Import("os"),))),
        ("import os\n# a comment below\nx = 1\n", Header(0, 1, (Import("os"),))),
        ("import os", Header(0, 1, (Import("os"),))),
        ("import os; import sys\n", Header(0, 1, (Import("os"), Import("sys")))),
        ("from . import a as b\n", Header(0, 1, (Import(".", "a", "b"),))),
    ],
)
def test_finds_the_block(text: str, header: Header | None) -> None:
    if header is None:
        header = Header(2, 8, (Import("os"), Import("a", "b"), Import("a", "c")))
    assert read_header(text) == header


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("import os  # why\n", 1),
        ("import os\n# why\nimport sys\n", 2),
        ("from a import (\n    b,  # why\n)\n", 2),
        ('"""Doc."""\n\nimport\n', 3),
        ('"""Doc.\n', 1),
    ],
)
def test_refuses_a_block_that_would_lose_something(text: str, line: int) -> None:
    with pytest.raises(HeaderError) as caught:
        read_header(text)
    assert caught.value.line == line


def test_a_block_is_set_apart_where_there_was_none() -> None:
    assert in_place(Header(1, 1, ()), "import os\n") == "\nimport os\n"
    assert in_place(Header(0, 0, ()), "import os\n") == "import os\n\n"
    assert in_place(Header(1, 2, (Import("os"),)), "import os\n") == "import os\n"
    assert in_place(Header(1, 1, ()), "") == ""


def test_only_import_statements_get_the_name_of_the_package() -> None:
    text = (
        "from package import a\nfrom package.b.c import (\n    d,\n)\n"
        "def f():\n    from package.train import main\n"
        "package = 'from package import'\nfrom packages import x\nfrom .package import y\n"
    )
    assert rename_package(text, "mine") == (
        "from mine import a\nfrom mine.b.c import (\n    d,\n)\n"
        "def f():\n    from mine.train import main\n"
        "package = 'from package import'\nfrom packages import x\nfrom .package import y\n"
    )
    assert with_package(Import("package.a", "b"), "mine") == Import("mine.a", "b")
    assert with_package(Import("package", "b"), "mine") == Import("mine", "b")
    assert with_package(Import("packages", "b"), "mine") == Import("packages", "b")
    assert with_package(Import(".package", "b"), "mine") == Import(".package", "b")


def test_the_name_that_an_import_binds() -> None:
    assert Import("a.b").binds == "a"
    assert Import("a.b", None, "c").binds == "c"
    assert Import("a", "b").binds == "b"
    assert Import("a", "b", "c").binds == "c"
    assert [str(Import("a.b")), str(Import("a", "b", "c"))] == [
        "import a.b",
        "from a import b as c",
    ]
