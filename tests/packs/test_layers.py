"""Packs laid over the templates: new, changed and replaced parts, files, presets; the lock."""

import json
import shutil
from pathlib import Path

import pytest
from making import PACK, contents, render_design, scaffold, write_pack
from toy import design_of

from scaffold.decisions import decide
from scaffold.errors import PackError
from scaffold.estimates import estimate
from scaffold.keys import known_keys
from scaffold.lock import PackRecord, read_lock, seal
from scaffold.packs import Loaded, load, load_locked
from scaffold.plan import make_plan
from scaffold.records import LOCK_PATH
from scaffold.render import render

HOUSE = """\
like: shared
title: the house's heads
help: Heads as our serving wants them.
order: 30
options:
  depth: {type: int, default: 3, minimum: 1, help: how deep}
"""
FILES = {
    "parts/mixer/house/part.yaml": HOUSE,
    "parts/mixer/house/files/src/package/house.py": '"""The house."""\n\nDEPTH = 3\n',
    "parts/seal/axis.yaml": "title: Seal\nquestion: Which seal?\norder: 80\n",
    "parts/seal/red/part.yaml": "title: red\nhelp: Wax.\norder: 10\n",
    "parts/seal/blue/part.yaml": "title: blue\nhelp: Ink.\norder: 20\n",
    "parts/seal/blue/files/SEAL.txt": "blue\n",
    "data/OWNERS": "acme\n",
    "presets/acme.yaml": "preset: {title: ours, help: take it}\nmixer: house\nseal: blue\n",
}
EXTEND = """\
extend:
  launch/cluster:
    options:
      account: {type: str, default: research, help: who pays}
    dependencies: [acme-tools>=1]
    provides:
      submit_command: "submit --account {{design.launch.account}}"
"""


def ids(loaded: Loaded) -> list[str]:
    return [pack.declaration.id for pack in loaded.packs]


@pytest.mark.usefixtures("toy")
def test_new_parts_axes_files_and_presets_are_there(tmp_path: Path) -> None:
    loaded = load([str(write_pack(tmp_path, FILES))], Path())
    catalogue = loaded.catalogue
    assert list(catalogue.axes["mixer"].parts) == ["shared", "full", "house"]
    assert {"seal", "mixer.depth", "mixer.n_groups"} <= set(known_keys(catalogue))
    assert [preset.name for preset in loaded.presets] == ["acme"]
    tree = render_design(loaded, **loaded.presets[0].answers)
    assert {"OWNERS", "SEAL.txt", "src/experiment/house.py", "src/experiment/mixer.py"} <= set(tree)
    design = design_of(catalogue, mixer="house")
    assert (design.values["n_groups"], design.values["depth"]) == (2, 3)  # as of `shared`


@pytest.mark.usefixtures("toy")
def test_a_condition_on_a_variant_holds_for_those_like_it(tmp_path: Path) -> None:
    files = {
        "parts/vocabulary/words/part.yaml": "like: learned\ntitle: words\nhelp: W.\norder: 30\n"
    }
    catalogue = load([str(write_pack(tmp_path, files))], Path()).catalogue
    assert catalogue.axes["launch"].parts["cluster"].conflicts["vocabulary"] == ("learned", "words")


@pytest.mark.usefixtures("toy")
def test_a_part_may_be_like_one_that_is_like_another(tmp_path: Path) -> None:
    files = {
        "parts/mixer/house/part.yaml": HOUSE,
        "parts/mixer/cottage/part.yaml": "like: house\ntitle: small\nhelp: S.\norder: 40\n",
        "parts/vocabulary/words/part.yaml": "like: learned\ntitle: words\nhelp: W.\norder: 30\n",
        "parts/vocabulary/slang/part.yaml": "like: words\ntitle: slang\nhelp: S.\norder: 40\n",
    }
    catalogue = load([str(write_pack(tmp_path, files))], Path()).catalogue
    design = design_of(catalogue, mixer="cottage")
    assert (design.values["n_groups"], design.values["depth"]) == (2, 3)
    excluded = catalogue.axes["launch"].parts["cluster"].conflicts["vocabulary"]
    assert set(excluded) == {"learned", "words", "slang"}


@pytest.mark.usefixtures("toy")
def test_a_circle_of_parts_like_each_other_is_refused(tmp_path: Path) -> None:
    files = {
        f"parts/mixer/{name}/part.yaml": f"like: {other}\ntitle: x\nhelp: X.\norder: 30\n"
        for name, other in (("house", "cottage"), ("cottage", "house"))
    }
    with pytest.raises(PackError, match=r"house is like cottage is like house|cottage is like"):
        load([str(write_pack(tmp_path, files))], Path())


