"""An index of the names in a ruleset: by place, by declaration and by use."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from rulespec.diagnostics.diagnostic import Span
from rulespec.lsp.project import Checked
from rulespec.overlays.selection import options_in
from rulespec.overlays.written import changes_of, option_lines, taken_out
from rulespec.syntax import ast
from rulespec.typed import nodes as typed


def place(named: typed.Named) -> Span:
    """The place of a declaration's name."""
    return named.name.span if isinstance(named, ast.OptionGroup) else named.span


def name(named: typed.Named) -> str:
    """The name of a declaration as the author wrote it; a wrapped rule has the name of its wrapper."""
    written = named.name.text if isinstance(named, ast.OptionGroup) else named.name
    return written.partition(" ")[0]


class NameIndex:
    """All names in a checked ruleset, by place."""

    def __init__(self, checked: Checked) -> None:
        self.checked = checked
        self.owners: dict[int, str] = {}
        """The kind of a fact or an entity, or the pieces of a place, by the declaration's `id`."""
        self.names: dict[Span, typed.Named] = {}
        for named in self._declared():
            self.names.setdefault(place(named), named)
        # References in words and drawings count too, if checked; `Mentions` finds all of them.
        references = checked.declarations.references.items()
        self.names |= {span: named for span, named in references if span.file in checked.texts}
        self.replaced = dict(self._replaced())
        """Place of a rule's name in an overlay → place of the rule that it replaces or wraps."""
        self.over = checked.source.over | self.replaced
        """Place of a name that extends a declaration → place of the original declaration."""
        meant: dict[Span, typed.Named] = {}
        for span, named in self.names.items():
            meant.setdefault(self.root(place(named)), named)
            meant.setdefault(span, named)
        for span in self.over:
            if (root := self.root(span)) in meant:
                self.names.setdefault(span, meant[root])
        self.options = {
            option.name.span: (item, option) for item in checked.source.items.values() for _, option in options_in(item)
        }
        """Place of an option's name → its rule, and the option."""
        self._by_file: dict[str, list[Span]] = {}
        for span in sorted(self.names):
            self._by_file.setdefault(span.file, []).append(span)

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
        yield from (m for m in d.measures.values() if rules.scoring is None or m.span != rules.scoring.span)
        for table in (d.fields, d.tables, d.tracks, d.constants, d.settings, rules.definitions):
            yield from table.values()
        for rule_table in (rules.procedures, rules.guards):
            yield from rule_table.values()
        yield from (i for i in self.checked.source.items.values() if isinstance(i, ast.OptionGroup))

    def _replaced(self) -> Iterator[tuple[Span, Span]]:
        source = self.checked.source
        for change in source.displaced:
            if isinstance(change.item, ast.Item):
                yield change.span, change.item.name.span
        for (kind, outer), inner in source.originals.items():
            if (kind, outer) in source.items and (kind, inner) in source.items:
                yield source.items[kind, outer].name.span, source.items[kind, inner].name.span

    def at(self, file: str, line: int, column: int) -> tuple[Span, typed.Named] | None:
        """The name that is at a place, or ends directly before it; line and column count from 1."""
        spans = self._by_file.get(file, [])
        position = bisect_right(spans, Span(file, line, column, line + 1, 0))
        for span in reversed(spans[max(0, position - 3) : position]):
            if span.line == span.end_line == line and span.column <= column <= span.end_column:
                if span in self.over and span.end_column - span.column > len(name(self.names[span])) + len("''"):
                    continue  # a whole path; its steps have their own places
                return span, self.names[span]
        return None

    def option(self, file: str, line: int, column: int) -> tuple[Span, str] | None:
        """The option named at a place, as text with the overlays' changes."""
        for span in (*self.options, *(s for s in self.over if self.over[s] in self.options)):
            if span.file == file and span.line == line and span.column <= column <= span.end_column:
                item, option = self.options[self.over.get(span, span)]
                source = self.checked.source
                changes = changes_of(item, source)
                lines = [*option_lines(option, source, changes), *taken_out(option, source, changes)]
                return span, "\n".join(lines)
        return None

    def declared_in(self, file: str) -> list[tuple[Span, typed.Named]]:
        """The declarations in a file, in order, except for variables in rules."""
        names = ((span, self.names[span]) for span in self._by_file.get(file, ()))
        return [(span, n) for span, n in names if place(n) == span and not isinstance(n, typed.Var) and name(n)]

    def definition(self, file: str, line: int, column: int) -> Span | None:
        """The declaration of the name at a place; for a path step in an overlay, the key that it leads to."""
        steps = [s for s in self.over if s.file == file and s.line == line and s.column <= column <= s.end_column]
        if steps:
            return self.over[min(steps, key=lambda s: s.end_column - s.column)]
        result = self.at(file, line, column)
        return place(result[1]) if result is not None else None

    def root(self, declared: Span) -> Span:
        """The place of the original declaration, before others extended or replaced it."""
        seen = set()
        while declared in self.over and declared not in seen:
            seen.add(declared)
            declared = self.over[declared]
        return declared

    def identity(self, named: typed.Named) -> Span:
        """The place of a thing's first declaration, which serves as its identity."""
        settings = self.checked.declarations.settings
        if isinstance(named, typed.Kind) and named.implicit and named.name in settings:  # the values of a setting
            return self.root(settings[named.name].span)
        return self.root(place(named))

    def meanings(self) -> dict[Span, Span]:
        """Maps each place of a name to the first declaration of the thing it refers to."""
        return {span: self.root(span) for span in self.over} | {s: self.identity(n) for s, n in self.names.items()}

    def places(self, wanted: Span) -> set[Span]:
        """All places of a name, including declarations; `wanted` is the first declaration."""
        return {span for span, meant in self.meanings().items() if meant == wanted} | {wanted}
