"""The plan: which files there are, what fills their slots, and which mistakes are found."""

from pathlib import Path

import pytest
from synthetic import FILES, plan_of, template_error

from scaffold.plan import ConfigGroup, ConfigValue, PlannedFile
from scaffold.render import render

TRAIN = "frames/src/package/train.py"
SHAPE = "# {% print shape.cut() %}"
PAINT = "# {% print color.paint() %}"
RED = "parts/color/red/fragments/train.py"


def planned(root: Path, path: str, color: str = "red") -> PlannedFile:
    files = {file.path: file for file in plan_of(root, color=color).files}
    return files[path]


def test_every_file_has_its_path_and_owner(tmp_path: Path) -> None:
    files = plan_of(tmp_path).files
    assert [(file.path, file.owner, file.kind) for file in files] == [
        (".gitignore", "data", "copy"),
        ("README.md", "data", "data"),
        ("configs/train.yaml", "data", "data"),
        ("launch/go.sh", "size/small", "data"),
        ("src/real_name/base.py", "frames", "python"),
        ("src/real_name/red.py", "color/red", "python"),
        ("src/real_name/train.py", "frames", "python"),
        ("tests/test_train.py", "frames", "python"),
    ]


def test_unites_the_imports_of_frame_and_macros(tmp_path: Path) -> None:
    train = planned(tmp_path, "src/real_name/train.py")
    # `Path` is imported for the scenery of the fragment alone.
    assert train.imports == "import os\nimport sys\n\nfrom .red import Red\n"
    assert list(train.fragments) == ["color"]


def test_another_variant_brings_none_of_that(tmp_path: Path) -> None:
    assert planned(tmp_path, "src/real_name/train.py", color="blue").imports == "import sys\n"
    with pytest.raises(KeyError):
        planned(tmp_path, "src/real_name/red.py", color="blue")


def test_imports_of_the_package_are_first_party(tmp_path: Path) -> None:
    test = planned(tmp_path, "tests/test_train.py")
    assert test.imports == "from real_name.train import train\n"