@pytest.mark.usefixtures("toy")
def test_a_part_is_extended(tmp_path: Path) -> None:
    extra = {"parts/launch/cluster/files/submit.sh.jinja": "{{ design.launch.account }}\n"}
    loaded = load([str(write_pack(tmp_path, extra, EXTEND))], Path())
    tree = render_design(loaded, launch="cluster", devices="many", launch__account="ml")
    assert (tree["submit.sh"].content, tree["submit.sh"].mode) == (b"ml\n", 0o755)
    part = loaded.catalogue.axes["launch"].parts["cluster"]
    assert part.dependencies == ("acme-tools>=1",)
    assert part.requires == {"devices": ("many",)}  # what it was before
    assert "submit.sh" not in render_design(loaded)


@pytest.mark.usefixtures("toy")
def test_slots_of_frames_are_filled_by_fragments_of_packs(tmp_path: Path) -> None:
    macro = '# {% macro words() %}\n    print("WORD")\n    # {% endmacro %}\n'
    greet = f'"""Greets."""\n\n\ndef greet():\n    {macro}'
    files = {
        "frames/src/package/greet.py": '"""Greets."""\n\n\ndef greet() -> None:\n'
        "    # {% print launch.words() %}\n    # {% print each.more() %}\n",
        **{
            f"parts/launch/{name}/fragments/greet.py": greet.replace("WORD", name)
            for name in ("here", "cluster", "cloud")
        },
        "parts/training/steps/fragments/greet.py": greet.replace("words", "more"),
    }
    loaded = load([str(write_pack(tmp_path, files))], Path())
    for name in ("here", "cloud"):
        text = render_design(loaded, launch=name)["src/experiment/greet.py"].content.decode()
        body = text.partition("None:\n")[2]
        assert body == f'    print("{name}")\n    print("WORD")\n'


@pytest.mark.usefixtures("toy")
def test_what_is_replaced_must_be_named(tmp_path: Path) -> None:
    files = {
        "data/README.md.jinja": "# ours\n",
        "parts/launch/here/part.yaml": "title: here\nhelp: Ours.\norder: 10\n",
        "frames/src/package/train.py": '"""Ours."""\n',
    }
    pack = write_pack(tmp_path, files)
    with pytest.raises(PackError) as caught:
        load([str(pack)], Path())
    assert len(caught.value.problems) == 3
    assert all("list " in text and "`replaces`" in text for text in caught.value.problems)
    names = "[data/README.md.jinja, parts/launch/here, frames/src/package/train.py]"
    write_pack(tmp_path, files, f"replaces: {names}\n")
    tree = render_design(load([str(pack)], Path()))
    assert tree["README.md"].content == b"# ours\n"
    assert tree["src/experiment/train.py"].content == b'"""Ours."""\n'
    write_pack(tmp_path, files, f"replaces: {names[:-1]}, data/gone]\n")
    with pytest.raises(PackError, match="there is no 'data/gone'"):
        load([str(pack)], Path())


@pytest.mark.usefixtures("toy")
def test_a_header_stands_in_programs_only(tmp_path: Path) -> None:
    files = {"data/run.sh": "#!/bin/sh\nls\n", "data/run.txt": "x\n"}
    more = "header: |\n  Copyright Acme\n  All rights reserved.\n"
    tree = render_design(load([str(write_pack(tmp_path, files, more))], Path()))
    head = b"# Copyright Acme\n# All rights reserved.\n"
    assert tree["run.sh"].content == b"#!/bin/sh\n" + head + b"ls\n"
    assert tree["run.txt"].content == b"x\n"
    assert tree["src/experiment/train.py"].content == head + b'\n"""Trains."""\n\nprint("step")\n'


@pytest.mark.usefixtures("toy")
def test_packs_are_laid_over_each_other_in_order(tmp_path: Path) -> None:
    first = write_pack(tmp_path / "one", {"data/OWNERS": "acme\n"})
    second = write_pack(tmp_path / "two", {"data/OWNERS": "beta\n"})
    text = PACK.replace("id: acme", "id: beta")
    (second / "pack.yaml").write_text(text)
    with pytest.raises(PackError, match="OWNERS: is there already"):
        load([str(first), str(second)], Path())
    (second / "pack.yaml").write_text(text + "replaces: [data/OWNERS]\n")
    loaded = load([str(first), str(second)], Path())
    assert render_design(loaded)["OWNERS"].content == b"beta\n"
    assert ids(loaded) == ["acme", "beta"]
    with pytest.raises(PackError, match="there is no 'data/OWNERS'"):
        load([str(second), str(first)], Path())


