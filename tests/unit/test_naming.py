"""Names of projects and packages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy import problems_of, toy_catalogue

from scaffold.catalogue import Catalogue
from scaffold.naming import LONGEST_NAME, name_from, name_problems, package_from, package_problems


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    return toy_catalogue(tmp_path_factory.mktemp("toy"))


@pytest.mark.parametrize("name", ["a", "A", "my-run", "my_run", "my.run2", "x" * LONGEST_NAME])
def test_names(catalogue: Catalogue, name: str) -> None:
    assert list(name_problems(catalogue, name)) == []


@pytest.mark.parametrize(
    "name",
    ["", "-a", "a-", ".a", "a b", "ä", "a/b", "x" * (LONGEST_NAME + 1), "torch", "Torch", "a\n"]
    + ["scikit_learn", "Scikit.Learn", "numpy"],
)
def test_names_that_will_not_do(catalogue: Catalogue, name: str) -> None:
    (problem,) = name_problems(catalogue, name)
    assert problem.key == "project.name"
    assert "--name" in problem.fix


@pytest.mark.parametrize("package", ["a", "my_run", "run2", "a_1", "x" * LONGEST_NAME])
def test_packages(catalogue: Catalogue, package: str) -> None:
    assert list(package_problems(catalogue, package)) == []


@pytest.mark.parametrize(
    ("package", "rule"),
    [
        ("", "lower-case"),
        ("My", "lower-case"),
        ("1a", "lower-case"),
        ("_a", "lower-case"),
        ("a-b", "lower-case"),
        ("a.b", "lower-case"),
        ("ä", "lower-case"),
        ("a__b", "lower-case"),
        ("x" * (LONGEST_NAME + 1), "at most 40"),
        ("class", "keyword"),
        ("match", "keyword"),
        ("json", "standard library"),
        ("torch", "depend on"),
        ("numpy", "depend on"),
        ("sklearn", "depend on"),
        ("tests", "folder"),
        ("scaffold", "folder"),
        ("con", "folder"),
    ],
)
def test_packages_that_will_not_do(catalogue: Catalogue, package: str, rule: str) -> None:
    (problem,) = package_problems(catalogue, package)
    assert problem.key == "project.package"
    assert rule in problem.rule
    assert "--package" in problem.fix


def test_names_come_from_the_folder() -> None:
    assert name_from("My Run ") == "My-Run"
    assert name_from(".hidden") == "hidden"
    assert name_from("") == "project"
    assert package_from("My-Run.2") == "my_run_2"


def test_a_bad_name_is_told_once(catalogue: Catalogue) -> None:
    assert set(problems_of(catalogue, project__name="a/b")) == {"project.name"}
    assert set(problems_of(catalogue, project__name="1a")) == {"project.package"}
    assert problems_of(catalogue, project__name="1a", project__package="one_a") == {}


@given(st.text(max_size=50))
def test_any_name_is_accepted_or_a_problem(catalogue: Catalogue, name: str) -> None:
    if not list(package_problems(catalogue, name)):
        assert name.isidentifier()
        assert name == name.lower()
    if not list(name_problems(catalogue, name)):
        assert name.isascii()
