"""What all tests share: the catalogue, rendered designs, and a small, private environment."""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from boxes import Box
from rendering import Given, Rendering, covering_answers, render_answers
from toy import toy_templates

from scaffold.catalogue import Catalogue, read_catalogue

# The trees hold Python files, which are no tests of this repository.
collect_ignore_glob = ["golden/trees/*"]


@pytest.fixture(scope="session", autouse=True)
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What subprocesses inherit: one thread each, and a cache of compiled kernels of their own."""
    # With several workers, the folder above theirs is the session's: what one of them compiled
    # serves the others.
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")
        patch.setenv("TORCHINDUCTOR_CACHE_DIR", str(folder / "inductor"))
        yield


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """The catalogue of the checkout's own templates."""
    return read_catalogue()


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Box:
    """Templates that can be changed, and no project yet; the user's git has no settings."""
    made = Box(tmp_path)
    monkeypatch.setattr("scaffold.catalogue.default_roots", lambda: (made.templates,))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    # In this process, where the output can be seen: tests/packs/test_limits.py is about the other.
    monkeypatch.setattr("scaffold.limits.limited", lambda run: run())
    return made


@pytest.fixture
def toy(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The toy templates, which stand in for those of the tool."""
    root = toy_templates(tmp_path_factory.mktemp("toy"))
    monkeypatch.setattr("scaffold.catalogue.default_roots", lambda: (root,))
    return root


@pytest.fixture(scope="session")
def render_design(catalogue: Catalogue) -> Callable[[Given], Rendering]:
    """Renders the design of the given answers: ``render_design({"task": "language-model"})``."""
    return lambda given: render_answers(catalogue, given)


@pytest.fixture(scope="session")
def covering_set(catalogue: Catalogue) -> Mapping[str, Rendering]:
    """Rendered designs in which every variant occurs, by what is special about each."""
    return {title: render_answers(catalogue, given) for title, given in covering_answers(catalogue)}