@pytest.mark.usefixtures("toy")
def test_two_packs_with_one_id_are_refused(tmp_path: Path) -> None:
    one, two = write_pack(tmp_path / "one"), write_pack(tmp_path / "two")
    with pytest.raises(PackError, match="two packs have the id acme"):
        load([str(one), str(two)], Path())
    assert ids(load([str(one), str(one)], Path())) == ["acme"]  # the same one


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("scaffold: '>=0.1,<2'\n", ""),
        ("scaffold: '>=0.1.0'\n", ""),
        ("scaffold: '>=99'\n", "the pack needs >=99, and this is"),
        ("scaffold: '<0.1'\n", "the pack needs <0.1, and this is"),
        ("scaffold: 'a lot'\n", "has not the form '>=0.1,<2'"),
        ("tasks: [ls]\n", "tasks: a pack is data, and nothing of it is run"),
        ("_extensions: [os]\n", "a pack is data, and nothing of it is run"),
        ("polcy: {}\n", "polcy: unknown key; did you mean 'policy'?"),
        ("header: 3\n", "header: must be text"),
        ("extend: {launch/moon: {}}\n", "extend.launch/moon: there is no such part"),
        ("extend: {launch/here: {options: {n: {type: int}}}}\n", "options.n.default: must be"),
        (
            "extend: {mixer/shared: {options: {n_groups: {type: int, default: 1, help: h}}}}\n",
            "n_groups is there already",
        ),
    ],
)
def test_a_declaration_is_checked(tmp_path: Path, more: str, message: str) -> None:
    pack = write_pack(tmp_path, more=more)
    if not message:
        assert ids(load([str(pack)], Path())) == ["acme"]
        return
    with pytest.raises(PackError) as caught:
        load([str(pack)], Path())
    assert message in str(caught.value)


@pytest.mark.usefixtures("toy")
def test_every_problem_of_a_declaration_is_told(tmp_path: Path) -> None:
    pack = write_pack(tmp_path)
    (pack / "pack.yaml").write_text(
        "id: Acme Inc\nversion: 1.2\npolicy: {launch: {locked: here}, task: {reason: r}}\n"
        "scaffold: '>99'\nextend: {launch/here: {optoins: {}}}\n"
    )
    with pytest.raises(PackError) as caught:
        load([str(pack)], Path())
    told = "\n".join(caught.value.problems)
    for piece in ("id: 'Acme Inc'", "version: must be", "title: is missing", "launch.reason",
                  "policy.task", "needs >99", "optoins: unknown key"):  # fmt: skip
        assert piece in told


@pytest.mark.usefixtures("toy")
def test_a_pack_is_recorded_by_what_it_is_and_loaded_again(tmp_path: Path) -> None:
    work, project = tmp_path / "code", tmp_path / "projects/run"
    write_pack(work / "team", FILES)
    project.mkdir(parents=True)
    loaded = load(["team"], work)
    (pack,) = loaded.recorded(project)
    assert (pack.id, pack.version, pack.reference) == ("acme", "1.2", "../../code/team")
    assert str(tmp_path) not in repr(pack)
    design = design_of(loaded.catalogue)
    decisions = decide(loaded.catalogue, design)
    plan = make_plan(loaded.catalogue, design, decisions, estimate(loaded.catalogue, design))
    tree = seal(loaded.catalogue, plan, render(plan), [pack])
    (read,) = read_lock(tree[LOCK_PATH].content.decode()).packs
    assert read == pack
    assert load_locked([read], project, pinned=True).recorded(project) == (pack,)
    shutil.copytree(work / "team", tmp_path / "copy")
    (copied,) = load([str(tmp_path / "copy")], Path()).recorded(project)
    assert (copied.digest, copied.reference) == (pack.digest, str(tmp_path / "copy"))
    (tmp_path / "copy/data/OWNERS").write_text("others\n")
    assert load([str(tmp_path / "copy")], Path()).recorded(project)[0].digest != pack.digest


def test_a_lock_from_before_packs_had_references_is_read() -> None:
    assert PackRecord("acme", "1", "0") == PackRecord("acme", "1", "0", "", "")


@pytest.mark.slow
def test_the_commands_take_packs(tmp_path: Path) -> None:
    write_pack(
        tmp_path / "acme",
        {"presets/ours.yaml": "preset: {title: ours, help: take it}\nprecision: float32\n"},
        "policy: {precision: {locked: bfloat16, reason: our cluster has H100s only}}\n",
    )
    done = scaffold(tmp_path, "presets", "--pack", "acme")
    assert "ours" in done.stdout and "pydoc-lm" in done.stdout
    done = scaffold(tmp_path, "new", "run", "--pack", "acme", "--preset", "ours", "--json")
    made = json.loads(done.stdout)
    assert done.returncode == 0
    assert made["equivalent"] == "scaffold new run --pack acme --preset ours"
    assert made["design"]["precision"] == {"variant": "bfloat16"}
    lock = read_lock((tmp_path / "run" / LOCK_PATH).read_text())
    assert lock.packs[0].reference == "../acme"
    assert "our cluster has H100s only" in (tmp_path / "run/DESIGN.md").read_text()
    done = scaffold(tmp_path / "run", "explain", "precision")
    assert "our cluster has H100s" in done.stdout and "float16" in done.stdout
    done = scaffold(tmp_path, "explain", "--pack", "acme", "--set", "precision=float16")
    assert done.returncode == 2
    before = contents(tmp_path)
    words = ("--defaults", "--pack", "acme", "--set", "precision=float16", "--set", "task.dim=1")
    done = scaffold(tmp_path, "new", "other", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("2 problem(s); nothing is written.")
    assert "pack acme locks it to bfloat16: our cluster has H100s only" in done.stderr
    assert contents(tmp_path) == before
