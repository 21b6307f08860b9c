"""Mutants: a sound ruleset with one edit, and the damage that the edit does by construction.

This module has the common part for YAML and rules files; `mutate_yaml` and `mutate_rules` have the operators.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.lsp.files import EditorFiles
from rulespec.lsp.index import NameIndex, place
from rulespec.lsp.project import check
from rulespec.syntax import ast
from rulespec.typed import nodes as typed

FREE = "free"
"""The class of an edit that may be legal: it changes a number, an order, a condition, or an unused name."""
BREAKING = ("name", "reference", "type", "unit", "shape")

Site = tuple[str, int]
"""A line as a pair of file and line number."""

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One edit: in `file`, `text` replaces the offsets `start` to `end`.

    `breaks` is its class: `FREE`, or one of `BREAKING`. `sites` are the lines where the mistake may be reported,
    numbered as in the edited files: those that the edit touches, and after a removal also those of dangling uses.
    """

    file: str
    start: int
    end: int
    text: str
    operator: str
    breaks: str
    sites: frozenset[Site]


class Symbols:
    """The declarations behind the names in a sound ruleset, and all uses of each."""

    def __init__(self, ref: str, files: EditorFiles) -> None:
        checked, result = check(ref, files)
        if checked is None or result:
            raise ValueError(f"{ref} must be sound and without warnings to be mutated: {result[:1]}")
        self.checked = checked
        self.index = NameIndex(checked)
        self.declared = {place(n) for n in self.index._declared()}
        """The places of all declarations."""
        self._places: dict[Span, set[Span]] = {}
        for span, named in self.index.names.items():
            self._places.setdefault(self.index.identity(named), set()).add(span)
        for step in self.index.over:
            if (meant := self.index.root(step)) in self._places:
                self._places[meant].add(step)
        declarations, rules = checked.declarations, checked.rules
        self._spaces = [
            set(space)
            for space in (
                *(
                    declarations.units,
                    declarations.fields,
                    declarations.pieces,
                    declarations.tables,
                    declarations.tracks,
                ),
                *(
                    declarations.constants,
                    declarations.settings,
                    declarations.entities,
                    rules.definitions,
                    rules.procedures,
                    rules.guards,
                ),
                [k for k in declarations.kinds if k not in declarations.settings],
            )
        ]
        self._variables = {v.name for v in self.index.names.values() if isinstance(v, typed.Var)}
        self.words = {w for text in checked.texts.values() for w in _WORD.findall(text)}
        """All words in the ruleset's files; any other word is an unknown name."""

    def named(self, span: Span) -> typed.Named | None:
        """The declaration behind the name at a place."""
        return self.index.names.get(span)

    def users(self, span: Span) -> set[Span]:
        """The other places that name the declaration at a place, including names derived from a product's component."""
        named = self.named(span)
        if named is None:
            return set()
        result = self._places[self.index.identity(named)] - {span}
        if isinstance(named, typed.Entity):
            for other, entity in self.index.names.items():
                if isinstance(entity, typed.Entity) and named.name in (
                    *(entity.name.partition("_")[::2]),
                    *(entity.name.rpartition("_")[::2]),
                ):
                    result.add(other)
        return result - {span}

    def only(self, names: Iterable[str]) -> list[str]:
        """The unambiguous ones among some names, which have only one meaning in all contexts."""
        return sorted(n for n in names if n not in self._variables and sum(n in s for s in self._spaces) == 1)


class Sheet:
    """The text of a file, with functions that make edits of it."""

    def __init__(self, file: str, text: str, symbols: Symbols) -> None:
        self.file = file
        self.text = text
        self.symbols = symbols
        self._starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def at(self, line: int, column: int) -> int:
        """The offset of a place; for a place beyond the last line, the end of the text."""
        return self._starts[line - 1] + column - 1 if line <= len(self._starts) else len(self.text)

    def line(self, offset: int) -> int:
        """The line of an offset, from 1."""
        return bisect_right(self._starts, offset)

    def lines(self, first: int, last: int) -> str:
        """The text of a range of lines, including line endings."""
        end = self._starts[last] if last < len(self._starts) else len(self.text)
        return self.text[self._starts[first - 1] : end]

    def cut(self, span: Span) -> str:
        """The text of a span."""
        return self.text[self.at(span.line, span.column) : self.at(span.end_line, span.end_column)]

    def edit(
        self, operator: str, breaks: str, start: int, end: int, text: str, also: Iterable[Site] = ()
    ) -> Mutant | None:
        """The mutant with an edit, or None if the edit changes nothing. `also` lists further sites, as places in the
        unedited files.
        """
        if self.text[start:end] == text:
            return None
        first, last = self.line(start), self.line(end)
        more = text.count("\n") - (last - first)
        touched = range(first, first + text.count("\n") + 1)
        moved = {(f, n + more if f == self.file and n > last else n) for f, n in also}
        return Mutant(
            self.file, start, end, text, operator, breaks, frozenset({(self.file, n) for n in touched} | moved)
        )

    def on(self, operator: str, breaks: str, span: Span, text: str, also: Iterable[Site] = ()) -> Mutant | None:
        """The mutant in which a text replaces a span."""
        start, end = self.at(span.line, span.column), self.at(span.end_line, span.end_column)
        return self.edit(operator, breaks, start, end, text, also)

    def misspelt(self, span: Span, breaks: str) -> Mutant | None:
        """The mutant in which a word becomes an unknown name."""
        word = self.cut(span)
        wrong = misspell(word, self.symbols.words)
        return self.on("rename", breaks, span, wrong) if wrong else None

    def uses_within(self, first: int, last: int) -> set[Site]:
        """The sites outside some lines that use a declaration inside them."""
        results: set[Span] = set()
        for span in self.symbols.declared:
            if span.file == self.file and first <= span.line <= last:
                results |= self.symbols.users(span)
        return {(s.file, s.line) for s in results if s.file != self.file or not first <= s.line <= last}


def misspell(word: str, taken: Iterable[str]) -> str:
    """A word misspelt by one typing error, different from all taken words; "" if there is none."""
    slips = [word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) // 2, len(word) - 1)]
    slips += [word[:i] + word[i] + word[i:] for i in range(len(word) // 2, len(word))]
    return next((s for s in slips if s != word and s not in taken and re.fullmatch(r"[a-z][a-z0-9_]*", s)), "")


def sheet(file: str, symbols: Symbols) -> Sheet:
    """The sheet of a ruleset's file, or of a file that does not belong to it."""
    return Sheet(file, symbols.checked.texts.get(file) or Path(file).read_text("utf-8"), symbols)


def walk(node: object) -> Iterator[tuple[object, object, str]]:
    """All parts of a syntax tree, each with its parent and the name of the parent's field."""
    stack: list[object] = [node]
    while stack:
        owner = stack.pop()
        for name in getattr(owner, "__struct_fields__", ()):
            level = [getattr(owner, name)]
            while level:
                value = level.pop()
                if isinstance(value, tuple):
                    level.extend(value)
                elif isinstance(value, Struct) and not isinstance(value, Span | ast.Text):
                    yield value, owner, name
                    stack.append(value)
