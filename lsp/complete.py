"""Completion: members after a dot, and otherwise all names in scope."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from rulespec.language.builtins import BUILTINS
from rulespec.lsp.complete_yaml import Member, complete_yaml
from rulespec.lsp.index import NameIndex
from rulespec.syntax import keywords
from rulespec.typed import nodes as typed
from rulespec.types import INT, Ent, SetOf, Type

WORDS = sorted({*keywords.WORDS, *BUILTINS} - keywords.TO_COME)
"""The keywords and the built-in functions of the language."""

_LINE_LIMIT = 2_000  # characters before the cursor that are parsed
_CHAIN = re.compile(r"([A-Za-z]\w*(?:\??\.\w+|\[[^\[\]]*\]|\([^()]*\))*)\??\.\w*$")
_STEP = re.compile(r"\.(\w+)|(\[)[^\]]*\]|(\()[^)]*\)")
_HEAD = re.compile(r"(?:(?:replace|wrap|hook) )?(?:def|procedure|guard|invariant|options|scoring|extend|change)\b")
_PARAM = re.compile(r"\b(\w+): (set )?(\w+)(\?)?")


def complete(before: str, lines: list[str], line: int, file: str, index: NameIndex) -> list[Member]:
    """The names that can be inserted at a position.

    Args:
        before: the text of the line up to the position.
        lines: the current lines of the document.
        line: the number of the line, from 0.
        file: the name of the document in spans.
        index: the last valid state of the ruleset.
    """
    before = before[-_LINE_LIMIT:]
    if re.search(r'#|^[^"]*"(?:[^"]*"[^"]*")*[^"]*$', before) and file.endswith(".rules"):
        return []  # inside a comment or a text
    if not file.endswith(".rules") and (by_place := complete_yaml(before, lines, line, file, index)) is not None:
        return by_place
    scope = _Scope(lines, line, file, index)
    if result := _CHAIN.search(before):
        return list(scope.members(result[1]))
    names = list(chain(scope.variables(), scope.globals()))
    return [*names, *((w, None) for w in WORDS)] if file.endswith(".rules") else names


class _Scope:
    """The names in scope at a position of a document."""

    def __init__(self, lines: list[str], line: int, file: str, index: NameIndex) -> None:
        self.index = index
        self.d = index.checked.declarations
        self.file = file
        start = next((n for n in range(min(line, len(lines) - 1), -1, -1) if _HEAD.match(lines[n])), 0)
        self.head = lines[start] if lines else ""

    def variables(self) -> Iterator[Member]:
        """The parameters and locals of the enclosing item, most recent first."""
        known = self.index.checked.texts.get(self.file, "").split("\n")
        item = self.head.partition("(")[0].partition(":")[0]
        start = next((n for n, text in enumerate(known) if _HEAD.match(text) and text.startswith(item)), len(known))
        end = next((n for n in range(start + 1, len(known)) if _HEAD.match(known[n])), len(known))
        results: dict[str, typed.Named] = {}
        for name, set_, kind, optional in _PARAM.findall(self.head):
            if kind in self.d.kinds:
                type_: Type = SetOf(kind) if set_ else Ent(kind, bool(optional))
                results[name] = typed.Var(name, type_, self.d.kinds[kind].span)
        for span, named in self.index.names.items():
            if isinstance(named, typed.Var) and span.file == self.file and start < span.line <= end:
                results[named.name] = named
        yield from reversed(results.items())

    def globals(self) -> Iterator[Member]:
        """All declarations of the ruleset, rules included."""
        d, rules = self.d, self.index.checked.rules
        for table in (d.fields, d.constants, d.settings, d.kinds, d.pieces, d.tables, d.tracks, d.capacities):
            yield from ((name, named) for name, named in table.items() if "." not in name)
        yield from ((name, kinds[0].places[name]) for name, kinds in d.places.items() if len(kinds) == 1)
        for rule_table in (rules.definitions, rules.procedures, rules.guards):
            yield from ((n, r) for n, r in rule_table.items() if n.isidentifier())
        yield from ((unit, typed.Unit(unit, span)) for unit, span in d.units.items())
        for name, where in d.entities.items():
            if name[0].isalpha():
                kind, number = where[0]
                yield name, d.kinds[kind].entities[number]

    def members(self, path: str) -> Iterator[Member]:
        """The members that can follow a path and a dot."""
        head, *steps = [re.match(r"\w+", path)[0], *_STEP.finditer(path)]  # type: ignore[index]
        assert isinstance(head, str)
        variable = dict(self.variables()).get(head)
        if variable is None and head in self.d.pieces:
            yield from self.d.pieces[head].places.items()
            return
        if variable is None and head in self.d.tracks and not steps:
            words = ("steps", "ahead") if self.d.tracks[head].ring else ("space",)
            yield from ((w, None) for w in words)
            return
        if variable is None and head in self.d.kinds and not steps:
            if head in self.d.links:
                yield from (("at", None), ("between", None))
            yield from self.d.kinds[head].places.items()
            yield from ((e.name, e) for e in self.d.kinds[head].entities if e.name[0].isalpha())
            return
        if variable is None and head in self.d.kinds and self.d.kinds[head].number and len(steps) == 1 and steps[0][2]:
            yield from self.d.kinds[head].places.items()  # of an owner's tokens
            return
        type_ = self._type(variable, head, steps)
        kind = self.d.kinds.get(type_.kind) if isinstance(type_, Ent) else None
        if kind is not None:
            board = self.d.boards.get(kind.name)
            named = ("index",) if board is None else ("index", "to", "side") if board.sides else ("index", "to")
            named = (*named, "number") if kind.number else named
            places = ((place.name, place) for place in kind.places.values() if place.index)
            yield from chain(kind.state.items(), kind.facts.items(), places, ((word, None) for word in named))

    def _type(self, variable: typed.Named | None, head: str, steps: list[re.Match[str]]) -> Type | None:
        """The type of a path, or None if it cannot be inferred."""
        d = self.d
        type_: Type | None = None
        if isinstance(variable, typed.Var):
            type_ = variable.type
        elif head in d.fields:
            type_ = d.fields[head].type
        elif head in d.constants:
            type_ = d.constants[head].type
        elif head in d.entities:
            type_ = Ent(d.entities[head][0][0])
        for step in steps:
            if step[2] and isinstance(variable, typed.Var) and variable.table is not None and head:
                type_ = variable.type
            elif step[2] and head in d.tables:
                type_ = d.tables[head].value
            elif step[2] and head in d.kinds:
                type_ = Ent(head)
            elif step[3] and head in self.index.checked.rules.definitions:
                type_ = self.index.checked.rules.definitions[head].result
            elif step[1] and isinstance(type_, Ent) and type_.kind in d.kinds:
                kind = d.kinds[type_.kind]
                member = kind.state.get(step[1]) or kind.facts.get(step[1])
                type_ = member.type if member is not None else INT if step[1] == "index" else None
                if step[1] in kind.places and kind.places[step[1]].index:
                    type_ = Ent(kind.places[step[1]].index, True)
            elif step[1] and head in d.kinds:
                type_ = Ent(head)
            else:
                return None
            head = ""
        return type_
