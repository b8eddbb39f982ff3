"""``scaffold pack init`` and ``check``: a pack that works, and all that is wrong with another."""

import json
from pathlib import Path

import pytest
from making import contents, scaffold, write_pack

from scaffold.packs import load
from scaffold.packs.check import check_folder
from scaffold.packs.starter import starter

MOON = "title: M\nhelp: M.\norder: 9\n"
MACRO = '"""F."""\n\n# {% macro go() %}\n# {% endmacro %}\n'


@pytest.mark.slow
def test_what_init_writes_works(tmp_path: Path) -> None:
    done = scaffold(tmp_path, "pack", "init", "Our Team")
    assert done.returncode == 0
    assert "scaffold new my-run --pack 'Our Team' --preset team" in done.stdout
    assert set(contents(tmp_path / "Our Team")) == set(starter("our-team"))
    assert "id: our-team" in (tmp_path / "Our Team/pack.yaml").read_text()
    done = scaffold(tmp_path, "pack", "check", "Our Team")
    assert (done.returncode, done.stdout) == (0, "Our Team: all is well\n")
    done = scaffold(tmp_path, "new", "run", "--pack", "./Our Team", "--preset", "team")
    assert done.returncode == 0, done.stderr
    assert "--qos=normal launch/slurm.sh" in (tmp_path / "run/launch/submit.sh").read_text()
    done = scaffold(tmp_path, "pack", "init", "Our Team")
    assert done.returncode == 2
    assert done.stderr == "error: Our Team is not empty; give another folder\n"


@pytest.mark.usefixtures("toy")
def test_a_pack_without_problems_has_none(tmp_path: Path) -> None:
    assert check_folder(write_pack(tmp_path, {"data/OWNERS": "acme\n"})) == []


def test_a_part_whose_values_have_the_names_of_others_may_be_extended(tmp_path: Path) -> None:
    option = "options: {n_sinks: {type: int, default: 1, help: h}}"
    pack = write_pack(tmp_path, more=f"extend: {{attention/latent: {{{option}}}}}\n")
    assert load([str(pack)], Path()).catalogue.axes["attention"].parts["latent"].options["n_sinks"]


@pytest.mark.usefixtures("toy")
def test_every_problem_of_the_files_is_told_at_once(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "frames/src/package/broken.py": "def f(:\n",
        "frames/src/package/slot.py": '"""X."""\n\n# {% if x %}\n',
        "data/broken.txt.jinja": "{% for x in y %}\n",
        "data/binary.txt.jinja": b"\xff",
        "data/dot-git/config": "x",
        "parts/launch/moon/part.yaml": "title: moon\norder: x\n",
        "parts/launch/moon/notes.txt": "x",
        "parts/mood/axis.yaml": "title: Mood\n",
        "presets/a.txt": "x",
    }
    problems = check_folder(write_pack(tmp_path, files, "policy: {launch: {locked: here}}\n"))
    told = "\n".join(problems)
    for piece in (
        "broken.py:1: is no Python",
        "slot.py:3: {% if %} does not belong here",
        "broken.txt.jinja:1: Unexpected end of template",
        "'.git/config', is no path",
        "binary.txt.jinja: not UTF-8 text",
        "moon/part.yaml: help: is missing",
        "moon/notes.txt: a part holds",
        "mood/axis.yaml: question: is missing",
        "a.txt: a preset is a file NAME.yaml",
        "policy.launch.reason: is missing",
    ):
        assert piece in told, told
    assert len(problems) == len(set(problems)) == 10


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    ("files", "more", "piece"),
    [
        ({}, "policy: {lunch: {locked: x, reason: r}}\n", "there is no such key; did you mean"),
        (
            {"parts/launch/moon/part.yaml": f"{MOON}requires: {{air: [thin]}}\n"},
            "",
            "there is no axis 'air'",
        ),
        (
            {"parts/launch/moon/part.yaml": f"{MOON}like: mars\n"},
            "",
            "like: 'mars' is none of cloud, cluster, here",
        ),
        (
            {
                "parts/launch/moon/part.yaml": f"{MOON}"
                "requires: {task: [pictures], vocabulary: [bytes]}\n"
            },
            "",
            "parts/launch/moon: no design can have it",
        ),
        (
            {"frames/src/package/f.py": '"""F."""\n\n# {% print launch.go() %}\n'},
            "",
            "part launch/here has no fragments/f.py",
        ),
        (
            {
                "parts/launch/moon/part.yaml": MOON,
                "parts/launch/moon/fragments/f.py": MACRO,
            },
            "",
            "macro 'go': no frame has a slot launch.go()",
        ),
        (
            {"parts/launch/moon/part.yaml": f"{MOON}derived: {{x: '1 +'}}\n"},
            "",
            "parts/launch/moon: expression '1 +'",
        ),
        (
            {"parts/launch/moon/part.yaml": f"{MOON}derived: {{x: dimm}}\n"},
            "",
            "launch = moon: expression 'dimm': no such value: dimm",
        ),
        (
            {},
            "extend: {launch/here: {options: {dim: {type: int, default: 1, help: h}}}}\n",
            "parts/launch: dim is a value of task already; take another name",
        ),
        (
            {"parts/launch/moon/part.yaml": f"{MOON}derived: {{head_dim: '1'}}\n"},
            "",
            "parts/launch: head_dim is a value of task already; take another name",
        ),
        ({"data/x.jinja": "{{ design.lunch }}\n"}, "", "has no attribute 'lunch'"),
        (
            {"presets/a.yaml": "preset: {title: t, help: h}\nlunch: here\n"},
            "",
            "presets/a.yaml: lunch: there is no such key",
        ),
        (
            {"presets/a.yaml": "preset: {title: t, help: h}\ntask: {dim: 4}\n"},
            "",
            "presets/a.yaml: task.dim",
        ),
    ],
)
def test_what_shows_when_designs_are_made_is_told(
    tmp_path: Path, files: dict[str, str], more: str, piece: str
) -> None:
    told = "\n".join(check_folder(write_pack(tmp_path, files, more)))
    assert piece in told, told


@pytest.mark.slow
def test_the_report_may_be_json(tmp_path: Path) -> None:
    write_pack(tmp_path / "acme", {"data/dot-git/x": "x"}, "polcy: {}\n")
    done = scaffold(tmp_path, "pack", "check", "acme", "--json")
    assert done.returncode == 2
    assert len(json.loads(done.stdout)["problems"]) == 2
    done = scaffold(tmp_path, "pack", "check", "acme")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: 2 problem(s) of the pack acme:\n  acme/pack.yaml: polcy")


@pytest.mark.usefixtures("toy")
def test_a_version_that_yaml_takes_for_a_number_is_to_be_quoted(tmp_path: Path) -> None:
    pack = write_pack(tmp_path)
    text = (pack / "pack.yaml").read_text().replace('"1.2"', "1.2")
    (pack / "pack.yaml").write_text(text)
    (problem,) = check_folder(pack)
    assert problem.endswith("version: must be text, not 1.2; write it in quotes")
