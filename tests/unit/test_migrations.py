"""migrations.yaml: what it may say, and what is wrong with it as a whole."""

from pathlib import Path

import pytest
from toy import FILES, toy_templates

from scaffold.catalogue import Catalogue, read_catalogue
from scaffold.design import Value
from scaffold.errors import TemplateError
from scaffold.migrate import migrate
from scaffold.migrations import Add, Drop, Rename, Replace, instead, like_now

ONE = "migrations:\n- version: 1\n  reason: plainer words\n  changes:\n"
TWO = "- version: 2\n  reason: plainer still\n  changes:\n"


def catalogue_with(root: Path, text: str) -> Catalogue:
    templates = toy_templates(root)
    (templates / "migrations.yaml").write_text(text)
    return read_catalogue(templates)


def test_every_kind_of_change_is_read(tmp_path: Path) -> None:
    text = ONE + (
        "  - {rename: mixer.groups, to: mixer.n_groups}\n"
        "  - {rename: blend.variant, to: mixer}\n"
        "  - {replace: {mixer: one, task.heads: '*'}, by: {mixer: shared, task.n_heads: = heads}}\n"
        "  - {drop: taste}\n"
        "  - {add: {reach: past}}\n"
    )
    (migration,) = catalogue_with(tmp_path, text).migrations
    assert (migration.title, migration.reason) == ("scaffold 1", "plainer words")
    assert migration.operations == (
        Rename("mixer.groups", "mixer.n_groups"),
        Rename("blend", "mixer"),
        Replace(
            {"mixer": "one", "task.heads": "*"}, {"mixer": "shared", "task.n_heads": "= heads"}
        ),
        Drop("taste"),
        Add({"reach": "past"}),
    )


