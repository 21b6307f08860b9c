"""Check for unread fields: fields of a foreign log that its dialect neither reads nor declares meaningless.

Details of a move in a log, such as its cost, are evidence only if they are compared with the rules. Therefore every
form of a type must compare each field of its entries, unless the dialect declares it `not_compared`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span, shown
from rulespec.engine.dialects.dialect import Dialect, Recorded
from rulespec.engine.dialects.entries import Entries
from rulespec.engine.dialects.foreign_log import ForeignLog
from rulespec.engine.dialects.json_paths import MISSING
from rulespec.engine.dialects.projected import Projection

MAX_UNREAD = 10
"""Maximum number of reported fields per log."""

_MEMO_SIZE = 20

Tree = dict[str, Any]
"""Known fields: key → known fields below it, or None for all; the key `*` matches any key or list element."""


Below = tuple[tuple[str, Tree | None], ...]
"""The keys of a tree that have a subtree, each with that subtree if it is flat, otherwise with None."""

# --- the dialect ------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=_MEMO_SIZE)
def uneven_forms(dialect: Dialect) -> tuple[Diagnostic, ...]:
    """Warnings about options that do not compare a field although other forms of the same record type do.

    Records from different lists or values within an entry have different fields, so they are checked separately.
    """
    compared: dict[tuple[str, str], set[str]] = {}
    for _, form in _typed_forms(dialect):
        compared.setdefault((form.type, form.item), set()).update(_compared(form))
    results = []
    for name, form in _typed_forms(dialect):
        known = {*_compared(form), *_declared(form), *dialect.not_compared}
        for path in sorted(compared[form.type, form.item] - known):
            in_parts = any(path.startswith(f"{other}.") or other.startswith(f"{path}.") for other in known)
            if not (in_parts or (form.closes and path.startswith(f"{form.closes}."))):
                message = f"`{name}` does not compare `{path}`, unlike other options recorded as `{form.type}`"
                help_ = f"compare it under `match`, or give the reason not to: `not_compared: {{{path}: …}}`"
                span = dialect.spans.get(name)
                results.append(Diagnostic("RS628", Severity.WARNING, message, span, help=help_))
    return tuple(results)


def _typed_forms(dialect: Dialect) -> Iterator[tuple[str, Projection]]:
    for name, forms in dialect.decisions.items():
        for form in forms:
            if form.type and not form.list and form.order is None:
                yield name, form


def _compared(form: Projection) -> Iterator[str]:
    """The compared paths of a form, relative to the payload."""
    if form.by:
        yield form.by.removesuffix("?")
    for path, _, _ in form.match:
        yield _in_item(form, path)


def _declared(form: Projection) -> Iterator[str]:
    return (_in_item(form, path) for path in form.not_compared)


def _in_item(form: Projection, path: str) -> str:
    own = ([form.item] if form.part else [form.item, "*"]) if form.item else []
    return ".".join(part for part in (*own, path) if part)


# --- the log ----------------------------------------------------------------------------------------------------------


def unread_fields(dialect: Dialect, log: ForeignLog, entries: Entries) -> list[Diagnostic]:
    """Warnings about fields in a log that its dialect does not know, one per field and entry type."""
    trees, around = _trees(dialect), _around(dialect)
    types, payloads = entries.types, entries.payloads
    doubtful = _doubtful(trees, types, payloads)
    enclosed = not around or not _is_strange(log.entries[1:] if dialect.shape.list else log.entries, around)
    results: dict[tuple[str, str], int] = {}
    for number, type_ in enumerate(types) if doubtful or not enclosed else ():
        if type_ is None or type_ not in trees or (type_ not in doubtful and enclosed):
            continue
        if type_ in doubtful:
            _note(results, type_, _strange(payloads[number], trees[type_][0], ""), number)
        if not enclosed and not (
            number == 0 and dialect.shape.list
        ):  # the object around the entries is checked as a whole
            _note(results, type_, _strange(log.entries[number], around, ""), number)
        if len(results) >= MAX_UNREAD:
            break
    start = Span(log.file, 1, 1, 1, 2)
    return [_unread(dialect, start, *field, number) for field, number in islice(results.items(), MAX_UNREAD)]


def _note(counts: dict[tuple[str, str], int], type_: str, paths: Iterable[str], number: int) -> None:
    for path in paths:
        counts.setdefault((type_, path), number)


def _unread(dialect: Dialect, start: Span, type_: str, path: str, number: int) -> Diagnostic:
    of = f"{shown(type_)}, first in entry {number}" if type_ else "the object around the entries"
    message = f"nothing compares {shown(path)} of {of}"
    ways = "compare it under `match`, or declare it under `not_compared`"
    if type_ in dialect.ends:  # no decision records it
        ways = (
            f"declare why not, `ends: {{{type_}: {{{path}: …}}}}`, or compare it under `result` if it tells the result"
        )
    help_ = f"in the dialect `{dialect.id}`, {ways}"
    return Diagnostic("RS629", Severity.WARNING, message, start, help=help_)


def _around(dialect: Dialect) -> Tree:
    """The known fields of an entry outside its payload; empty if the entry is its own payload."""
    tree: Tree = {}
    if dialect.payload_path:
        _add(tree, [dialect.type_path, dialect.payload_path, *dialect.not_compared])
    return tree


@lru_cache(maxsize=_MEMO_SIZE)
def _trees(dialect: Dialect) -> Mapping[str, tuple[Tree, Below]]:
    """Entry type → known structure of its payload, except for meaningless types."""
    trees: dict[str, Tree] = {}
    for _, form in _typed_forms(dialect):
        tree = trees.setdefault(form.type, {})
        _add(tree, [*_compared(form), *_declared(form)])
        if form.closes:
            _container(tree, form.closes)
    for type_ in dialect.ends:
        _add(trees.setdefault(type_, {}), dialect.not_compared_at_end.get(type_, ()))
    undo, result = dialect.undo, dialect.result
    if undo is not None:
        by = undo.by.removesuffix("?")
        for type_ in filter(None, (undo.type, undo.redo)):
            _add(trees.setdefault(type_, {}), [*filter(None, (by, undo.to)), *undo.not_compared])
    _add(trees.setdefault(dialect.start_type, {}), _of_start(dialect))
    if result is not None:
        _add(trees.setdefault(result.entry or dialect.start_type, {}), filter(None, _of_result(result)))
    for type_, before in dialect.shape.joined.items():
        for earlier in before:
            _add(trees.setdefault(earlier, {}), list(_below(trees.get(type_, {}).get(earlier))))
    ids = [undo.id] if undo is not None and undo.checkpoints is None else []
    inside = [*dialect.shape.inside, "^"] if dialect.shape.inside else []
    for tree in trees.values():
        _add(tree, [*ids, *inside, *dialect.not_compared, *([dialect.type_path] if not dialect.payload_path else ())])
    for type_, before in dialect.shape.joined.items():
        for earlier in before:
            _add(trees.setdefault(type_, {}), list(_below(trees[earlier], f"{earlier}.")))
    return {
        type_: (
            tree,
            tuple((key, below if _is_flat(below) else None) for key, below in tree.items() if below is not None),
        )
        for type_, tree in trees.items()
    }


def _is_flat(tree: Tree) -> bool:
    return all(below is None for below in tree.values())


def _of_start(dialect: Dialect) -> Iterator[str]:
    start = dialect.start
    yield from start["seats"] if isinstance(start["seats"], list) else [start["seats"]]
    if dialect.shape.list:
        yield dialect.shape.list.partition(".*")[0]
    yield from dialect.values.values()
    yield from start.get("when", {})
    yield from start.get("not_compared", {})
    yield from (spec["path"] for spec in start.get("settings", {}).values() if isinstance(spec, dict))
    yield from (spec["path"] for spec in start.get("lists", {}).values())
    if "optional_rules" in start:
        yield start["optional_rules"]["path"]
    if not isinstance(dialect.rules, str):
        yield dialect.rules["path"]


def _of_result(result: Recorded) -> Iterator[str]:
    yield from (result.scores, result.winners, result.ending, result.reason)


def _below(tree: Tree | None, at: str = "") -> Iterator[str]:
    """The paths of all known fields below a key."""
    for key, below in (tree or {}).items():
        if below is None:
            yield f"{at}{key}"
        else:
            yield from _below(below, f"{at}{key}.")


def _add(tree: Tree, paths: Iterable[str]) -> None:
    for path in paths:
        at, keys = tree, ["*" if key.isdigit() else key for key in path.split(".")]
        for key in keys[:-1]:
            below = at.setdefault(key, {})
            if below is None:
                break
            at = below
        else:
            at[keys[-1]] = None


def _container(tree: Tree, path: str) -> None:
    """Adds a list at a path to a tree, without its elements."""
    key, _, below = path.partition(".")
    at = tree.setdefault(key, {})
    if below and at is not None:
        _container(at, below)


def _doubtful(
    trees: Mapping[str, tuple[Tree, Below]], types: Sequence[str | None], payloads: Sequence[Any]
) -> set[str]:
    """The types whose payloads may have unknown fields: a quick test that checks at most one level of nesting.

    Most payloads of a type have the same keys, so they are checked together.
    """
    of_type: dict[str, list[Any]] = {}
    for type_, payload in zip(types, payloads, strict=False):
        if type_ in of_type:
            of_type[type_].append(payload)
        elif type_ is not None and type_ in trees:
            of_type[type_] = [payload]
    results = set()
    for type_, those in of_type.items():
        tree, nested = trees[type_]
        there = [payload for payload in those if payload is not None and payload is not MISSING]
        keys = _keys(there)
        inner = ((below, [p[key] for p in there if key in p]) for key, below in nested if keys and key in keys)
        if keys is None or not keys <= tree.keys() or any(_is_strange(values, below) for below, values in inner):
            results.add(type_)
    return results


def _is_strange(values: Sequence[Any], below: Tree | None) -> bool:
    """Whether some values of a key have unknown keys directly below it."""
    keys = _keys([value for value in values if value is not None])
    return below is None or keys is None or not keys <= below.keys()


def _keys(values: Sequence[Any]) -> set[Any] | None:
    """The keys of all values, which must be mappings; None if any is not."""
    return set().union(*values) if {*map(type, values)} <= {dict} else None


def _strange(value: Any, tree: Tree, at: str) -> Iterator[str]:
    """The paths below `at` that are missing from the tree; none for an empty value."""
    if "value" in tree and not isinstance(value, dict):  # a non-object is its own field `value`
        below = tree["value"]
        yield from _strange(value, below, at) if below is not None else ()
        return
    if isinstance(value, dict):
        pairs: Iterable[tuple[str, Any]] = value.items()
        if value.keys() <= tree.keys():
            pairs = ((key, value[key]) for key in value if tree[key] is not None)
    elif isinstance(value, list):
        pairs = (("*", element) for element in value)
    else:
        if value is not None and at:
            yield at
        return
    for key, below in pairs:
        known = tree[key] if key in tree else tree.get("*", {})
        if below is not None and known is not None:
            yield from _strange(below, known, f"{at}.{key}" if at else key)
