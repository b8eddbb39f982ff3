"""Newer versions of the small catalogue, in which things have other names."""

from collections.abc import Mapping, Sequence

import yaml
from boxes import FILES, Change

REASON = "it reads better"


def migrations(*changes: Mapping[str, object]) -> str:
    """A migrations.yaml in which each change is a version."""
    versions = [
        {"version": number, "reason": REASON, "changes": [change]}
        for number, change in enumerate(changes, start=1)
    ]
    return yaml.safe_dump({"migrations": versions}, sort_keys=False)


def rewritten(
    words: Sequence[tuple[str, str, str]], *changes: Mapping[str, object]
) -> dict[str, Change]:
    """Templates with migrations; ``words`` are (a piece of the path, old text, new text)."""
    changed: dict[str, Change] = {"migrations.yaml": migrations(*changes)}
    for piece, old, new in words:
        for path, content in {**FILES, **changed}.items():
            if piece in path and isinstance(content, str) and old in content:
                changed[path] = content.replace(old, new)
    return changed


def relocated(files: Mapping[str, Change], old: str, new: str) -> dict[str, Change]:
    """The changes to templates, with a folder moved."""
    moved = {path: text for path, text in {**FILES, **files}.items() if path.startswith(old)}
    there = {path.replace(old, new, 1): content for path, content in moved.items()}
    return {**files, **dict.fromkeys(moved), **there}


RATE = "  rate: {type: float, default: 1e-3, help: how fast}\n"
EVERY = "options:\n  every: {type: float, default: 1e-3, help: how often}\n"
RENAMED_OPTION = rewritten(
    [("small/part.yaml", "width", "breadth")], {"rename": "size.width", "to": "size.breadth"}
)
RENAMED_AXIS = relocated(
    rewritten([], {"rename": "color", "to": "paint"}), "parts/color/", "parts/paint/"
) | {
    "parts/gloss/axis.yaml": str(FILES["parts/gloss/axis.yaml"]).replace("color", "paint"),
}
MOVED_OPTION = rewritten(
    [
        ("small/part.yaml", RATE, ""),
        ("none/part.yaml", "order: 10\n", f"order: 10\n{EVERY}"),
        ("log/part.yaml", "order: 20\n", f"order: 20\n{EVERY}"),
    ],
    {"rename": "size.rate", "to": "track.every"},
)
SPLIT_VARIANT = rewritten(
    [
        (
            "red/part.yaml",
            "options:\n",
            "options:\n  tint: {type: choice, choices: [none, blue], default: none, help: more}\n"
            "  depth: {type: int, default: 5, help: how deep}\n",
        ),
    ],
    {"replace": {"color": "blue"}, "by": {"color": "red", "color.tint": "blue"}},
) | {path: None for path in FILES if "/blue/" in path}
SPLIT_AXIS = rewritten(
    [],
    {"replace": {"track": "log"}, "by": {"track": "some", "format": "lines"}},
    {"replace": {"track": "none"}, "by": {"track": "silent", "format": "nothing"}},
) | {
    "parts/format/axis.yaml": "title: Format\nquestion: How does it look?\norder: 28\n",
    "parts/format/nothing/part.yaml": "title: none\nhelp: None.\norder: 10\n",
    "parts/format/lines/part.yaml": "title: lines\nhelp: Lines.\norder: 20\n",
    "parts/track/none/part.yaml": None,
    "parts/track/log/part.yaml": None,
    "parts/track/log/files/src/package/track.py": None,
    "parts/track/silent/part.yaml": FILES["parts/track/none/part.yaml"],
    "parts/track/some/part.yaml": FILES["parts/track/log/part.yaml"],
    "parts/track/some/files/src/package/track.py": FILES[
        "parts/track/log/files/src/package/track.py"
    ],
}
OTHER_UNIT = rewritten(
    [
        (
            "small/part.yaml",
            RATE,
            "  percent: {type: float, default: 0.1, help: how fast}\n",
        ),
    ],
    {"replace": {"size.rate": "*"}, "by": {"size.percent": "= rate * 100"}},
)
DROPPED_OPTION = rewritten([("small/part.yaml", RATE, "")], {"drop": "size.rate"})
DROPPED_VALUE = rewritten(
    [("small/part.yaml", RATE, "")], {"replace": {"size.rate": 0.001}, "by": {}}
)
ADDED_AXIS = rewritten([], {"add": {"finish": "rough"}}) | {
    "parts/finish/axis.yaml": "title: Finish\nquestion: How smooth?\norder: 40\n",
    "parts/finish/smooth/part.yaml": "title: smooth\nhelp: Smooth.\norder: 10\n",
    "parts/finish/rough/part.yaml": "title: rough\nhelp: Rough.\norder: 20\n",
}
