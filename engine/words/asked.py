"""Decisions of a ruleset: their options, and the variables known at each decision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import definition_expressions, expressions
from rulespec.types import Type

DECIDER, ACTOR = "decider", "actor"
"""The names that stand in holes of texts for the decider, and for the entity on whose behalf it acts."""
_STATE = (typed.Field, typed.PieceCount, typed.Room, typed.RoomTogether, typed.Once)
Known = dict[str, Type]
"""The types of variables in scope, by name."""


class Decisions:
    """The decisions of a ruleset, by name.

    Attributes:
        options: decision → the options by name.
        known: decision → the variables of the rules that are known wherever the decision is made.
        endings: the outcomes of the game.
    """

    def __init__(self, ruleset: typed.Ruleset) -> None:
        self.options: dict[str, dict[str, typed.OptionDef]] = {}
        self.known: dict[str, Known] = {}
        self.endings: dict[str, None] = {}
        for procedure in ruleset.rules.procedures.values():
            self._walk(procedure.body, {var.name: var.type for var in procedure.params})

    def paths(self) -> list[str]:
        """All options, each prefixed with its decision."""
        return [f"{decision}.{option}" for decision, options in self.options.items() for option in options]

    def _walk(self, block: typed.Block, known: Known) -> None:
        known = dict(known)
        for s in block:
            if isinstance(s, typed.CallProcedure) and s.then is not None:
                s = s.then
            if isinstance(s, typed.Let):
                known[s.var.name] = s.var.type
            elif isinstance(s, typed.EndGame):
                self.endings[s.ending] = None
            elif isinstance(s, typed.Decide):
                self._decide(s, known)
            else:
                for body, more in _blocks(s):
                    self._walk(body, known | more)

    def _decide(self, s: typed.Decide, known: Known) -> None:
        """Records a decision; later statements know the values it draws."""
        place = dict(known)
        if s.each is not None:
            place[s.each.var.name] = s.each.var.type
        self.options.setdefault(s.name, {}).update((o.name, o) for o in s.options)
        before = self.known.setdefault(s.name, place)
        self.known[s.name] = {name: type_ for name, type_ in before.items() if place.get(name) == type_}
        for o in s.options:
            named = {p.var.name: p.var.type for p in o.params}
            named |= {part.var.name: part.var.type for part in o.head if isinstance(part, typed.Let)}
            self._walk(o.body, place | named)
            if s.draws:
                known |= named
        if s.otherwise is not None:
            self._walk(s.otherwise.body, known)


def _blocks(s: typed.Stmt) -> Sequence[tuple[typed.Block, Known]]:
    """The blocks within a statement, each with the variables that it adds."""
    if isinstance(s, typed.If):
        return [(body, {}) for _, body in s.branches]
    if isinstance(s, typed.Match):
        return [(body, {}) for _, body in s.cases] + [(s.other or (), {})]
    if isinstance(s, typed.For):
        return [(s.body, {s.binder.var.name: s.binder.var.type})]
    return [(s.body, {})] if isinstance(s, typed.Repeat) else []


def help_subjects(ruleset: typed.Ruleset, decisions: Decisions) -> Iterator[str]:
    """The names that may have a help text, in the notation of word files."""
    d = ruleset.declarations
    yield from decisions.options
    yield from decisions.paths()
    for kind in d.kinds.values():
        if not kind.nameless:
            yield kind.name
            yield from (f"{kind.name}.{entity}" for entity in kind.index)
            yield from (f"{kind.name}.{place}" for place in kind.places)
    for piece in d.pieces.values():
        yield piece.name
        yield from (f"{piece.name}.{place}" for place in piece.places)


def reads_state(e: typed.Expr) -> bool:
    """Whether the value of an expression may change during a game."""
    for part in expressions(e):
        if isinstance(part, _STATE):
            return True
        if isinstance(part, typed.Call) and any(map(reads_state, definition_expressions(part.definition))):
            return True
    return False
