"""Overlays: plain copier templates of a pack, rendered with the design, and nothing of them run."""

import os
from pathlib import Path

import pytest
from making import contents, scaffold, write_pack
from toy import answered

from scaffold.decisions import decide
from scaffold.errors import PackError
from scaffold.estimates import estimate
from scaffold.packs import load, make_tree
from scaffold.packs.check import check_folder
from scaffold.parse import parse_design
from scaffold.plan import make_plan
from scaffold.render import Tree

CONFIG = """\
_subdirectory: template
_min_copier_version: "9.0.0"
project_name: {type: str}
launch: {type: str, choices: [here, cloud]}
runner: {type: str, default: "ubuntu-{{ training_steps }}"}
"""
FILES = {
    "overlays/ci/copier.yml": CONFIG,
    "overlays/ci/template/ci.yml.jinja": "{{ project_name }} {{ launch }} {{ runner }} "
    "{{ design.task.dim }}\n",
    "overlays/ci/template/{{ package }}/run.sh": "#!/bin/sh\nls\n",
    "overlays/ci/README.md": "not of the template\n",
}
MORE = "overlays: {ci: {}}\n"

pytestmark = pytest.mark.usefixtures("toy")


def tree_of(pack: Path) -> Tree:
    loaded = load([str(pack)], Path())
    catalogue = loaded.catalogue
    design = parse_design(catalogue, answered({"project.name": "my-run"}))
    plan = make_plan(catalogue, design, decide(catalogue, design), estimate(catalogue, design))
    return make_tree(loaded, plan)


def refused(pack: Path) -> str:
    before = contents(pack.parent)
    with pytest.raises(PackError) as caught:
        tree_of(pack)
    assert contents(pack.parent) == before
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "{{ _copier_answers|to_nice_yaml -}}",
            b"_src_path: overlays/ci\nlaunch: here\nproject_name: my-run\nrunner: ubuntu-1000\n",
        ),
        (
            "{{ _copier_conf.src_path }} {{ _copier_conf.dst_path }}",
            b"overlays/ci overlays/ci/output",
        ),
        ("{{ _copier_python }}{{ _copier_conf.os }}{{ _copier_conf.settings }}", b""),
        ("{{ _copier_conf | list | sort | join(' ') }}", b"answers_file dst_path src_path"),
    ],
)
def test_where_copier_works_is_not_told(tmp_path: Path, text: str, expected: bytes) -> None:
    name = "{{ _copier_conf.answers_file }}.jinja"
    pack = write_pack(tmp_path / "acme", {**FILES, f"overlays/ci/template/{name}": text}, MORE)
    assert tree_of(pack)[".copier-answers.yml"].content == expected


def test_a_copier_template_is_rendered_with_the_design(tmp_path: Path) -> None:
    folder = os.getcwd()
    tree = tree_of(write_pack(tmp_path / "acme", FILES, MORE))
    assert tree["ci.yml"].content == b"my-run here ubuntu-1000 384\n"
    assert tree["my_run/run.sh"].mode == 0o755
    assert "README.md" in tree and b"not of the template" not in tree["README.md"].content
    assert "overlays/ci/README.md" not in tree
    assert list(tree) == sorted(tree)
    assert os.getcwd() == folder
    assert check_folder(tmp_path / "acme") == []


def test_what_is_there_already_must_be_named(tmp_path: Path) -> None:
    files = {**FILES, "overlays/ci/template/README.md": "ours\n"}
    pack = write_pack(tmp_path / "acme", files, MORE)
    assert "README.md is there already; list it under `replaces`" in refused(pack)
    assert "README.md is there already" in "\n".join(check_folder(pack))
    write_pack(pack, files, "overlays: {ci: {replaces: [README.md]}}\n")
    assert tree_of(pack)["README.md"].content == b"ours\n"
    write_pack(pack, files, "overlays: {ci: {replaces: [README.md, gone]}}\n")
    assert "replaces: gone is not in both" in refused(pack)