def test_unites_dependencies(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    assert plan.dependencies == ("numpy", "torch>=2.11")
    assert plan.dev_dependencies == ("pytest",)
    assert plan_of(tmp_path, color="blue").dependencies == ("torch>=2.11,<3",)


def test_collects_run_time_values_with_their_help(tmp_path: Path) -> None:
    value = ConfigValue("rate", 1e-5, "how fast it fades")
    assert plan_of(tmp_path).config == (ConfigGroup("paint", (value,)),)
    assert plan_of(tmp_path, color="blue").config == ()


def test_joins_what_parts_provide(tmp_path: Path) -> None:
    assert plan_of(tmp_path).provides == {"commands": ["ls", "python -m {{package}}.train"]}


def with_provides(text: str) -> dict[str, str | None]:
    part = "parts/size/small/part.yaml"
    return {part: FILES[part].replace("{commands: [ls]}", text)}


def test_merges_mappings_and_refuses_two_values_for_one_key(tmp_path: Path) -> None:
    blue = "parts/color/blue/part.yaml"
    mine: dict[str, str | None] = {blue: FILES[blue] + "provides: {a: {y: 2, z: [1]}, b: same}\n"}
    plan = plan_of(
        tmp_path, {**with_provides("{a: {x: 1, z: [0]}, b: same}"), **mine}, color="blue"
    )
    assert plan.provides == {"a": {"x": 1, "y": 2, "z": [0, 1]}, "b": "same"}
    changes = {**with_provides("{b: other}"), **mine}
    assert "provides.b is 'same', elsewhere 'other'" in template_error(
        tmp_path, changes, color="blue"
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"parts/size/small/files/src/package/Red.py": '"""Red."""\n'},
            "src/real_name/red.py: belongs to both size/small and color/red",
        ),
        (
            {"parts/size/small/files/README.md/more": ""},
            "README.md/more: data has a file README.md",
        ),
        (
            {"parts/size/small/files/scaffold.yaml": ""},
            "scaffold.yaml is written by the tool itself",
        ),
        (
            {"parts/size/small/files/dot-scaffold/lock.yaml": ""},
            ".scaffold/lock.yaml is written by the tool itself",
        ),
        ({RED: None}, "train.py:10: slot color.paint(): part color/red has no fragments/train.py"),
        (
            {RED: FILES[RED].replace("paint", "pain")},
            "train.py:10: slot color.paint(): part color/red defines no such macro in",
        ),
        (
            {RED: FILES[RED] + "\n\n# {% macro extra() %}\n# {% endmacro %}\n"},
            "train.py:16: macro 'extra': no frame has a slot color.extra() for it",
        ),
        (
            {"parts/color/red/fragments/other.py": "# {% macro paint() %}\n# {% endmacro %}\n"},
            "other.py:1: macro 'paint': no frame has a slot",
        ),
        ({TRAIN: FILES[TRAIN].replace("color.", "colour.")}, "there is no axis 'colour'"),
        (
            {TRAIN: FILES[TRAIN].replace("    # {% print", "        # {% print")},
            "is indented by 8, the text of its macro at",
        ),
        ({TRAIN: '"""Trains."""\n' + "# {% print size.a() %}\n" * 9}, "9 slots, at most 8"),
        (
            {TRAIN: FILES[TRAIN].replace("import sys", "from red import Red")},
            "from red import Red and from .red import Red bind the same name",
        ),
        ({TRAIN: FILES[TRAIN].replace("print color", "if color")}, "train.py:10: {% if %}"),
        ({TRAIN: FILES[TRAIN].replace("{% print", "{% macro")}, "train.py:10: {% macro %}"),
        ({RED: FILES[RED].replace("endmacro", "endmacor")}, "train.py:10: {% macro %}"),
        ({RED: FILES[RED] + FILES[RED][FILES[RED].index("    # {% macro") :]}, "a second macro"),
        (
            {TRAIN: FILES[TRAIN].replace(PAINT, "# {# {% print color.paint() %} #}")},
            "train.py:10: {% print %}",
        ),
        (
            {TRAIN: FILES[TRAIN].replace("nothing #}", "nothing")},
            "train.py:5: # {# has no end",
        ),
        ({TRAIN: FILES[TRAIN] + "x = 1  # {# one #}\n"}, "train.py:15: # {# has no end"),
        (
            {RED: FILES[RED].replace("print(red)", "# {# red")},
            "train.py:12: # {# has no end",
        ),
        ({RED: FILES[RED].replace("print(red)", "{{red")}, "train.py:12: {{ has no end"),
        (
            {RED: FILES[RED].replace("print(red)", SHAPE)},
            "train.py:12: slot shape.cut(): there is no axis 'shape'",
        ),
        (
            {RED: FILES[RED].replace("print(red)", PAINT)},
            "train.py:12: a slot of a macro within 2 others: nobody would find what fills it",
        ),
        ({TRAIN: "import os  # why\n"}, "train.py:1: a comment inside the import block"),
        ({RED: "import os  # why\n" + FILES[RED]}, "train.py:1: a comment inside the import"),
        ({TRAIN: FILES[TRAIN] + "import package.x\n"}, "write `from package... import name`"),
    ],
)
def test_names_the_place_of_a_mistake(
    tmp_path: Path, changes: dict[str, str | None], message: str
) -> None:
    assert message in template_error(tmp_path, changes)


def test_reports_all_mistakes_at_once(tmp_path: Path) -> None:
    error = template_error(
        tmp_path, {RED: None, "parts/size/small/files/README.md": "twice", "data/scaffold.yaml": ""}
    )
    assert error.count("\n") == 2


def test_files_that_are_no_text_are_copied_unless_they_are_templates(tmp_path: Path) -> None:
    plan_of(tmp_path)
    (tmp_path / "data/picture.png").write_bytes(b"\x89\xff")
    assert [file.kind for file in plan_of(tmp_path).files if file.path == "picture.png"] == ["copy"]
    (tmp_path / "data/text.md.jinja").write_bytes(b"\xff")
    plan_of(tmp_path)


