"""Import blocks as data: read from a file's head, united, sorted as ruff does, and written."""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

LINE_LENGTH = 100
PACKAGE = "package"
_PIECES = re.compile(r"[0-9]+|[^0-9]")
_PACKAGE_IMPORT = re.compile(rf"^([ \t]*from ){PACKAGE}((?:\.\w+)*[ \t]+import\b)", re.MULTILINE)


@dataclass(frozen=True)
class Import:
    """One imported name: ``import module [as alias]``, or ``from module import name [as alias]``.

    ``module`` has its leading dots; ``name`` is None for the first form.
    """

    module: str
    name: str | None = None
    alias: str | None = None

    @property
    def binds(self) -> str:
        """The name that the import binds in the module."""
        return self.alias or self.name or self.module.partition(".")[0]

    def __str__(self) -> str:
        text = f"import {self.module}" if self.name is None else _from_prefix(self) + self.name
        return f"{text} as {self.alias}" if self.alias else text


@dataclass(frozen=True)
class Header:
    """The import block of a file: its lines ``first`` to ``last`` (from 0, ``last`` excluded).

    Without imports both are the line where a block belongs, below the docstring.
    """

    first: int
    last: int
    imports: tuple[Import, ...]


class HeaderError(ValueError):
    """An import block that cannot be read; ``line`` counts from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@lru_cache(maxsize=4096)
def read_header(text: str) -> Header:
    """The import block at the top of a Python file, which stands directly below the docstring.

    Raises HeaderError where the block holds comments, which would be lost, or is no valid Python.
    """
    try:
        below_docstring, first, last, comments = _scan(text)
    except (tokenize.TokenError, IndentationError, SyntaxError) as error:
        raise HeaderError(f"not valid Python: {error}", 1) from None
    if last == 0:
        return Header(below_docstring, below_docstring, ())
    for line in comments:
        if first <= line < last:
            raise HeaderError("a comment inside the import block", line + 1)
    block = "\n".join(text.split("\n")[first:last])
    try:
        return Header(first, last, tuple(_parse(ast.parse(block))))
    except SyntaxError as error:
        raise HeaderError(f"not valid Python: {error.msg}", first + (error.lineno or 1)) from None


def _scan(text: str) -> tuple[int, int, int, list[int]]:
    """Where the docstring ends, the first and last line of the imports, the lines with comments.

    Reads only as far as the first other statement: what follows may be long.
    """
    below_docstring = first = last = 0
    comments = []
    is_import = is_statement = False
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        line = token.start[0] - 1
        if token.type == tokenize.COMMENT:
            comments.append(line)
        elif token.type == tokenize.NEWLINE:
            if is_import:
                last = token.end[0]
            elif last == 0:
                below_docstring = token.end[0]
            is_import = is_statement = False
        elif token.type in (tokenize.NL, tokenize.ENCODING) or is_statement:
            continue
        elif token.string in ("import", "from"):
            is_import = is_statement = True
            first = first if last else line
        elif token.type == tokenize.STRING and below_docstring == last == 0:
            is_statement = True
        else:
            break
    return below_docstring, first, last, comments


def _parse(tree: ast.Module) -> Iterator[Import]:
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            for item in statement.names:
                yield Import(item.name, None, item.asname)
        elif isinstance(statement, ast.ImportFrom):
            module = "." * statement.level + (statement.module or "")
            for item in statement.names:
                yield Import(module, item.name, item.asname)


def in_place(header: Header, block: str) -> str:
    """The block as it stands in the file: behind an empty line where the file had no imports."""
    if not block or header.imports:
        return block
    return f"\n{block}" if header.first else f"{block}\n"


def rename_package(text: str, package: str) -> str:
    """Writes the real package's name into every ``from package... import`` statement."""
    return _PACKAGE_IMPORT.sub(rf"\g<1>{package}\g<2>", text)


def with_package(item: Import, package: str) -> Import:
    """The import with the real package's name in place of ``package``."""
    root, dot, rest = item.module.partition(".")
    if root != PACKAGE:
        return item
    return Import(package + dot + rest, item.name, item.alias)


@lru_cache(maxsize=4096)
def emit(imports: frozenset[Import], first_party: frozenset[str]) -> str:
    """The import block of these imports, ending in a newline; empty if there are none.

    Order and layout are those of ruff's isort rules and formatter at 100 columns: sections future,
    standard library, third party, first party (top-level modules in ``first_party``), relative.
    """
    sections: dict[int, dict[tuple[object, ...], list[Import]]] = {}
    for item in imports:
        statements = sections.setdefault(_section(item, first_party), {})
        # `import x`, and `from x import y as z`, are statements of their own.
        one = item.name is None or item.alias is not None
        key = (item.name is None, item.module, item if one else None)
        statements.setdefault(key, []).append(item)
    blocks = []
    for _, statements in sorted(sections.items()):
        ordered = [sorted(names, key=_member_key) for names in statements.values()]
        ordered.sort(key=_statement_key)
        blocks.append("".join(map(_statement, ordered)))
    return "\n".join(blocks)


def _section(item: Import, first_party: frozenset[str]) -> int:
    root = item.module.partition(".")[0]
    if root == "__future__":
        return 0
    if item.module.startswith("."):
        return 4
    if root in first_party:
        return 3
    return 1 if root in sys.stdlib_module_names else 2


def _statement(names: list[Import]) -> str:
    line = _from_prefix(names[0]) if names[0].name is not None else ""
    line += ", ".join(map(_member, names))
    if names[0].name is None:
        return f"{names[0]}\n"
    if len(line) <= LINE_LENGTH or names[0].name == "*":
        return f"{line}\n"
    lines = "".join(f"    {_member(name)},\n" for name in names)
    return f"{_from_prefix(names[0])}(\n{lines})\n"


def _from_prefix(item: Import) -> str:
    return f"from {item.module} import "


def _member(item: Import) -> str:
    return f"{item.name} as {item.alias}" if item.alias else f"{item.name}"


def _statement_key(names: list[Import]) -> tuple[object, ...]:
    item = names[0]
    module = item.module.lstrip(".")
    # The most dots first: from the furthest package to the closest.
    distance = len(module) - len(item.module)
    aliases = _natural(item.alias or "")
    if item.name is None:
        return (0, distance, _natural(module.lower()), _natural(module), aliases)
    return (1, distance, _natural(module.lower()), _natural(module), _member_key(item))


def _member_key(item: Import) -> tuple[object, ...]:
    """CONSTANTS, then Classes, then functions; each by the alphabet, numbers by their value."""
    name = item.name or ""
    kind = 2
    if len(name) > 1 and name.isupper():
        kind = 0
    elif name[:1].isupper():
        kind = 1
    return (name != "*", kind, _natural(name.lower()), _natural(name), _natural(item.alias or ""))


def _natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """A key that orders ``layer2`` before ``layer10``; digits after a leading 0 are a fraction."""
    return tuple(
        (ord("0"), 0 if piece.startswith("0") else int(piece), piece)
        if piece.isdigit()
        else (ord(piece), 0, "")
        for piece in _PIECES.findall(text)
    )
