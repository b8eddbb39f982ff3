"""The catalogue: what is read, in which order, and which mistakes are found."""

import os
from pathlib import Path

import pytest
from synthetic import FILES, write_templates

from scaffold.answers import Answer
from scaffold.catalogue import default_roots, read_catalogue
from scaffold.errors import DesignError, TemplateError
from scaffold.parse import parse_design

PART = "parts/color/red/part.yaml"


def test_reads_axes_and_parts_in_their_order(tmp_path: Path) -> None:
    catalogue = read_catalogue(write_templates(tmp_path))
    assert list(catalogue.axes) == ["size", "color"]
    assert list(catalogue.axes["color"].parts) == ["red", "blue"]
    red = catalogue.axes["color"].parts["red"]
    assert red.id == "color/red"
    assert red.options["shade"].default == 3
    assert (red.options["shade"].minimum, red.options["shade"].maximum) == (0, 9)
    assert red.options["rate"].config == "paint.rate"
    assert red.options["rate"].default == 1e-5
    assert red.derived == {"double_shade": "shade * 2"}
    assert list(red.files) == ["src/package/red.py"]
    assert list(red.fragments) == ["train.py"]
    assert sorted(catalogue.data) == [
        "README.md.jinja",
        "configs/train.yaml.jinja",
        "dot-gitignore",
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("reason: It", "raeson: It", "raeson: unknown key; did you mean 'reason'?"),
        ("minimum: 0", "minimun: 0", "options.shade.minimun: unknown key; did you mean 'minimum'?"),
        ("title: Red", "title: 3", "title: must be text, not 3"),
        ("order: 1", "order: true", "order: must be a whole number, not true"),
        ("order: 1\n", "", "order: is missing"),
        ("type: int", "type: integer", "options.shade.type: 'integer' is none of int, float"),
        ("default: 3", "default: x", "options.shade.default: must be a whole number"),
        ("default: 3, ", "", "options.shade.default: must be a number, text or boolean"),
        ("type: int", "type: choice", "options.shade.choices: must be given for the type 'choice'"),
        ("minimum: 0", "minimum: low", "options.shade.minimum: must be a number"),
        ("paint.rate", "rate", "options.rate.config: 'rate' must have the form group.key"),
        ("[pytest]", "pytest", "dev_dependencies: must be a list"),
        ("[pytest]", "[3]", "dev_dependencies: must be a list of texts"),
        ("numpy]", "num py]", "dependencies: 'num py' is no requirement"),
        ("double_shade", "shade", "shade: is both an option and a derived value"),
        ("double_shade", "Double", "Double: must be a lower-case Python name"),
        ("title: Red", "title: [Red", "not valid YAML"),
        ("order: 1", "order: 1\nrequires: {siez: [small]}", "there is no axis 'siez'"),
        ("order: 1", "order: 1\nconflicts: {size: [tiny]}", "has no variant 'tiny': small"),
        ("order: 1", "order: 1\nrules: [{id: x}]", "rules[0].check: must be a number, text"),
    ],
)
def test_names_file_and_key_of_a_mistake(tmp_path: Path, old: str, new: str, message: str) -> None:
    changed = FILES[PART].replace(old, new)
    assert changed != FILES[PART]
    with pytest.raises(TemplateError) as caught:
        read_catalogue(write_templates(tmp_path, {PART: changed}))
    assert PART in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({PART: None}, "has no part.yaml"),
        ({"parts/size/axis.yaml": None}, "has no axis.yaml"),
        ({"parts/color/stray.txt": "x"}, "belongs to no part"),
        ({"parts/color/red/notes.txt": "x"}, "a part holds part.yaml, files/ and fragments/"),
    ],
)
def test_names_a_file_out_of_place(
    tmp_path: Path, changes: dict[str, str | None], message: str
) -> None:
    with pytest.raises(TemplateError, match=message):
        read_catalogue(write_templates(tmp_path, changes))


