"""The packs of a project with others in place of some, one more, or without some."""

from collections.abc import Sequence
from pathlib import Path

from scaffold.errors import PackError
from scaffold.keys import shown
from scaffold.limits import tighten
from scaffold.lock import PackRecord
from scaffold.packs.load import (
    Loaded,
    OpenPack,
    layered,
    load_locked,
    named,
    open_pack,
    require_whole,
)
from scaffold.packs.reference import parse_reference


def load_replaced(
    packs: Sequence[PackRecord], project: Path, given: Sequence[str], without: Sequence[str] = ()
) -> Loaded:
    """The packs of a project's lock as they are now, over the tool's templates.

    One that ``given`` names, as seen from the current folder, takes the place of the one with the
    same id; where there is none, it is laid over the others. Those whose ids are in ``without``
    are left out. Raises PackError.
    """
    if without:
        packs = _left(packs, without)
    if not given:
        return load_locked(packs, project, pinned=False)
    require_whole(packs)
    new = [_opened(text, Path(), is_recorded=False) for text in dict.fromkeys(given)]
    result: list[OpenPack] = []
    for pack in packs:
        same = [other for other in new if other.declaration.id == pack.id]
        result += same or [_opened(pack.reference, project, is_recorded=True)]
    tighten()
    return layered([*result, *(pack for pack in new if pack not in result)])


def _left(packs: Sequence[PackRecord], without: Sequence[str]) -> list[PackRecord]:
    """The packs whose ids are not in ``without``; raises PackError for an id that none has."""
    there = [pack.id for pack in packs]
    listed = f"it has {', '.join(there)}" if there else "it has none"
    problems = [
        f"--without-pack {shown(name)}: the project has no pack of that id; {listed}"
        for name in without
        if name not in there
    ]
    if problems:
        raise PackError(problems)
    return [pack for pack in packs if pack.id not in without]


def _opened(text: str, start: Path, *, is_recorded: bool) -> OpenPack:
    try:
        return open_pack(parse_reference(text, start, is_recorded=is_recorded))
    except PackError as error:
        raise PackError(named(text, error)) from None