def test_trees_without_migrations_have_none(tmp_path: Path) -> None:
    assert read_catalogue(toy_templates(tmp_path)).migrations == ()
    assert "migrations.yaml" not in FILES


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- x\n", "must be a mapping"),
        ("migration: []\n", "unknown key; did you mean 'migrations'?"),
        ("migrations: x\n", "migrations: must be a list"),
        (
            "migrations: [{version: 2, reason: x, changes: [{drop: a}]}]\n",
            "is 2; versions are 1, 2",
        ),
        ("migrations: [{version: 1, changes: [{drop: a}]}]\n", "reason: is missing"),
        ("migrations: [{version: 1, reason: ' ', changes: [{drop: a}]}]\n", "must be one line"),
        ("migrations: [{version: 1, reason: x}]\n", "changes: lists nothing"),
        (ONE + "  - {renam: a, to: b}\n", "must be one of rename, replace, drop, add, and says"),
        (ONE + "  - {rename: a, drop: b}\n", "must be one of rename, replace, drop, add, and says"),
        (ONE + "  - {rename: a}\n", "changes[0].to: is missing"),
        (ONE + "  - {rename: a, to: mixer.n_groups}\n", "an axis becomes an axis"),
        (ONE + "  - {drop: a, to: b}\n", "to: unknown key"),
        (ONE + "  - {replace: {}, by: {}}\n", "replace: names nothing"),
        (ONE + "  - {replace: {a: b}}\n", "by: is missing"),
        (ONE + "  - {replace: {a: [b]}, by: {}}\n", "replace.a: must be a number, text or boolean"),
        (
            ONE + "  - {replace: {mixer: off}, by: {}}\n",
            "replace.mixer: must be a variant, not False",
        ),
        (
            ONE + "  - {add: {mixer: 2}}\n",
            "add.mixer: must be a variant, not 2; write it in quotes",
        ),
        (ONE + "  - {replace: {a.b: '*'}, by: {task.dim: = c}}\n", "by.task.dim: reads c"),
        (ONE + "  - {replace: {a.b: '*'}, by: {task.dim: = b +}}\n", "by.task.dim: expression"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(TemplateError) as caught:
        catalogue_with(tmp_path, text)
    assert "migrations.yaml" in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ONE + "  - {rename: mixer, to: reach}\n", "version 1: mixer is there still"),
        (ONE + "  - {drop: task.dim}\n", "task.dim is there still"),
        (
            ONE + "  - {replace: {mixer: full}, by: {mixer: shared}}\n",
            "mixer = full is there still",
        ),
        (ONE + "  - {replace: {task.dim: 64}, by: {}}\n", "task.dim = 64 is there still"),
        (ONE + "  - {rename: blend, to: mixture}\n", "there is no mixture, and nothing becomes"),
        (ONE + "  - {rename: a.b, to: mixer.n_group}\n", "there is no mixer.n_group"),
        (ONE + "  - {replace: {mixer: one}, by: {mixer: two}}\n", "there is no mixer = two"),
        (ONE + "  - {replace: {a: b}, by: {task.dim: 4}}\n", "there is no task.dim = 4"),
        (ONE + "  - {add: {mixer: two}}\n", "there is no mixer = two"),
        (ONE + "  - {add: {mixer: full, mixer.n_groups: 2}}\n", "there is no mixer.n_groups = 2"),
        (
            ONE + "  - {replace: {mixer: shared, mixer.n_groups: '*'}, by: {mixer: shared}}\n",
            "mixer = shared, mixer.n_groups = * is there still",
        ),
        (ONE + "  - {drop: project.name}\n", "project.name is no key of a tree"),
        (ONE + "  - {drop: a}\n" + TWO + "  - {rename: a.b, to: mixer.n_groups}\n", "given up in"),
        (
            ONE + "  - {rename: a.b, to: mixer.n_groups}\n" + TWO + "  - {drop: a.b}\n",
            "version 2: a.b was given up in version 1 already",
        ),
        (
            f"{ONE}  - {{rename: a, to: mixer}}\n{TWO}  - {{rename: b, to: a}}\n"
            "- {version: 3, reason: x, changes: [{drop: a}]}\n",
            "version 2: a was given up in version 1: take another name",
        ),
    ],
)
def test_what_contradicts_the_names_of_today_is_named(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(TemplateError) as caught:
        catalogue_with(tmp_path, text)
    assert message in str(caught.value)


def test_names_in_between_need_not_exist(tmp_path: Path) -> None:
    text = f"{ONE}  - {{rename: a.b, to: c.d}}\n{TWO}  - {{rename: c.d, to: mixer.n_groups}}\n"
    found = catalogue_with(tmp_path, text).migrations
    assert [migration.version for migration in found] == [1, 2]


def test_one_variant_may_lose_an_option_that_another_keeps(tmp_path: Path) -> None:
    lost = "replace: {mixer: full, mixer.n_groups: '*'}, by: {mixer: full}"
    found = catalogue_with(tmp_path, f"{ONE}  - {{{lost}}}\n").migrations
    values: dict[str, Value] = {"mixer": "full", "mixer.n_groups": 2}
    assert migrate(found, values).values == {"mixer": "full"}
    assert migrate(found, {**values, "mixer": "shared"}).events == ()


def test_what_became_of_a_name(tmp_path: Path) -> None:
    text = ONE + (
        "  - {rename: blend, to: mixer}\n"
        "  - {replace: {mixer: one}, by: {mixer: shared}}\n"
        "  - {replace: {mixer: two}, by: {mixer: shared, mixer.n_groups: 2}}\n"
        "  - {replace: {reach.odd: 1}, by: {}}\n"
        "  - {drop: taste}\n"
    )
    found = catalogue_with(tmp_path, text).migrations
    assert instead(found, "blend.n_groups") == ("plainer words", "it is called mixer.n_groups now")
    assert (
        instead(found, "taste.salt")
        == instead(found, "reach.odd")
        == (
            "plainer words",
            "leave it out",
        )
    )
    assert instead(found, "task.dim") is None
    assert like_now(found, "mixer", "one") == "shared"
    assert like_now(found, "mixer", "two") == "two"  # it has become more than another name
