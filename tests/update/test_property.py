"""Random edits against random changes of design and templates: nothing of the owner's is lost.

SCAFFOLD_EXAMPLES sets how many examples are tried.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from boxes import FILES, Box, Change
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

EXAMPLES = int(os.environ.get("SCAFFOLD_EXAMPLES", "20"))
TEMPLATES = {
    "src/project/plain.py": "frames/src/package/plain.py",
    "src/project/red.py": "parts/color/red/files/src/package/red.py",
    "src/project/track.py": "parts/track/log/files/src/package/track.py",
    "logo.bin": "data/logo.bin",
    "go.sh": "data/go.sh",
}
TEXTS = [path for path in TEMPLATES if path.endswith(".py")]
LINES = st.integers(0, 30)
ANY = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True
)


@dataclass(frozen=True)
class Edit:
    """What the owner does to one file; ``line`` is where, modulo the length of the file."""

    path: str
    kind: str
    line: int = 0
    to: int = 0


EDITS = st.one_of(
    st.builds(
        Edit,
        st.sampled_from(TEXTS),
        st.sampled_from(["insert", "delete", "move", "change"]),
        LINES,
        LINES,
    ),
    st.builds(Edit, st.sampled_from(TEXTS), st.sampled_from(["rename", "crlf", "remove"])),
    st.builds(Edit, st.sampled_from([*TEXTS, "go.sh"]), st.just("mode")),
    st.builds(Edit, st.just("logo.bin"), st.sampled_from(["binary", "link", "remove"])),
)
FLIPS = st.fixed_dictionaries(
    {},
    optional={
        "color": st.sampled_from(["red", "blue"]),
        "track": st.sampled_from(["none", "log"]),
        "size.steps": st.integers(1, 9).map(str),
        "project.package": st.sampled_from(["project", "other"]),
    },
)


def changed_template(name: str, edit: tuple[str, int]) -> dict[str, Change]:
    kind, line = edit
    text = FILES[TEMPLATES[name]]
    assert text is not None
    if kind == "drop":
        return {TEMPLATES[name]: None}
    if kind == "rename":
        moved = TEMPLATES[name].replace(Path(name).name, f"moved_{Path(name).name}")
        return {TEMPLATES[name]: None, moved: text}
    if isinstance(text, bytes):
        return {TEMPLATES[name]: text + b"more"}
    lines = text.splitlines(keepends=True)
    lines.insert(3 + line % (len(lines) - 3), f"# theirs {line}\n")
    return {TEMPLATES[name]: "".join(lines)}


TEMPLATE_EDITS = st.dictionaries(
    st.sampled_from([name for name in TEMPLATES if name != "go.sh"]),
    st.tuples(st.sampled_from(["line", "line", "drop", "rename"]), LINES),
    max_size=3,
).map(lambda edits: {k: v for n, e in edits.items() for k, v in changed_template(n, e).items()})


class Owner:
    """Edits a project, and remembers what must not be lost."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self.added: list[str] = []  # lines that must be somewhere
        self.deleted: list[tuple[str, str]] = []  # (path, line) that must not be back
        self.removed: set[str] = set()
        self.renamed: dict[str, str] = {}
        self.modes: set[str] = set()
        self.dos: set[str] = set()

    def edit(self, number: int, edit: Edit) -> None:
        path = self.box.path(self.renamed.get(edit.path, edit.path))
        if not path.is_file() or path.is_symlink():
            return
        if edit.kind == "remove":
            path.unlink()
            self.removed.add(edit.path)
            self.added = [line for line in self.added if not line.startswith(f"# {edit.path} ")]
            self.deleted = [item for item in self.deleted if item[0] != edit.path]
            self.modes.discard(edit.path)
        elif edit.kind == "rename":
            new = path.with_name(f"own_{path.name}")
            path.rename(new)
            self.renamed[edit.path] = new.relative_to(self.box.project).as_posix()
        elif edit.kind == "mode":
            path.chmod(path.stat().st_mode ^ 0o111)
            self.modes ^= {edit.path}
        elif edit.kind == "binary":
            path.write_bytes(bytes([number]) * 1000 + b"\0")
        elif edit.kind == "link":
            path.unlink()
            path.symlink_to(f"target{number}")
        elif edit.kind == "crlf":
            content = path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
            path.write_bytes(content)
            self.dos.add(edit.path)
        else:
            self._edit_lines(path, number, edit)

    def _edit_lines(self, path: Path, number: int, edit: Edit) -> None:
        lines = path.read_bytes().decode().splitlines(keepends=True)
        end = "\r\n" if lines[0].endswith("\r\n") else "\n"
        at, to = edit.line % len(lines), edit.to % len(lines)
        old = lines[at].strip()
        if edit.kind == "insert":
            lines.insert(at, self._own(edit.path, number) + end)
        elif edit.kind == "change":
            self._forget(edit.path, old)
            lines[at] = self._own(edit.path, number) + end
        elif edit.kind == "delete":
            self._forget(edit.path, old)
            del lines[at]
        else:
            lines.insert(to, lines.pop(at))
        path.write_bytes("".join(lines).encode())

    def _own(self, path: str, number: int) -> str:
        line = f"# {path} mine {number}"
        self.added.append(line)
        return line

    def _forget(self, path: str, line: str) -> None:
        if line in self.added:
            self.added.remove(line)
        elif line:
            self.deleted.append((path, line))

    def verify(self, before: Mapping[str, tuple[bytes, int]], conflicts: list[str]) -> None:
        """Asserts that every edit is in the project; what is only told is told of its file."""
        after = self.box.state()
        everything = b"\n".join(content for content, _ in after.values())
        told = {path for path in TEMPLATES if self._is_told(path, conflicts)}
        for line in self.added:
            assert line.encode() in everything, line
        for path, line in self.deleted:
            lines = [text.strip() for text in _content(after, self._now(path, after)).splitlines()]
            assert line.encode() not in lines or path in told, (path, line)
        if "logo.bin" in before and before["logo.bin"][0] != FILES["data/logo.bin"]:
            kept = [content for path, (content, _) in after.items() if "logo.bin" in path]
            assert before["logo.bin"][0] in kept
        for path in self.removed:
            assert path not in after or path in told
        for path in self.modes:
            now = self._now(path, after)
            was = before[self.renamed.get(path, path)][1]
            assert now not in after or (after[now][1] ^ was) & 0o100 == 0 or path in told
        for path in self.dos - self.removed:
            content = _content(after, self._now(path, after))
            assert content.count(b"\r\n") == content.count(b"\n") or path in told

    def _is_told(self, path: str, conflicts: list[str]) -> bool:
        """Whether a conflict is about a file, under any of its names."""
        return any(Path(path).name in Path(told).name for told in conflicts)

    def _now(self, path: str, after: Mapping[str, tuple[bytes, int]]) -> str:
        """Where a file is now: under its own name, the owner's, or that of the templates."""
        name = self.renamed.get(path, path)
        moved = str(Path(name).with_name(f"moved_{Path(name).name}"))
        names = [name, moved, *(n.replace("src/project/", "src/other/") for n in (name, moved))]
        return next((found for found in names if found in after), name)


