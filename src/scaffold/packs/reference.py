"""How a pack is named: a folder, a git repository, or an installed package."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from scaffold.errors import PackError
from scaffold.keys import shown

FLAG = "--pack "
GIT = "git+"
SCHEMES = ("https", "ssh", "file")
# What a branch, tag or commit may look like; `-` at the start would be an option of git.
REF = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+/-]*")
HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?")
USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
PATH = re.compile(r"[A-Za-z0-9._~][A-Za-z0-9._~%+:/-]*")  # not after a second slash, nor a `-`
PACKAGE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
SSH = re.compile(r"([\w.-]+@[\w.-]+):(?!/)(.+)")  # as git clone takes it
COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True)
class FolderReference:
    """A folder; ``path`` is the text as seen from where the reference stands."""

    text: str
    path: Path


@dataclass(frozen=True)
class GitReference:
    """A repository at a branch, tag or commit; ``ref`` is ``HEAD`` where none is named."""

    text: str
    url: str
    ref: str


@dataclass(frozen=True)
class PackageReference:
    """A distribution that is installed beside this tool."""

    text: str
    name: str


Reference: TypeAlias = FolderReference | GitReference | PackageReference


def parse_reference(text: str, start: Path, *, is_recorded: bool = False) -> Reference:
    """What a reference names, relative paths as seen from ``start``; raises PackError.

    A text with a slash, or that begins with a point, is a folder; so is the plain name of a folder
    that is there, unless it ``is_recorded`` in a lock.
    """
    if not text.strip() or not text.isprintable():
        raise _refused(text, "it names nothing", "give a folder, git+https://... or a package")
    if text.startswith(GIT):
        return _git(text)
    if "://" in text:
        raise _refused(text, "a repository is named with git+ before its address", f"{GIT}{text}")
    short = SSH.fullmatch(text)
    if short is not None and not (start / text).exists():
        raise _refused(
            text, "a repository is named by an address", f"git+ssh://{short[1]}/{short[2]}"
        )
    is_path = text.startswith((".", "~")) or any(sign in text for sign in "/\\")
    folder = start / os.path.expanduser(text)
    if is_path or (folder.is_dir() and not is_recorded):
        return FolderReference(text, folder)
    if PACKAGE.fullmatch(text):
        return PackageReference(text, text)
    raise _refused(text, "it is no folder, and no name of a package", "give ./FOLDER")


def _git(text: str) -> GitReference:
    form = "write git+https://HOST/PATH@REF"
    scheme, _, rest = text.removeprefix(GIT).partition("://")
    authority, _, rest = rest.partition("/")
    path, at, ref = rest.partition("@")
    user, _, host = authority.rpartition("@")
    if scheme not in SCHEMES:
        rule = f"the scheme {scheme or '(none)'} is none of {', '.join(SCHEMES)}"
        raise _refused(text, rule, form)
    if user and (scheme != "ssh" or ":" in user):
        rule = "it holds a user name or password, and would be recorded with it"
        raise _refused(text.replace(user, "..."), rule, "leave them to git's credential helper")
    is_host = not host if scheme == "file" else HOST.fullmatch(host)
    if not is_host or (user and not USER.fullmatch(user)) or not PATH.fullmatch(path):
        raise _refused(text, "it is no plain address", form)
    if at and not is_ref(ref):
        raise _refused(text, f"{ref!r} is no branch, tag or commit", form)
    return GitReference(text, f"{scheme}://{authority}/{path}", ref or "HEAD")


def is_ref(text: str) -> bool:
    """Whether a text may name a branch, tag or commit."""
    pieces = text.split("/")
    is_odd = ".." in text or any(
        not piece or piece.startswith((".", "-")) or piece.endswith((".lock", "."))
        for piece in pieces
    )
    return REF.fullmatch(text) is not None and not is_odd


def _refused(text: str, rule: str, fix: str) -> PackError:
    return PackError([f"{FLAG}{shown(text)}: {rule}; {fix}"])
