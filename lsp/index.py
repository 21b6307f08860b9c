"""Index of the names in a ruleset: by place, by declaration, by use."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.nodes import Mapping, Node, Scalar, content_column, entries, get, words
from rulespec.load import load_source
from rulespec.lsp.files import EditorFiles
from rulespec.lsp.project import Checked
from rulespec.overlays.facts import keys_of
from rulespec.references import parts_of
from rulespec.syntax import ast
from rulespec.typed import nodes as typed

Identity = tuple[object, ...]
"""Key that two declarations of one thing share, such as a rule and its replacement in an overlay."""

_RULES = {typed.Definition: "def", typed.Procedure: "procedure", typed.Guard: "guard", ast.OptionGroup: "options"}


def place(named: typed.Named) -> Span:
    """The place of a declaration's name."""
    return named.name.span if isinstance(named, ast.OptionGroup) else named.span


def name(named: typed.Named) -> str:
    """The name of a declaration as written; a wrapped rule has that of the rule around it."""
    written = named.name.text if isinstance(named, ast.OptionGroup) else named.name
    return written.partition(" ")[0]


class Index:
    """All names of a checked ruleset by their places."""

    def __init__(self, checked: Checked) -> None:
        self.checked = checked
        self.owners: dict[int, str] = {}
        """The kind of a fact or an entity, or the pieces of a place, by `id` of the declaration."""
        self.names: dict[Span, typed.Named] = {}
        for named in self._declared():
            self.names.setdefault(place(named), named)
        self.names |= checked.declarations.references
        self._by_file: dict[str, list[Span]] = {}
        for span in sorted(self.names):
            self._by_file.setdefault(span.file, []).append(span)
        self.replaced = dict(self._replaced())
        """Place of a rule's name in an overlay → place of the rule that it replaces or wraps."""

    def _declared(self) -> Iterator[typed.Named]:
        d, rules = self.checked.declarations, self.checked.rules
        yield from (typed.Unit(unit, span) for unit, span in d.units.items())
        for kind in (kind for kind in d.kinds.values() if not kind.nameless):
            self.owners |= {id(x): kind.name for x in (*kind.entities, *kind.facts.values(), *kind.places.values())}
            yield kind
            yield from kind.places.values()
            if not kind.product:
                yield from kind.entities
            yield from kind.facts.values()
            yield from kind.state.values()
        for piece in d.pieces.values():
            self.owners |= {id(p): piece.name for p in piece.places.values()}
            yield piece
            yield from piece.places.values()
        yield from (capacity for capacity in d.capacities.values() if "." not in capacity.name)
        for table in (d.fields, d.tables, d.tracks, d.constants, d.settings, rules.definitions):
            yield from table.values()
        for rule_table in (rules.procedures, rules.guards):
            yield from rule_table.values()
        yield from (i for i in self.checked.source.items.values() if isinstance(i, ast.OptionGroup))

    def _replaced(self) -> Iterator[tuple[Span, Span]]:
        source = self.checked.source
        for change in source.displaced:
            old, span = change.item, change.span
            yield span, old.name.span
        for (kind, outer), inner in source.originals.items():
            if (kind, outer) in source.items and (kind, inner) in source.items:
                yield source.items[kind, outer].name.span, source.items[kind, inner].name.span

    def at(self, file: str, line: int, column: int) -> tuple[Span, typed.Named] | None:
        """The name at a place, or directly before it; line and column count from 1."""
        spans = self._by_file.get(file, [])
        position = bisect_right(spans, Span(file, line, column, line + 1, 0))
        for span in reversed(spans[max(0, position - 3) : position]):
            if span.line == span.end_line == line and span.column <= column <= span.end_column:
                return span, self.names[span]
        return None

    def definition(self, file: str, line: int, column: int, files: EditorFiles) -> Span | None:
        """The declaration of the name at a place; for a path in an overlay, the key that it changes."""
        for span, old in self.replaced.items():
            if span.file == file and span.line == line and span.column <= column <= span.end_column:
                return old
        found = self.at(file, line, column)
        if found is not None and place(found[1]) != found[0]:
            return place(found[1])
        for span, key in self.path_keys(file, files):
            if span.line == line and span.column <= column <= span.end_column:
                return key
        return place(found[1]) if found is not None else None

    def path_keys(self, file: str, files: EditorFiles) -> list[tuple[Span, Span]]:
        """Steps of the paths in an overlay, and settings it sets, each with the place of the key that it leads to."""
        parts = parts_of(self.checked.ref)
        if len(parts) == 1 or not file.endswith(".yaml"):
            return []
        try:
            base = load_source("+".join(parts[:-1]), Report(), files).source.root
            overlay = files.yaml(Path(file), file)
        except DiagnosticsError:
            return []
        paths = [place for section in ("changes", "add") for _, place, _ in entries(get(overlay, section))]
        paths += [word for section in ("remove", "replaces") for word in words(get(overlay, section))]
        steps = [pair for path in paths for pair in _walk(base, path)]
        declared = {setting: key.span for setting, key, _ in entries(get(base, "game", "options"))}
        set_here = [(_content(key), declared.get(setting)) for setting, key, _ in entries(get(overlay, "options"))]
        return steps + [(key, old) for key, old in set_here if old is not None]

    def identity(self, named: typed.Named) -> Identity:
        """The key that a declaration shares with others of the same thing."""
        if isinstance(named, typed.Var):
            return ("var", named.span)
        if isinstance(named, typed.Definition | typed.Procedure | typed.Guard | ast.OptionGroup):
            return (_RULES[type(named)], name(named))
        if isinstance(named, typed.Kind) and named.implicit:  # the values of an option
            return (typed.SettingDecl.__name__, "", named.name)
        owner = named.kind if isinstance(named, typed.FieldDecl) else self.owners.get(id(named), "")
        return (type(named).__name__, owner, named.name)

    def places(self, wanted: Identity) -> set[Span]:
        """All places of a thing's name, its declaration included."""
        found = {s for s, named in self.names.items() if self.identity(named) == wanted}
        found |= {s for s, old in self.replaced.items() if (o := self.names.get(old)) and self.identity(o) == wanted}
        for change in self.checked.source.displaced:  # the old rule is not in the index any more
            if (_item_kind(change.item), change.item.name.text) == wanted:
                found |= {change.span, change.item.name.span}
        return found


def _item_kind(item: ast.Item) -> str:
    kinds = {ast.Def: "def", ast.Procedure: "procedure", ast.Guard: "guard", ast.OptionGroup: "options"}
    return kinds.get(type(item), "")


def _content(key: Scalar) -> Span:
    """The place of a key without its quotes."""
    line, column = key.span.line, content_column(key)
    return Span(key.span.file, line, column, line, column + len(key.text))


def _walk(root: Node, path: Scalar) -> Iterator[tuple[Span, Span]]:
    assert isinstance(root, Mapping)
    column, line = content_column(path), path.span.line
    node: Node = root
    for key in keys_of(root, path.text):
        if not isinstance(node, Mapping) or key not in node.entries:
            return
        place, node = node.entries[key]
        yield Span(path.span.file, line, column, line, column + len(key)), place.span
        column += len(key) + 1