def _content(state: Mapping[str, tuple[bytes, int]], path: str) -> bytes:
    return state.get(path, (b"", 0))[0]


def made(folder: Path, patch: pytest.MonkeyPatch) -> Box:
    box = Box(folder)
    patch.setattr("scaffold.catalogue.default_roots", lambda: (box.templates,))
    return box


@ANY
@given(st.lists(EDITS, max_size=6), FLIPS, FLIPS, TEMPLATE_EDITS)
def test_nothing_of_the_owner_is_lost(
    tmp_path_factory: pytest.TempPathFactory,
    edits: list[Edit],
    first: dict[str, str],
    second: dict[str, str],
    templates: dict[str, Change],
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        box = made(tmp_path_factory.mktemp("any"), patch)
        first = {**first, "project.package": "project"}
        box.new(*(f"{key}={value}" for key, value in first.items()))
        owner = Owner(box)
        for number, edit in enumerate(edits):
            owner.edit(number, edit)
        before = box.state()
        box.set_templates(templates)
        flags = [word for key, value in second.items() for word in ("--set", f"{key}={value}")]
        preview = box.update("--dry-run", *flags)
        assert box.state() == before
        ran = box.update(*flags)
        assert ran.code in (0, 3), ran.out
        assert (ran.verdicts(), ran.conflicts()) == (preview.verdicts(), preview.conflicts())
        owner.verify(before, ran.conflicts())
        fresh = box.fresh(*(f"{key}={value}" for key, value in {**first, **second}.items()))
        base = ".scaffold/base.tar.bz2"
        assert box.state()[base] == fresh[base]
        if not edits:
            assert ran.code == 0
            assert box.state() == fresh
        assert box.check().code == ran.code
        if ran.json["files"] or ran.json["design"]:
            assert box.update("--undo").code == 0
            assert box.state() == before


@ANY
@given(
    st.lists(st.tuples(st.sampled_from(["insert", "delete", "change"]), st.integers(0, 12))),
    st.lists(st.integers(18, 30), min_size=1, max_size=4),
    st.booleans(),
    st.booleans(),
)
def test_edits_of_other_regions_are_merged_without_a_conflict(
    tmp_path_factory: pytest.TempPathFactory,
    edits: list[tuple[str, int]],
    theirs: list[int],
    is_dos: bool,
    is_renamed: bool,
) -> None:
    path = "src/project/plain.py"
    with pytest.MonkeyPatch.context() as patch:
        box = made(tmp_path_factory.mktemp("apart"), patch)
        box.new()
        owner = Owner(box)
        lines = box.read(path).splitlines()
        tail = lines[15:]
        for number, (kind, line) in enumerate(edits[:8]):
            head = len(box.read(path).splitlines()) - len(tail)
            if head > 2:
                owner.edit(number, Edit(path, kind, line % (head - 2)))
        if is_dos:
            owner.edit(99, Edit(path, "crlf"))
        if is_renamed:
            owner.edit(100, Edit(path, "rename"))
        text = str(FILES[TEMPLATES[path]]).splitlines(keepends=True)
        for number, line in enumerate(theirs):
            text[line] = f"# theirs {number}\n"
        head_now = box.read(owner.renamed.get(path, path)).splitlines()[: -len(tail)]
        box.set_templates({TEMPLATES[path]: "".join(text)})
        ran = box.update()
        assert (ran.code, ran.conflicts()) == (0, [])
        now = box.read(owner.renamed.get(path, path)).splitlines()
        assert now == head_now + [line.rstrip("\n") for line in text[15:]]
