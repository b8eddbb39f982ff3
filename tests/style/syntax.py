"""What the style tests read from Python source: imports, definitions, uses, comparisons, prose."""

import ast
import io
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Definition:
    """A name that a file defines, and how often it is used inside its own definition."""

    path: str
    line: int
    name: str
    own_uses: int


@cache
def imported_modules(text: str, module: str) -> tuple[str, ...]:
    """Dotted names of all that the module imports, relative ones resolved against its package.

    ``from .a import b`` in ``p.c`` gives ``p.a.b``: whether ``b`` is a module is for the caller.
    """
    package = module.split(".")
    found: list[str] = []
    for node in ast.walk(_parse(text)):
        if isinstance(node, ast.Import):
            found += [item.name for item in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level] if node.level else []
            base = [*start, *([node.module] if node.module else [])]
            found += [".".join([*base, item.name]) for item in node.names]
    return tuple(found)


@cache
def loaded_by_name(text: str) -> tuple[str, ...]:
    """The modules that are imported by ``import_module("name")`` where they are needed."""
    found: list[str] = []
    for node in ast.walk(_parse(text)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            argument = node.args[0]
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                found.append(argument.value)
    return tuple(found)


@cache
def _parse(text: str) -> ast.Module:
    return ast.parse(text)


@cache
def _uses_in(text: str) -> Counter[str]:
    return uses(_parse(text))


def uses(tree: ast.AST) -> Counter[str]:
    """How often each name is used: read, looked up as an attribute, imported, or spelled out."""
    found: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            found[node.id] += 1
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Store):
            found[node.attr] += 1
        elif isinstance(node, ast.ImportFrom):
            found.update(item.name for item in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found[node.value] += 1
    return found


@cache
def definitions(path: str, text: str) -> tuple[Definition, ...]:
    """Functions, classes, methods, fields, variables and attributes of ``self``."""
    found: list[Definition] = []
    for node in ast.walk(_parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.append(Definition(path, node.lineno, node.name, uses(node)[node.name]))
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                found += _targets(path, target)
    return tuple(found)


def _targets(path: str, target: ast.expr) -> Iterator[Definition]:
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield Definition(path, node.lineno, node.id, 0)
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self":
            yield Definition(path, node.lineno, node.attr, 0)


def unused(sources: Mapping[str, str], *, known: frozenset[str]) -> list[str]:
    """Definitions that no file of ``sources`` uses; ``known`` are called by someone else."""
    used: Counter[str] = Counter()
    for text in sources.values():
        used.update(_uses_in(text))
    return [
        f"{item.path}:{item.line}: {item.name}"
        for path, text in sources.items()
        for item in definitions(path, text)
        if used[item.name] <= item.own_uses
        and item.name not in known
        and not (item.name.startswith("__") and item.name.endswith("__"))
    ]


@cache
def literal_comparisons(text: str) -> tuple[tuple[int, str, str], ...]:
    """(line, name, literal) where a name, dotted or not, is held against a text."""
    return tuple(_literal_comparisons(text))


def _literal_comparisons(text: str) -> Iterator[tuple[int, str, str]]:
    for node in ast.walk(_parse(text)):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            literals = [text for side in sides for text in _texts(side)]
            for side in sides:
                name = _name(side)
                yield from ((node.lineno, name, text) for text in literals if name)
        elif isinstance(node, ast.Match):
            name = _name(node.subject)
            for case in node.cases:
                for inner in ast.walk(case.pattern):
                    if isinstance(inner, ast.MatchValue) and name:
                        yield from ((inner.lineno, name, t) for t in _texts(inner.value))
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Dict):
            # A table of code indexed by an option is a branch in disguise.
            name = _name(node.slice)
            keys = [text for key in node.value.keys if key for text in _texts(key)]
            yield from ((node.lineno, name, text) for text in keys if name)


def _texts(node: ast.expr) -> Iterator[str]:
    """The texts of a literal, or of the literals in a tuple, list or set."""
    items = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    for item in items:
        if isinstance(item, ast.Constant) and isinstance(item.value, str):
            yield item.value


def _name(node: ast.expr) -> str:
    return ast.unparse(node) if isinstance(node, ast.Attribute | ast.Name) else ""


@cache
def prose(text: str) -> tuple[tuple[int, str], ...]:
    """(line, text) of every comment and string of a Python file."""
    return tuple(
        (token.start[0] + offset, line)
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type in (tokenize.COMMENT, tokenize.STRING)
        for offset, line in enumerate(token.string.splitlines())
    )