def test_a_fragment_in_folders_is_for_the_frame_at_the_end_of_that_path(tmp_path: Path) -> None:
    frame = '"""The {}."""\n\n\nclass Config:\n    # {{% print color.{}() %}}\n'
    fragment = '"""Fields."""\n\n\nclass Config:\n    # {{% macro {0}() %}}\n    {0}: int\n'
    fragment += "    # {{% endmacro %}}\n"
    plan = plan_of(
        tmp_path,
        {
            "frames/src/package/config.py": frame.format("run", "run_fields"),
            "frames/src/package/model/config.py": frame.format("model", "model_fields"),
            "parts/color/red/fragments/config.py": fragment.format("run_fields"),
            "parts/color/red/fragments/model/config.py": fragment.format("model_fields"),
        },
    )
    found = {file.path: file.fragments["color"].path for file in plan.files if file.fragments}
    assert found["src/real_name/config.py"] == tmp_path / "parts/color/red/fragments/config.py"
    model = tmp_path / "parts/color/red/fragments/model/config.py"
    assert found["src/real_name/model/config.py"] == model


def test_an_axis_that_the_design_does_not_have_fills_nothing(tmp_path: Path) -> None:
    plan = plan_of(
        tmp_path,
        {
            "parts/shape/axis.yaml": "title: S\nquestion: S?\norder: 30\nwhen: {color: [blue]}\n",
            "parts/shape/round/part.yaml": "title: Round\nhelp: A ball.\norder: 1\n",
            TRAIN: FILES[TRAIN].replace("# {% print", f"{SHAPE}\n    # {{% print"),
        },
    )
    train = next(file for file in plan.files if file.path.endswith("/train.py"))
    assert list(train.fragments) == ["color"]
    assert b"print(sys.argv)\n    red" in render(plan)[train.path].content


def test_a_slot_for_each_is_filled_by_every_part_that_has_the_macro(tmp_path: Path) -> None:
    fragment = (
        '"""P."""\n\nfrom .base import {0}\n\n# {{% macro say() %}}\n{0}()\n# {{% endmacro %}}\n'
    )
    changes: dict[str, str | None] = {
        "frames/src/package/speak.py": '"""Speaks."""\n\n# {% print each.say() %}\n',
        "parts/color/red/fragments/speak.py": fragment.format("Red"),
        "parts/size/small/fragments/speak.py": fragment.format("Small"),
    }
    plan = plan_of(tmp_path, changes)
    speak = next(file for file in plan.files if file.path.endswith("/speak.py"))
    assert list(speak.fragments) == ["size", "color"]  # in the order of the axes
    text = render(plan)[speak.path].content.decode()
    assert text == '"""Speaks."""\n\nfrom .base import Red, Small\n\nSmall()\nRed()\n'
    nobody = plan_of(tmp_path, color="blue")
    text = render(nobody)[speak.path].content.decode()
    assert text == '"""Speaks."""\n\nfrom .base import Small\n\nSmall()\n'


def test_a_macro_may_have_a_slot_for_another_axis(tmp_path: Path) -> None:
    fragment = (
        '"""S."""\n\nfrom .base import Small\n\n\ndef train():\n    # {% macro cut() %}\n'
        "    Small()\n    # {% endmacro %}\n"
    )
    cut = "# {% print size.cut() %}"
    changes: dict[str, str | None] = {
        "parts/size/small/fragments/train.py": fragment,
        RED: FILES[RED].replace("print(red)", cut),
    }
    plan = plan_of(tmp_path, changes)
    train = next(file for file in plan.files if file.path.endswith("/train.py"))
    assert list(train.fragments) == ["size", "color"]
    text = render(plan)[train.path].content.decode()
    assert "import sys\n\nfrom .base import Small\nfrom .red import Red\n" in text
    assert "    red = Red(os.name, shade=3)\n    Small()\n" in text
    # In a design without that macro, its filling is no mistake.
    blue = render(plan_of(tmp_path, changes, color="blue"))[train.path].content.decode()
    assert "Small" not in blue
