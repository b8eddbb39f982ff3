"""docs/known-bugs.md names tests that exist."""

import re
from pathlib import Path

TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(test_\w+))?`|`(test_\w+)`")


def test_every_test_that_is_named_exists(repository: Path) -> None:
    text = (repository / "docs" / "known-bugs.md").read_text(encoding="utf-8")
    rows = [row for row in text.splitlines() if row.startswith("| ") and "#" in row.split("|")[1]]
    assert len(rows) > 20
    for row in rows:
        named = TEST.findall(row)
        assert named, row
        for file, test, alone in named:
            found = [
                path.read_text(encoding="utf-8")
                for folder in ("tests", "templates")
                for path in (repository / folder).rglob(Path(file).name if file else "test_*.py")
                if str(path).endswith(file)
            ]
            assert found, f"{file} does not exist"
            name = test or alone
            assert not name or any(f"def {name}(" in source for source in found), name
