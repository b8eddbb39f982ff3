"""What a changed scaffold.yaml means, and how it is written back."""

import pytest
from boxes import FILES, Box

RED = "parts/color/red/part.yaml"
SMALL = "parts/size/small/part.yaml"


def changes(box: Box, *words: str) -> dict[str, tuple[object, object, str]]:
    ran = box.update("--dry-run", *words)
    assert ran.code == 0, ran.out
    return {
        item["key"]: (item["before"], item["after"], item["from"]) for item in ran.json["design"]
    }


def test_comments_and_order_of_the_file_are_kept(box: Box) -> None:
    box.new()
    text = box.read("scaffold.yaml")
    head, blocks = text.split("\n\n", 1)
    text = f"# Ours: ask Ada.\n{head}\n\n# all of it moved\n{blocks}"
    text = text.replace("  steps: 100  # how long", "  steps: 100  # enough, see notes")
    text = text.replace("  rate: 0.001", "  rate: 1e-3")
    box.write("scaffold.yaml", text)
    assert box.check().code == 0
    assert box.update("--set", "size.steps=9", "--set", "track=log").code == 0
    expected = text.replace("steps: 100  #", "steps: 9  #")
    expected = expected.replace("variant: none  # or log", "variant: log  # or none")
    assert box.read("scaffold.yaml") == expected


def test_a_switch_changes_the_block_and_what_follows(box: Box) -> None:
    box.new()
    box.write("scaffold.yaml", "# Ours.\n" + box.read("scaffold.yaml"))
    box.replace("scaffold.yaml", "variant: red", "variant: blue")
    assert changes(box) == {
        "color": ("red", "blue", "file"),
        "color.depth": (None, 5, "default"),
        "color.shade": (3, None, "gone"),
        "gloss": ("matt", None, "gone"),
    }
    assert box.update().code == 0
    fresh = box.fresh("color=blue")["scaffold.yaml"][0].decode()
    assert box.read("scaffold.yaml") == "# Ours.\n" + fresh


@pytest.mark.parametrize("how", ["flag", "file"])
def test_answers_that_a_switch_hides_are_remembered(box: Box, how: str) -> None:
    box.new("color.shade=7", "gloss=glossy")
    assert box.update("--set", "color=blue").code == 0
    assert "remembered:\n  color.shade: 7\n  gloss: glossy\n" in box.read(".scaffold/lock.yaml")
    assert box.update("--set", "size.steps=9").code == 0
    if how == "flag":
        assert box.update("--set", "color=red").code == 0
    else:
        box.replace("scaffold.yaml", "variant: blue", "variant: red")
        assert box.update().code == 0
    assert box.state() == box.fresh("color.shade=7", "gloss=glossy", "size.steps=9")


def test_a_remembered_option_does_not_bring_its_variant_back(box: Box) -> None:
    box.new("color=blue", "color.depth=7")
    assert box.update("--set", "color=red").code == 0  # the recommended one, as if nobody chose it
    assert changes(box) == {}
    assert changes(box, "--set", "size.steps=9") == {"size.steps": (100, 9, "flag")}
    assert box.update("--set", "color=blue").code == 0
    assert box.state() == box.fresh("color=blue", "color.depth=7")


def test_a_remembered_answer_gives_way_to_a_new_one(box: Box) -> None:
    box.new("color.shade=7")
    assert box.update("--set", "color=blue").code == 0
    assert box.update("--set", "color=red", "--set", "color.shade=2").code == 0
    assert box.state() == box.fresh("color.shade=2")


def test_a_remembered_answer_that_is_no_longer_possible_is_left(box: Box) -> None:
    box.new("color.shade=7")
    assert box.update("--set", "color=blue").code == 0
    text = str(FILES[RED]).replace("default: 3,", "default: 3, maximum: 5,")
    box.set_templates({RED: text})
    assert box.update("--set", "color=red").code == 0
    assert box.state() == box.fresh("color=red")


def test_a_new_answer_for_what_the_design_has_not_is_refused(box: Box) -> None:
    box.new()
    ran = box.update("--set", "color=blue", "--set", "color.shade=2", "--set", "gloss=matt")
    assert ran.code == 2
    assert {problem["key"] for problem in ran.json["problems"]} == {"color.shade", "gloss"}


def test_a_line_that_is_taken_out_is_back_at_its_default(box: Box) -> None:
    box.new("size.steps=9", "color=blue")
    box.replace("scaffold.yaml", "  steps: 9  # how long\n", "")
    assert box.found() == {"size.steps": "design"}
    assert box.update().code == 0
    text = box.read("scaffold.yaml")
    assert "steps" not in text
    assert "STEPS = 100" in box.read("src/project/train.py")
    assert box.check().code == 0
    assert box.update("--set", "track=log").code == 0
    assert "steps" not in box.read("scaffold.yaml")
    assert box.update("--set", "size.steps=8").code == 0
    assert "  variant: small\n  steps: 8\n" in box.read("scaffold.yaml")


