"""Files that are on the disk when they say so, and a manifest by which broken ones are found."""

import json
import os
import zlib
from pathlib import Path
from typing import Any

import torch

MANIFEST = "manifest.json"
EVERY_FILE = slice(None)
Manifest = dict[str, dict[str, int]]  # of each file: its size and its checksum


def save(value: Any, path: Path) -> None:
    """``torch.save``; raises ``OSError`` if it cannot be written."""
    try:
        torch.save(value, path)
    except RuntimeError as error:  # what torch makes of a full disk
        raise OSError(f"{path} cannot be written: {error}") from error


def seal(path: Path) -> dict[str, int]:
    """Make a file durable; returns what the manifest says of it."""
    sync(path)
    return {"bytes": path.stat().st_size, "crc32": _checksum(path)}


def find_fault(directory: Path, files: slice = EVERY_FILE) -> str | None:
    """What is wrong with a directory, or None if ``files`` of its manifest are as written."""
    try:
        manifest = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))
        if not manifest:
            return f"{MANIFEST} lists no file"
        for name, entry in sorted(manifest.items())[files]:
            if (directory / name).stat().st_size != entry["bytes"]:
                return f"{name} is not {entry['bytes']} bytes long"
            if _checksum(directory / name) != entry["crc32"]:
                return f"{name} does not have the checksum it was written with"
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        return f"not a whole checkpoint ({error})"
    return None


def write_text(path: Path, text: str) -> None:
    """Write a text file, and wait until it is on the disk."""
    path.write_text(text, encoding="utf-8")
    sync(path)


def sync(path: Path) -> None:
    """Wait until the file or directory is on the disk; without it a rename can survive its data."""
    if os.name == "nt" and path.is_dir():
        return  # Windows cannot open a directory
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _checksum(path: Path) -> int:
    checksum = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            checksum = zlib.crc32(block, checksum)
    return checksum
