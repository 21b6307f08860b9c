"""Overviews of documents: foldable blocks, semantic tokens, and the symbols of a ruleset."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rulespec.diagnostics.diagnostic import Span
from rulespec.lsp.index import NameIndex, name, place
from rulespec.syntax import ast
from rulespec.typed import nodes as typed

MAX_SYMBOLS = 500
"""The maximum number of results of a symbol search."""

_TYPES: dict[type, str] = {
    typed.Definition: "function",
    typed.Procedure: "method",
    typed.Guard: "method",
    typed.Var: "variable",
    typed.FieldDecl: "property",
    typed.FactDecl: "property",
    typed.PlaceDecl: "property",
    typed.PieceDecl: "struct",
    typed.Kind: "class",
    typed.Entity: "enumMember",
    typed.ConstantDecl: "variable",
    typed.SettingDecl: "variable",
    typed.TableDecl: "struct",
    typed.TrackDecl: "struct",
    typed.Unit: "type",
    ast.OptionGroup: "namespace",
}
TOKEN_TYPES = sorted(set(_TYPES.values()))
TOKEN_MODIFIERS = ("declaration", "readonly")
_FIXED = (typed.ConstantDecl, typed.FactDecl, typed.SettingDecl, typed.Entity, typed.TableDecl)
"""Declarations whose values no rule changes."""


class SemanticToken(NamedTuple):
    """A name in a document: its place, the index of its token type, and its modifier bits."""

    span: Span
    type: int
    modifiers: int


def tokens(index: NameIndex, file: str) -> list[SemanticToken]:
    """The classified names in a document, in order; names nested in others are omitted."""
    results: list[SemanticToken] = []
    for span in sorted(span for span in index.names if span.file == file and span.line == span.end_line):
        named = index.names[span]
        kind = _TYPES.get(type(named))
        last = results[-1].span if results else None
        if kind is None or (last is not None and (span.line, span.column) < (last.end_line, last.end_column)):
            continue
        modifiers = (place(named) == span) + 2 * isinstance(named, _FIXED)
        results.append(SemanticToken(span, TOKEN_TYPES.index(kind), modifiers))
    return results


def encoded(places: Sequence[tuple[int, int, int]], of: Sequence[SemanticToken]) -> list[int]:
    """Tokens in protocol form: five numbers each, with positions relative to the previous token.

    Args:
        places: line, column and length of each token, in the editor's units.
        of: the tokens.
    """
    results: list[int] = []
    before = (0, 0)
    for (line, column, length), token in zip(places, of, strict=True):
        start = column - before[1] if line == before[0] else column
        results += [line - before[0], start, length, token.type, token.modifiers]
        before = line, column
    return results


class FoldedLines(NamedTuple):
    """A range of foldable lines, from 0; `comment` marks comments."""

    first: int
    last: int
    comment: bool


def folds(lines: Sequence[str]) -> Iterator[FoldedLines]:
    """The foldable blocks of a document: groups of more deeply indented lines, and multi-line comments."""
    open_: list[tuple[int, int]] = []
    last = -1
    comment: int | None = None
    for number, line in enumerate([*lines, "end"]):
        text = line.strip()
        if comment is not None and not text.startswith("#"):
            if last > comment:
                yield FoldedLines(comment, last, True)
            comment = None
        if not text:
            continue
        depth = len(line) - len(line.lstrip()) if number < len(lines) else 0
        while open_ and open_[-1][0] >= depth:
            _, first = open_.pop()
            if last > first:
                yield FoldedLines(first, last, False)
        if text.startswith("#"):
            comment = number if comment is None else comment
        else:
            open_.append((depth, number))
        last = number


def symbols(index: NameIndex, query: str) -> Iterator[tuple[Span, typed.Named]]:
    """The declarations in a ruleset whose names contain the letters of a query in order."""
    for span, named in sorted(index.names.items(), key=lambda item: item[0]):
        declared = place(named) == span and type(named) in _TYPES and not isinstance(named, typed.Var)
        if declared and _has(name(named).casefold(), query.casefold()):
            yield span, named


def _has(text: str, letters: str) -> bool:
    """Whether a text contains the given letters in order."""
    rest = iter(text)
    return all(letter in rest for letter in letters)