@pytest.mark.parametrize(
    "line",
    [
        "_tasks: ['touch owned']",
        "_migrations: [{version: v1, before: ['touch owned']}]",
        "_jinja_extensions: [os.system]",
        "_external_data: {x: /etc/passwd}",
        "_envops: {extensions: [os.system]}",
        "_preserve_symlinks: true",
        "_subdirectory: ../..",
        "_subdirectory: /etc",
        "x: !include /etc/passwd",
        "x: !!python/object/apply:os.system [touch owned]",
        "x: &a [*a]",
    ],
)
def test_nothing_of_an_overlay_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    config = "\n".join(text for text in CONFIG.splitlines() if not text.startswith("_sub"))
    files = {**FILES, "overlays/ci/copier.yml": f"{config}\n{line}\n"}
    said = refused(write_pack(tmp_path / "acme", files, MORE))
    assert "overlays/ci/copier.yml" in said


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("{{ '..' }}/owned", "x"),
        ("{{ launch.replace('here', '..') }}/{{ 'owned' }}.jinja", "x"),
        ("{{ '.git' }}/config", "x"),
        ("{{ 'scaffold' }}.yaml", "x"),
        (".scaffold/lock.yaml", "x"),
        ("aux.txt", "x"),
        ("README.md/x", "x"),
        ("x.jinja", "{{ ''.__class__.__mro__ }}"),
        ("x.jinja", "{{ cycler.__init__.__globals__.os.system('touch owned') }}"),
        ("x.jinja", "{% include '/etc/passwd' %}"),
        ("x.jinja", "{% include '../../../../../../etc/passwd' %}"),
        ("x.jinja", "{{ 1 / 0 }}"),
        ("x.jinja", "{% for %}"),
        ("x.jinja", "{{ now() }}"),
        ("x.jinja", "{{ make_secret() }}"),
        ("x.jinja", "{{ '$PATH' | expandvars }}"),
        ("x.jinja", "{{ '/etc/*' | fileglob }}"),
        ("x.jinja", "{{ '~' | expanduser }}"),
        ("x.jinja", "{{ [1, 2] | shuffle }}"),
        ("src", "a file in place of a folder"),
        ("x.jinja", "{{ _copier_conf.src_path.write_text('x') }}"),
    ],
)
def test_an_overlay_stays_inside(tmp_path: Path, path: str, text: str) -> None:
    files = {**FILES, f"overlays/ci/template/{path}": text}
    said = refused(write_pack(tmp_path / "acme", files, MORE))
    assert "overlays/ci" in said
    assert not (tmp_path / "owned").exists()


def test_an_overlay_is_named_and_has_a_config(tmp_path: Path) -> None:
    assert "overlays/ci: is not named" in refused(write_pack(tmp_path / "one", FILES))
    assert "overlays/cd: holds no copier.yml" in refused(
        write_pack(tmp_path / "two", FILES, "overlays: {ci: {}, cd: {}}\n")
    )
    assert "'../x' is no name of a folder" in refused(
        write_pack(tmp_path / "three", more="overlays: {../x: {}}\n")
    )


def test_settings_of_the_user_do_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "settings.yml"
    settings.write_text("trust: ['/']\ndefaults: {runner: theirs}\n")
    monkeypatch.setenv("COPIER_SETTINGS_PATH", str(settings))
    tree = tree_of(write_pack(tmp_path / "acme", FILES, MORE))
    assert tree["ci.yml"].content == b"my-run here ubuntu-1000 384\n"


def test_without_copier_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.version", lambda _: "9.3.0")
    pack = write_pack(tmp_path / "acme", FILES, MORE)
    assert "pip install 'copier>=9.19.1'" in refused(pack)


@pytest.mark.slow
def test_the_command_takes_overlays(tmp_path: Path) -> None:
    files = {**FILES, "overlays/ci/copier.yml": CONFIG.replace("[here, cloud]", "[local, slurm]")}
    write_pack(tmp_path / "acme", files, MORE)
    done = scaffold(tmp_path, "new", "my-run", "--defaults", "--pack", "acme")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "my-run/ci.yml").read_text() == "my-run local ubuntu-2000 384\n"
    assert (tmp_path / "my-run/my_run/run.sh").stat().st_mode & 0o100
    loop = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    write_pack(tmp_path / "acme", {"overlays/ci/template/x.jinja": loop}, MORE)
    done = scaffold(tmp_path, "new", "other", "--defaults", "--pack", "acme", seconds=5)
    assert done.returncode == 2
    assert "takes more than 5 seconds" in done.stderr
    assert not (tmp_path / "other").exists()
