"""The documents to train on: Python's own documentation, one file, or a folder of files."""

import hashlib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from pydoc_data.topics import topics

from .config import ConfigError, DataConfig


@dataclass(frozen=True)
class Document:
    """One text; ``name`` is its path within the folder, with forward slashes."""

    name: str
    source: Path | bytes

    @property
    def n_bytes(self) -> int:
        """The size in bytes, without reading the text."""
        if isinstance(self.source, bytes):
            return len(self.source)
        return self.source.stat().st_size

    def read(self) -> bytes:
        """The content as it is: no line end or byte order mark is changed."""
        return self.source if isinstance(self.source, bytes) else self.source.read_bytes()

    def text(self) -> str:
        """The content as text; raises ``ConfigError`` if it cannot be read or is not UTF-8."""
        try:
            return self.read().decode("utf-8")
        except UnicodeDecodeError as error:
            raise ConfigError(
                [
                    f"data.text: {str(self.source)!r} is not UTF-8: byte {error.start} is"
                    f" {error.object[error.start]:#04x}; convert the file, or leave it out by"
                    " data.file_patterns"
                ]
            ) from error
        except OSError as error:
            raise ConfigError([f"data.text: {error}"]) from error


def list_documents(config: DataConfig) -> list[Document]:
    """All documents that are not empty, in an order that depends only on their names.

    The order is that of a hash, so that the end of it, which is kept for validation, is a random
    sample of the documents.

    Raises ``ConfigError`` if there are none, or if they cannot be listed.
    """
    try:
        documents = [document for document in _find(config) if document.n_bytes > 0]
    except OSError as error:
        raise ConfigError([f"data.text = {config.text!r}: {error}"]) from error
    if not documents:
        raise ConfigError(
            [
                f"data.text = {config.text!r}: holds no text in files that match"
                f" data.file_patterns = {config.file_patterns!r}"
            ]
        )
    return sorted(documents, key=_place)


def _find(config: DataConfig) -> list[Document]:
    """What ``data.text`` names, in any order; a source of another kind is one more case here."""
    if config.text == "builtin":
        return [Document(name, text.encode("utf-8")) for name, text in topics.items()]
    root = Path(config.text)
    if root.is_file():
        return [Document(root.name, root)]
    if not root.is_dir():
        raise ConfigError(
            [
                f"data.text = {config.text!r}: no such file or folder; give the path of one, or"
                " builtin for the text that comes with Python"
            ]
        )
    return [
        Document(path.relative_to(root).as_posix(), path)
        for path in root.rglob("*")
        if _is_wanted(path.relative_to(root), config.file_patterns.split()) and path.is_file()
    ]


def _is_wanted(path: Path, patterns: list[str]) -> bool:
    """Whether the file name matches a pattern in any case; hidden files and folders never do."""
    if any(part.startswith(".") for part in path.parts):
        return False
    return any(fnmatchcase(path.name.lower(), pattern.lower()) for pattern in patterns)


def _place(document: Document) -> tuple[bytes, str]:
    # File names are bytes on Linux: those that are no UTF-8 hold surrogates, which must pass.
    name = document.name.encode("utf-8", errors="surrogatepass")
    return hashlib.sha256(name).digest(), document.name
