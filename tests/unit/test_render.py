"""Rendering: a pure function of the plan, whose errors name template and line."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from synthetic import DECISIONS, ESTIMATES, FILES, make_design, plan_of, write_templates

from scaffold.catalogue import read_catalogue
from scaffold.errors import TemplateError
from scaffold.plan import make_plan
from scaffold.render import RenderedFile, render

TRAIN = "frames/src/package/train.py"
RED = "parts/color/red/fragments/train.py"


def text_of(root: Path, path: str, changes: dict[str, str | None] | None = None) -> str:
    return render(plan_of(root, changes))[path].content.decode()


def test_a_slot_holds_the_text_of_its_macro(tmp_path: Path) -> None:
    assert (
        text_of(tmp_path, "src/real_name/train.py")
        == '''\
"""Trains."""

import os
import sys

from .red import Red


def train() -> None:
    print(sys.argv)
    red = Red(os.name, shade=3)
    print(red)


if __name__ == "__main__":
    train()
'''
    )


def test_an_empty_macro_leaves_nothing_behind(tmp_path: Path) -> None:
    tree = render(plan_of(tmp_path, color="blue"))
    text = tree["src/real_name/train.py"].content.decode()
    assert "    print(sys.argv)\n\n\nif" in text
    assert "Jinja" not in text
    assert "{#" not in text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = 1\n\n# {# x #}\n\n\nb = 2\n", "a = 1\n\n\nb = 2\n"),
        ("a = 1\n\n# {# x\n# y #}\nb = 2\n", "a = 1\n\nb = 2\n"),
        ("a = 1\n# {# x # {y} #}\n# {# z #}\n\nb = 2\n", "a = 1\n\nb = 2\n"),
        ("if a:\n    # {# x #}\n    b = 2\n", "if a:\n    b = 2\n"),
        ("a = 1\n# {# x #}", "a = 1\n"),
        ("import os\n\n# {# x #}\n\n\nb = 2\n", "import os\n\n\nb = 2\n"),
        ('"""A."""\n\n# {# x #}\n\nimport os\n', '"""A."""\n\nimport os\n'),
    ],
)
def test_a_comment_leaves_no_line_behind(tmp_path: Path, before: str, after: str) -> None:
    name = "parts/size/small/files/src/package/noted.py"
    assert text_of(tmp_path, "src/real_name/noted.py", {name: before}) == after


def test_a_comment_in_a_macro_is_none_in_the_output(tmp_path: Path) -> None:
    red = FILES[RED].replace("    print(red)\n", "    # {# pathlib #}\n    print(red)\n")
    plain = text_of(tmp_path, "src/real_name/train.py")
    assert text_of(tmp_path, "src/real_name/train.py", {RED: red}) == plain


def test_jinja_sees_no_file_without_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise AssertionError("a template in Python is compiled")

    monkeypatch.setattr("scaffold.render._python_environment", refuse)
    assert render(plan_of(tmp_path, color="blue"))
    with pytest.raises(AssertionError, match="is compiled"):
        render(plan_of(tmp_path))


def test_files_without_a_tag_are_copied_but_for_their_imports(tmp_path: Path) -> None:
    red = FILES["parts/color/red/files/src/package/red.py"]
    assert text_of(tmp_path, "src/real_name/red.py") == red
    odd = '"""Odd."""\n\nfrom .z import z\nfrom .a import a\n\nX = f"{a}" + "# }} {% x %}"'
    with pytest.raises(TemplateError, match="does not belong here"):
        plan_of(tmp_path, {"parts/size/small/files/src/package/odd.py": odd})
    odd = odd.replace("{% x %}", "")
    changes: dict[str, str | None] = {"parts/size/small/files/src/package/odd.py": odd}
    assert text_of(tmp_path, "src/real_name/odd.py", changes) == odd.replace(
        "from .z import z\nfrom .a import a\n", "from .a import a\nfrom .z import z\n"
    )


@pytest.mark.parametrize("text", ["", "import os", '"""Doc."""', '"""Doc."""\n', "import os\n"])
def test_short_files_stay_as_they_are(tmp_path: Path, text: str) -> None:
    changes: dict[str, str | None] = {"frames/src/package/short.py": text}
    result = text_of(tmp_path, "src/real_name/short.py", changes)
    assert result.rstrip("\n") == text.rstrip("\n")


def test_imports_find_their_place_in_a_frame_without_any(tmp_path: Path) -> None:
    frame = '"""Trains."""\n\n\ndef train() -> None:\n    # {% print color.paint() %}\n'
    assert text_of(tmp_path, "src/real_name/train.py", {TRAIN: frame}) == (
        '"""Trains."""\n\nimport os\n\nfrom .red import Red\n\n\n'
        "def train() -> None:\n    red = Red(os.name, shade=3)\n    print(red)\n"
    )


def test_the_package_gets_its_name_in_imports(tmp_path: Path) -> None:
    text = FILES["frames/tests/test_train.py"] + (
        "    from package.base import Base\n\n    assert Base.__module__ == '{{package}}.base'\n"
    )
    result = text_of(tmp_path, "tests/test_train.py", {"frames/tests/test_train.py": text})
    assert "\nfrom real_name.train import train\n" in result
    assert "    from real_name.base import Base\n" in result
    assert "'real_name.base'" in result


def test_data_files_see_the_plan(tmp_path: Path) -> None:
    tree = render(plan_of(tmp_path))
    assert tree["configs/train.yaml"].content == b"paint:\n  rate: 1.0e-05  # how fast it fades\n"
    readme = b"# Real name\n    ls\n    python -m real_name.train\n"
    assert tree["README.md"].content == readme
    assert tree["launch/go.sh"] == RenderedFile(b"#!/bin/sh\npython -m real_name.train\n", 0o755)
    assert tree[".gitignore"] == RenderedFile(b"runs/\n", 0o644)


def test_data_files_see_all_there_is_to_show(tmp_path: Path) -> None:
    template = (
        "{% for item in chosen %}{{ item.axis.title }}={{ item.part.title }};{% endfor %}\n"
        "{% for item in decisions %}{{ item.name }} {{ item.because }}{% endfor %}\n"
        "{{ estimates.parameters | count }} {{ design.color.double_shade }} {{ files | length }}\n"
        "{{ dependencies | join(' ') }} {{ dev_dependencies | join }} {{ package | json }}\n"
    )
    assert text_of(tmp_path, "all.txt", {"data/all.txt.jinja": template}) == (
        'Size=Small;Color=Red;color It is seen first.10 6 9\nnumpy torch>=2.11 pytest "real_name"\n'
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({RED: FILES[RED].replace("shade}}", "shaed}}")}, "{RED}:11: "),
        ({RED: FILES[RED].replace("print(red)", "print({{1 +}})")}, "{RED}:12: "),
        ({RED: FILES[RED].replace("print(red)", "print({{design.x}})")}, "{RED}:12: "),
        ({TRAIN: FILES[TRAIN] + "print({{design.colour.x}})\n"}, "{TRAIN}:15: "),
        ({TRAIN: FILES[TRAIN].replace("sys.argv", "{{design.x}}")}, "{TRAIN}:9: "),
        ({TRAIN: FILES[TRAIN].replace("Trains.", "{{design.x}}")}, "{TRAIN}:1: "),
        ({TRAIN: FILES[TRAIN] + "print({{decisions}})\n"}, "'decisions' is undefined"),
        ({TRAIN: FILES[TRAIN] + "print({{1 +}})\n"}, "{TRAIN}:15: "),
        ({"data/README.md.jinja": "a\n{% if x %}\nb\n"}, "data/README.md.jinja:"),
        ({"data/README.md.jinja": "a\n{{ provides.nothing }}\n"}, "data/README.md.jinja:2: "),
        ({"data/README.md.jinja": "a\n{{ 1 // 0 }}\n"}, "data/README.md.jinja:2: "),
        ({"data/README.md.jinja": "{{ ''.__class__.__mro__ }}"}, "data/README.md.jinja:1: "),
        ({"data/README.md.jinja": "{{ config.x() }}"}, "data/README.md.jinja:1: "),
    ],
)
def test_an_error_names_template_and_line(
    tmp_path: Path, changes: dict[str, str | None], message: str
) -> None:
    with pytest.raises(TemplateError) as caught:
        render(plan_of(tmp_path, changes))
    assert message.format(RED=RED, TRAIN=TRAIN) in str(caught.value)


def test_lines_are_true_below_an_import_block_of_another_height(tmp_path: Path) -> None:
    block = "import os\nimport sys\n\nfrom .a import (\n    b,\n)\n"
    text = FILES[TRAIN].replace("import sys\n", block) + "{{design.x}}\n"
    line = text.count("\n")
    with pytest.raises(TemplateError, match=f"train.py:{line}: "):
        render(plan_of(tmp_path, {TRAIN: text}))


def test_an_error_in_a_slot_for_each_names_the_fragment(tmp_path: Path) -> None:
    fragment = '"""P."""\n\n# {{% macro say() %}}\nsay({0})\n# {{% endmacro %}}\n'
    changes: dict[str, str | None] = {
        "frames/src/package/speak.py": '"""Speaks."""\n\n# {% print each.say() %}\n',
        "parts/size/small/fragments/speak.py": fragment.format("1"),
        "parts/color/red/fragments/speak.py": fragment.format("{{design.nothing}}"),
    }
    with pytest.raises(TemplateError, match="color/red/fragments/speak.py:4: "):
        render(plan_of(tmp_path, changes))


def test_line_ends_and_missing_end_of_file(tmp_path: Path) -> None:
    write_templates(tmp_path)
    crlf = FILES[TRAIN].replace("\n", "\r\n").encode()
    (tmp_path / TRAIN).write_bytes(crlf)
    (tmp_path / RED).write_bytes(FILES[RED].replace("\n", "\r\n").encode())
    catalogue = read_catalogue(tmp_path)
    tree = render(make_plan(catalogue, make_design(catalogue), DECISIONS, ESTIMATES))
    assert b"\r" not in tree["src/real_name/train.py"].content


def test_rendering_twice_gives_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    assert render(plan) == render(plan)
    program = (
        "import hashlib, pathlib, synthetic, scaffold.render\n"
        f"plan = synthetic.plan_of(pathlib.Path({str(tmp_path)!r}))\n"
        "tree = scaffold.render.render(plan)\n"
        "print(hashlib.sha256(repr(tree).encode()).hexdigest())\n"
    )
    path = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "src")]
    results = [
        subprocess.run(
            [sys.executable, "-c", f"import sys; sys.path[:0] = {path!r}\n{program}"],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert results[0] == results[1]


def test_a_warm_render_is_fast_enough_for_a_preview(tmp_path: Path) -> None:
    changes: dict[str, str | None] = {
        f"frames/src/package/more{index}.py": FILES[TRAIN] for index in range(50)
    }
    for index in range(50):
        changes[f"parts/color/red/fragments/more{index}.py"] = FILES[RED]
    plan = plan_of(tmp_path, changes)
    render(plan)
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        render(plan)
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 0.05