def test_ignores_what_tools_leave_behind(tmp_path: Path) -> None:
    digest = read_catalogue(write_templates(tmp_path)).digest
    for name in ("frames/src/package/__pycache__/x.pyc", "parts/.ruff_cache/x", "frames/y.pyc"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x")
    catalogue = read_catalogue(tmp_path)
    assert catalogue.digest == digest
    assert sorted(catalogue.frames) == [
        "src/package/base.py",
        "src/package/train.py",
        "tests/test_train.py",
    ]


def test_the_digest_depends_on_content_path_and_mode_alone(tmp_path: Path) -> None:
    first = write_templates(tmp_path / "a")
    second = write_templates(tmp_path / "elsewhere" / "b")
    os.utime(second / PART, (0, 0))
    digest = read_catalogue(first).digest
    assert read_catalogue(second).digest == digest
    (second / "data/dot-gitignore").chmod(0o755)
    executable = read_catalogue(second).digest
    (second / "data/dot-gitignore").rename(second / "data/dot-other")
    renamed = read_catalogue(second).digest
    (second / "data/dot-other").write_text("changed")
    assert len({digest, executable, renamed, read_catalogue(second).digest}) == 4


def test_a_later_tree_adds_parts_and_replaces_them(tmp_path: Path) -> None:
    first = write_templates(tmp_path / "tool")
    pack = tmp_path / "pack"
    for name, text in {
        "parts/color/red/part.yaml": "title: Our red\nhelp: Ours.\norder: 9\n",
        "parts/color/green/part.yaml": "title: Green\nhelp: Grass.\norder: 0\n",
        "parts/shape/axis.yaml": "title: Shape\nquestion: Which?\norder: 1\n",
        "parts/shape/round/part.yaml": "title: Round\nhelp: A ball.\norder: 0\n",
        "data/dot-gitignore": "all\n",
    }.items():
        (pack / name).parent.mkdir(parents=True, exist_ok=True)
        (pack / name).write_text(text)
    (pack / "parts/color/axis.yaml").write_text(FILES["parts/color/axis.yaml"])
    catalogue = read_catalogue(first, pack)
    assert list(catalogue.axes) == ["shape", "size", "color"]
    assert list(catalogue.axes["color"].parts) == ["green", "blue", "red"]
    assert catalogue.axes["color"].parts["red"].files == {}
    assert catalogue.data["dot-gitignore"] == pack / "data/dot-gitignore"


def test_a_pack_need_not_repeat_the_declaration_of_an_axis(tmp_path: Path) -> None:
    first = write_templates(tmp_path / "tool")
    part = tmp_path / "pack/parts/color/green/part.yaml"
    part.parent.mkdir(parents=True)
    part.write_text("title: Green\nhelp: Grass.\norder: 0\n")
    assert "green" in read_catalogue(first, tmp_path / "pack").axes["color"].parts


def test_shell_scripts_and_marked_files_are_executable(tmp_path: Path) -> None:
    root = write_templates(tmp_path)
    (root / "data/dot-gitignore").chmod(0o700)
    catalogue = read_catalogue(root)
    script = catalogue.axes["size"].parts["small"].files["launch/go.sh.jinja"]
    assert catalogue.sources[script].mode == 0o755
    assert catalogue.sources[root / "data/dot-gitignore"].mode == 0o755
    assert catalogue.sources[root / "data/README.md.jinja"].mode == 0o644


def test_refuses_links_and_missing_folders(tmp_path: Path) -> None:
    root = write_templates(tmp_path / "tree")
    with pytest.raises(TemplateError, match="is no folder with templates"):
        read_catalogue(root, tmp_path / "missing")
    (root / "data" / "passwords").symlink_to("/etc")
    with pytest.raises(TemplateError, match="passwords: is a link"):
        read_catalogue(root)


def test_the_template_tree_of_the_tool_can_be_read() -> None:
    catalogue = read_catalogue(*default_roots())
    assert "task" in catalogue.axes


def test_a_device_that_no_run_could_use_is_refused() -> None:
    catalogue = read_catalogue()
    for name in ("auto", "cuda", "mps", "cpu"):
        parse_design(catalogue, {"training.device": Answer(name, "flag")})
    with pytest.raises(DesignError, match=r"training\.device = gpu0: .* choose auto, cuda"):
        parse_design(catalogue, {"training.device": Answer("gpu0", "flag")})
