"""Reads migrations.yaml, in which a template tree says what its names of before became.

Such a file lists versions, each with its reason and what changes::

    migrations:
      - version: 1
        reason: kernels read seconds
        changes:
          - {rename: mixer.width, to: state_space.expand}
          - {replace: {mixer: multi-query}, by: {mixer: grouped-query, mixer.n_kv_heads: 1}}
          - {replace: {training.minutes: "*"}, by: {training.seconds: "= minutes * 60"}}
          - {drop: tracking.legacy}
          - {add: {embedding: tied}}
"""

from collections.abc import Mapping

from scaffold.declarations import Fields, load_yaml
from scaffold.design import Value
from scaffold.errors import TemplateError
from scaffold.expressions import names
from scaffold.migrations import Add, Drop, Migration, Operation, Rename, Replace
from scaffold.parts import EXPRESSION_PREFIX
from scaffold.sources import Source

MIGRATIONS_FILE = "migrations.yaml"
KINDS = ("rename", "replace", "drop", "add")


def read_migrations(source: Source | None, tree: str) -> tuple[Migration, ...]:
    """The migrations of a tree, oldest first; raises TemplateError, naming file and key."""
    if source is None:
        return ()
    fields = Fields(source.path, load_yaml(source))
    found = fields.list_of("migrations", lambda item: _migration(item, source, tree))
    fields.finish()
    for number, migration in enumerate(found, start=1):
        if migration.version != number:
            message = f"is {migration.version}; versions are 1, 2, 3 in order"
            raise fields.error(f"migrations[{number - 1}].version", message)
    return found


def _migration(fields: Fields, source: Source, tree: str) -> Migration:
    migration = Migration(
        path=source.path,
        tree=tree,
        version=fields.read("version", int),
        reason=fields.read("reason", str).strip(),
        operations=fields.list_of("changes", _operation),
    )
    if not migration.reason.isprintable() or not migration.reason:
        raise fields.error("reason", "must be one line: owners of projects are told it")
    if not migration.operations:
        raise fields.error("changes", "lists nothing")
    fields.finish()
    return migration


def _operation(fields: Fields) -> Operation:
    kinds = [kind for kind in KINDS if fields.has(kind)]
    if len(kinds) != 1:
        told = ", ".join(fields.names()) or "nothing"
        raise fields.error("", f"must be one of {', '.join(KINDS)}, and says {told}")
    operation: Operation
    match kinds[0]:
        case "rename":
            operation = Rename(_key(fields, "rename"), _key(fields, "to"))
            if ("." in operation.old) != ("." in operation.new):
                raise fields.error("to", "an axis becomes an axis, an option an option: `replace`")
        case "replace":
            operation = Replace(_values(fields, "replace"), _values(fields, "by"))
            if not operation.old:
                raise fields.error("replace", "names nothing")
            _check_names(fields, operation)
        case "drop":
            operation = Drop(_key(fields, "drop"))
        case _:
            operation = Add(_values(fields, "add"))
    fields.finish()
    return operation


def _key(fields: Fields, key: str) -> str:
    return _plain(fields.read(key, str))


def _plain(key: str) -> str:
    """As in answers, ``attention.variant`` is ``attention``."""
    return key.strip().removesuffix(".variant")


def _values(fields: Fields, key: str) -> Mapping[str, Value]:
    if not fields.has(key):
        raise fields.error(key, "is missing (a mapping of keys to values)")
    items = fields.fields(key)
    values = {_plain(name): items.value(name) for name in items.names()}
    for name, value in values.items():
        if "." not in name and not isinstance(value, str):  # as YAML has it, `off` is false
            raise items.error(name, f"must be a variant, not {value!r}; write it in quotes")
    return values


def _check_names(fields: Fields, operation: Replace) -> None:
    """Raises where an expression reads what is not replaced."""
    known = {key.rpartition(".")[2] for key in operation.old}
    for key, value in operation.new.items():
        if str(value).startswith(EXPRESSION_PREFIX):
            try:
                unknown = names(str(value)) - known
            except TemplateError as error:
                raise fields.error(f"by.{key}", str(error)) from None
            if unknown:
                message = f"reads {', '.join(sorted(unknown))}; there are {', '.join(known)}"
                raise fields.error(f"by.{key}", message)