def test_a_short_file_stays_short(box: Box) -> None:
    box.new()
    short = 'project: {name: project, package: project, description: "Small, trained."}\n'
    short += "color: red\nsize.steps: 9\n"
    box.write("scaffold.yaml", short)
    assert box.update().code == 0
    assert box.read("scaffold.yaml") == short
    assert box.update("--set", "size.width=10").code == 0
    assert box.read("scaffold.yaml") == short + "size.width: 10\n"
    assert box.check().code == 0


def test_a_default_that_the_file_does_not_name_moves_and_is_shown(box: Box) -> None:
    box.new()
    box.replace("scaffold.yaml", "  steps: 100  # how long\n", "")
    assert box.check().code == 0
    box.set_templates({SMALL: str(FILES[SMALL]).replace("default: 100", "default: 400")})
    ran = box.update()
    assert [(item["key"], item["taken"]) for item in ran.json["defaults"]] == [("size.steps", True)]
    assert "STEPS = 400" in box.read("src/project/train.py")
    assert "steps" not in box.read("scaffold.yaml")


def test_an_option_that_the_templates_drop_or_add(box: Box) -> None:
    box.new("size.width=10")
    text = str(FILES[SMALL])
    rate = "  rate: {type: float, default: 1e-3, help: how fast}\n"
    box.set_templates({SMALL: text.replace(rate, rate.replace("rate:", "speed:"))})
    assert changes(box) == {
        "size.rate": (0.001, None, "gone"),
        "size.speed": (None, 0.001, "default"),
    }
    assert box.update().code == 0
    assert box.state() == box.fresh("size.width=10")


def test_a_chosen_option_that_the_templates_drop_is_told(box: Box) -> None:
    box.new("size.rate=0.5")
    text = str(FILES[SMALL]).replace("  rate: {type: float, default: 1e-3, help: how fast}\n", "")
    box.set_templates({SMALL: text})
    before = box.state()
    ran = box.update()
    assert ran.code == 2
    assert [problem["key"] for problem in ran.json["problems"]] == ["size.rate"]
    assert box.state() == before
    box.replace("scaffold.yaml", "  rate: 0.5  # how fast\n", "")
    assert box.update().code == 0


def test_a_chosen_variant_that_the_templates_drop_is_told(box: Box) -> None:
    box.new("color=blue", "color.depth=9")
    box.set_templates({name: None for name in FILES if "/blue/" in name})
    before = box.state()
    ran = box.update()
    assert ran.code == 2
    assert {problem["key"] for problem in ran.json["problems"]} == {"color", "color.depth"}
    assert box.state() == before
    assert box.update("--set", "color=red").code == 0
    assert box.state() == box.fresh() | {".scaffold/lock.yaml": box.state()[".scaffold/lock.yaml"]}


def test_a_variant_that_is_recommended_now_is_a_default_too(box: Box) -> None:
    box.new()
    log = "parts/track/log/part.yaml"
    box.set_templates({log: str(FILES[log]).replace("order: 20", "order: 5")})
    ran = box.update()
    assert [item["key"] for item in ran.json["defaults"]] == ["track"]
    assert "variant: none" in box.read("scaffold.yaml")
    # It was kept once: from now on it is the owner's choice.
    assert box.update("--take-defaults").json["defaults"] == []


def test_a_default_that_is_no_longer_possible_gives_way(box: Box) -> None:
    box.new()
    text = str(FILES[SMALL]).replace("default: 100, minimum: 1", "default: 400, minimum: 200")
    box.set_templates({SMALL: text, "parts/track/none/part.yaml": None})
    ran = box.update()
    assert ran.code == 0
    assert {item["key"]: item["taken"] for item in ran.json["defaults"]} == {
        "size.steps": True,
        "track": True,
    }
    assert box.state() == box.fresh()


def test_newer_templates_alone_change_no_value_that_nobody_chose(box: Box) -> None:
    box.new()
    text = str(FILES[SMALL]).replace('"= width // 2"', '"= width // 4"')
    box.set_templates({SMALL: text})
    assert box.update("--set", "size.width=100").code == 0
    assert "half: 32" in box.read("scaffold.yaml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("a: [", "is not valid YAML"),
        ("- a\n", "holds a list"),
        ("size: &x {steps: 1}\n", "uses an anchor"),
        ("size: {steps: 1, steps: 2}\n", "repeats it"),
        ("size: {steps: '${oc.env:HOME}'}\n", "never expanded"),
        ("size: {variant: small, steps: 1, half: 1, rate: 1}\n", "line of its own"),
    ],
)
def test_a_file_that_will_not_do(box: Box, text: str, message: str) -> None:
    box.new("size.width=9")
    box.write("scaffold.yaml", text)
    before = box.state()
    ran = box.update("--set", "size.width=10")
    assert ran.code == 2
    assert message in ran.out
    assert box.state() == before
