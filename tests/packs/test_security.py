"""A pack from somebody else: nothing happens outside the project, and one clear error comes."""

import os
import stat
import subprocess
from pathlib import Path

import pytest
from making import PACK, contents, render_design, scaffold, write_pack

from scaffold.errors import PackError, TemplateError
from scaffold.packs import load
from scaffold.packs.tree import LARGEST_FILE, MOST_FILES, path_problem

LAUNCH = "parts/launch/local/files"


def refused(root: Path) -> str:
    """What is said of a pack that may not be used, after nothing else happened."""
    before = contents(root.parent)
    with pytest.raises(PackError) as caught:
        load([str(root)], Path())
    assert contents(root.parent) == before
    return str(caught.value)


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    "link",
    ["parts", "data/secret", "data", "pack.yaml", "parts/launch/here/files/x", "presets/a.yaml"],
)
def test_links_are_refused(tmp_path: Path, link: str) -> None:
    pack = write_pack(tmp_path / "acme")
    outside = tmp_path / "secret"
    outside.write_text("id: acme\n")
    path = pack / link
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(outside)
    assert f"{link}: is a link" in refused(pack)


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("name", ["parts", "frames", "data", "presets", "overlays"])
def test_a_file_where_a_folder_belongs_is_refused(tmp_path: Path, name: str) -> None:
    assert f"{name}: must be a folder" in refused(write_pack(tmp_path / "acme", {name: "x"}))


@pytest.mark.usefixtures("toy")
def test_pipes_and_devices_are_refused_and_not_read(tmp_path: Path) -> None:
    pack = write_pack(tmp_path / "acme", {"data/x": "x"})
    os.mkfifo(pack / "data/pipe")
    with pytest.raises(PackError, match="data/pipe: is no ordinary file"):
        load([str(pack)], Path())


@pytest.mark.parametrize(
    "path",
    [
        "../x", "a/../../x", "/etc/x", "a//b", "./a", "a/.", ".git/hooks/x", "a/.GIT/config",
        "GIT~1/x", "C:/x", "C:x", "a\\..\\b", "con", "a/aux.txt", "NUL", "com1.py", "lpt9/x",
        "a./b", "a /b", "a\nb", "a\u202eb", ".g\u200cit/x", "a|b", "a?b", "conin$", "x" * 300,
    ],
)  # fmt: skip
def test_paths_that_lead_out_on_any_system_are_refused(path: str) -> None:
    assert path_problem(path) is not None


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("data/dot-git/hooks/post-checkout", ".git/hooks/post-checkout"),
        ("data/dot-git.jinja", ".git"),
        ("data/dot-./x", "../x"),
        ("data/a/dot-./dot-./dot-./x", "a/../../../x"),
        ("data/dot-", "."),
        ("parts/launch/here/files/dot-Git/config", ".Git/config"),
        ("frames/aux.py", "aux.py"),
        ("data/.git/config", ".git/config"),
        ("data/nul.txt.jinja", "nul.txt"),
        ("data/git~1/config", "git~1/config"),
        ("data/.scaffold/lock.yaml", ".scaffold/lock.yaml"),
        ("data/dot-Scaffold/lock.yaml", ".Scaffold/lock.yaml"),
        ("data/scaffold.yaml.jinja", "scaffold.yaml"),
    ],
)
def test_files_whose_place_in_a_project_is_elsewhere_are_refused(
    tmp_path: Path, name: str, place: str
) -> None:
    assert place
    said = refused(write_pack(tmp_path / "acme", {name: "#!/bin/sh\ntouch /tmp/owned\n"}))
    assert name in said
    assert "no path" in said or "Windows" in said or "written by the tool" in said


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    "more",
    [
        "replaces: [../../etc/passwd]\n",
        "replaces: [/etc/passwd]\n",
        "extend: {../../here: {}}\n",
        "extend: {'launch/../../x': {}}\n",
    ],
)
def test_names_in_a_declaration_lead_nowhere(tmp_path: Path, more: str) -> None:
    said = refused(write_pack(tmp_path / "acme", more=more))
    assert "there is no" in said


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("name", ["__class__", "Upper", "a.b", "a b", "1a", "project", "each"])
def test_names_of_axes_are_plain(tmp_path: Path, name: str) -> None:
    axis = {f"parts/{name}/axis.yaml": "title: T\nquestion: Q?\norder: 90\n"}
    assert "no name of an axis" in refused(write_pack(tmp_path / "acme", axis))


@pytest.mark.usefixtures("toy")
def test_names_of_options_are_plain(tmp_path: Path) -> None:
    option = "extend: {launch/here: {options: {__class__: {type: int, default: 1, help: h}}}}\n"
    pack = write_pack(tmp_path / "acme", more=option.replace("__class__", "Class"))
    assert "must be a lower-case Python name" in refused(pack)


TAGS = [
    "!include /etc/passwd",
    "!!python/object/apply:os.system ['touch owned']",
    "!!python/name:os.system",
    "!!set {a}",
    "&a [*a]",
    "{a: 1, a: 2}",
    "2026-99-99",
    "[[[[[[[[[[[[1]]]]]]]]]]]]",
]


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("value", TAGS)
@pytest.mark.parametrize(
    "path", ["pack.yaml", "parts/seal/axis.yaml", "parts/launch/moon/part.yaml", "presets/a.yaml"]
)
def test_yaml_is_plain_everywhere(tmp_path: Path, path: str, value: str) -> None:
    text = f"title: {value}\n"
    files = {path: PACK.replace("Acme's standard", value) if path == "pack.yaml" else text}
    assert path in refused(write_pack(tmp_path / "acme", files))


@pytest.mark.usefixtures("toy")
def test_growing_aliases_cost_nothing(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x]"]
    lines += [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}, *a{n - 1}]" for n in range(1, 40)]
    pack = write_pack(tmp_path / "acme", more="\n".join(lines) + "\n")
    assert "anchor or alias" in refused(pack)


@pytest.mark.usefixtures("toy")
def test_large_files_and_many_files_are_not_read(tmp_path: Path) -> None:
    pack = write_pack(tmp_path / "acme")
    (pack / "data").mkdir()
    with (pack / "data/x").open("wb") as file:
        file.truncate(2**40)  # takes no room on the disk
    with pytest.raises(PackError, match=f"data/x: has more than {LARGEST_FILE} bytes"):
        load([str(pack)], Path())
    (pack / "data/x").unlink()
    for number in range(MOST_FILES):
        (pack / f"data/{number}").touch()
    with pytest.raises(PackError, match=f"more than {MOST_FILES} files"):
        load([str(pack)], Path())


@pytest.mark.usefixtures("toy")
def test_two_names_of_one_file_are_refused(tmp_path: Path) -> None:
    pack = write_pack(tmp_path / "acme", {"data/Makefile": "a", "data/MAKEFILE": "b"})
    assert "is the same file as" in refused(pack)


ESCAPES = [
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ ''['__class__'] }}",
    "{{ '' | attr('__class__') }}",
    "{{ cycler.__init__.__globals__.os.system('touch owned') }}",
    "{{ lipsum.__globals__['os'].system('touch owned') }}",
    "{{ self.__init__.__globals__ }}",
    "{{ '{0.__class__.__mro__}'.format('') }}",
    "{{ ('{0.__class__}').format_map({'0': ''}) }}",
    "{{ chosen[0].part.files.values() | list | first | attr('unlink') }}",
    "{{ (chosen[1].part.files.values() | list)[0].write_text('owned') }}",
    "{{ (chosen[1].part.files.values() | list)[0].parent.joinpath('owned').touch() }}",
    "{% include '/etc/passwd' %}",
    "{% import 'os' as os %}{{ os }}",
    "{% extends '/etc/passwd' %}",
    "{{ import('os') }}",
    "{{ config.from_file('/etc/passwd') }}",
    "{% set x = {} %}{{ x.pop('none') }}",
    "{{ [][0].x }}",
    "{{ '\\ud800' }}",
    "{{ nowhere }}",
    "{{ 1 / 0 }}",
    "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "{{ " + "(" * 3000 + ")" * 3000 + " }}",
    "{{ range(999999999) | list }}",
]


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("text", ESCAPES)
def test_a_template_cannot_leave_the_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    pack = write_pack(tmp_path / "acme", {"data/out.txt.jinja": text})
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    loaded = load([str(pack)], Path())
    before = contents(tmp_path)
    with pytest.raises(TemplateError, match=r"out\.txt\.jinja"):
        render_design(loaded)
    assert contents(tmp_path) == before


CHANGES = [
    "{{ chosen[0].part.options.clear() }}",
    "{{ chosen[0].axis.parts.pop('x', 0) }}",
    "{{ chosen[0].part.provides.update({'a': 'b'}) }}",
    "{{ provides.setdefault('files', {}) }}",
    "{{ provides.update({'x': 'y'}) }}",
    "{{ (decisions | list).append(1) }}",
    "{% set design.size = 1 %}",
]


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("text", CHANGES)
def test_a_template_cannot_change_what_it_is_rendered_from(tmp_path: Path, text: str) -> None:
    pack = write_pack(tmp_path / "acme", {"data/out.txt.jinja": text})
    with pytest.raises(TemplateError, match=r"out\.txt\.jinja"):
        render_design(load([str(pack)], Path()))


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    "text",
    [
        "{{ [''] | map(attribute='__class__') | list }}",
        "{{ chosen[1].part.files.values() | map('attr', 'read_text') | list }}",
        "{{ [chosen[1].part.files.values() | list | first] | map(attribute='parent') | list }}",
    ],
)
def test_what_is_not_to_be_seen_is_undefined(tmp_path: Path, text: str) -> None:
    loaded = load([str(write_pack(tmp_path / "acme", {"data/out.txt.jinja": text}))], Path())
    assert render_design(loaded)["out.txt"].content == b"[Undefined]"


ENDLESS = {
    "a loop without end": "{% for a in range(99999) %}{% for b in range(99999) %}"
    "{% endfor %}{% endfor %}",
    "a power": "{{ 9 ** (9 ** 9) }}",
    "a long text": "{{ 'a' * 10 ** 10 }}",
    "a wide text": "{{ '%99999999999d' % 1 }}",
    "a doubled list": "{% set ns = namespace(x=[1]) %}{% for i in range(99) %}"
    "{% set ns.x = ns.x + ns.x %}{% endfor %}",
    "much output": "{% for a in range(99999) %}{% for b in range(99999) %}aaaaaaaaaaaaaaaa"
    "{% endfor %}{% endfor %}",
}


@pytest.mark.slow
@pytest.mark.parametrize("what", list(ENDLESS))
def test_a_template_is_bounded_in_time_and_size(tmp_path: Path, what: str) -> None:
    write_pack(tmp_path / "acme", {"data/out.txt.jinja": ENDLESS[what]})
    before = contents(tmp_path)
    words = ("new", "run", "--defaults", "--pack", "acme")
    done = scaffold(tmp_path, *words, seconds=3)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "out.txt.jinja" in done.stderr
    assert "takes more than" in done.stderr or "gives more than" in done.stderr
    assert contents(tmp_path) == before


@pytest.mark.slow
def test_an_expression_is_bounded_and_the_error_may_be_json(tmp_path: Path) -> None:
    option = "options: {n: {type: int, default: '= 9 ** (9 ** 9)', help: h}}"
    write_pack(tmp_path / "acme", more=f"extend: {{launch/local: {{{option}}}}}\n")
    words = ("new", "run", "--defaults", "--pack", "acme", "--json")
    done = scaffold(tmp_path, *words, seconds=2)
    assert (done.returncode, done.stderr) == (2, "")
    assert "9 ** (9 ** 9)" in done.stdout
    assert "takes more than 2 seconds" in done.stdout
    for action in (("explain", "--pack", "acme"), ("pack", "check", "acme")):
        done = scaffold(tmp_path, *action, seconds=2)
        assert done.returncode == 2
        assert "takes more than 2 seconds" in done.stderr


@pytest.mark.slow
def test_no_hook_of_a_pack_is_run_by_git(tmp_path: Path) -> None:
    hook = "#!/bin/sh\ntouch owned\n"
    write_pack(tmp_path / "acme", {".git/hooks/post-commit": hook, "hooks/pre-commit": hook})
    for path in ("acme/.git/hooks/post-commit", "acme/hooks/pre-commit"):
        (tmp_path / path).chmod(0o755)
    words = ("new", "run", "--defaults", "--pack", "acme", "--git")
    assert scaffold(tmp_path, *words).returncode == 0
    assert not list(tmp_path.rglob("owned"))
    assert not list((tmp_path / "run").rglob("post-commit"))
    log = subprocess.run(
        ["git", "log", "--oneline"], cwd=tmp_path / "run", capture_output=True, check=True
    )
    assert log.stdout.count(b"\n") == 1


@pytest.mark.usefixtures("toy")
def test_an_executable_bit_is_all_that_a_file_keeps(tmp_path: Path) -> None:
    pack = write_pack(tmp_path / "acme", {"data/tool": "x"})
    (pack / "data/tool").chmod(0o4777 | stat.S_ISGID)
    loaded = load([str(pack)], Path())
    source = loaded.catalogue.sources[pack / "data/tool"]
    assert source.mode == 0o755
