"""Points as a sum: the scoring of a ruleset, split into terms with titles."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from rulespec.engine.game.game import Game
from rulespec.engine.game.query import Queries
from rulespec.engine.lower.conditions import text_at
from rulespec.engine.lower.scope import Scope
from rulespec.engine.program import ir
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.words.words import Words
from rulespec.typed import nodes as typed
from rulespec.types import Ent

MOST = 12
"""The maximum number of terms."""
_MAX_TEXT = 60
Env = Mapping[typed.Var, ir.Expr]
Term = tuple[str, int]
"""The title and the value of a term."""


def score_terms(game: Game, words: Words) -> dict[str, list[Term]]:
    """The non-zero terms of each seat's points; empty if the points are not a sum."""
    scoring = game.ruleset.rules.scoring
    if scoring is None:
        return {}
    apart = _Apart(game, words)
    try:
        results = {seat: apart.terms(scoring.score, {scoring.var: ir.Const(i)}) for i, seat in enumerate(game.seats)}
        totals = {seat: apart.value(scoring.score, {scoring.var: ir.Const(i)}) for i, seat in enumerate(game.seats)}
    except ProgramFaultError:
        return {}
    shown = {seat: [term for term in terms if term[1]] for seat, terms in results.items()}
    sums = all(sum(value for _, value in terms) == totals[seat] for seat, terms in shown.items())
    return shown if sums and any(len(terms) > 1 for terms in shown.values()) else {}


class _Apart:
    def __init__(self, game: Game, words: Words) -> None:
        self._game = game
        self._words = words
        self._queries = Queries(game.ruleset, game.seats, game.settings)

    def value(self, e: typed.Expr, env: Env) -> int:
        """The value of an expression, given the values of its variables."""
        evaluate = self._queries.function(e, Scope(dict(env)))
        return evaluate(list(self._game.omniscient.numbers.state), [0] * (self._queries.program.slots + 1))

    def terms(self, e: typed.Expr, env: Env, depth: int = 0) -> list[Term]:
        """The terms of a sum; any other expression is its only term."""
        within = partial(self.terms, depth=depth + 1)
        if isinstance(e, typed.Op) and len(e.args) == 2:
            one, other = e.args
            if e.op == "+":
                return [*within(one, env), *within(other, env)]
            if e.op == "-":
                return [*within(one, env), *((title, -value) for title, value in within(other, env))]
            if e.op in "*/" and isinstance(other, typed.Lit) and other.value == 1:  # a conversion of units only
                return within(one, env)
        if isinstance(e, typed.Call) and e.definition.body is not None and not e.definition.lets and depth < MOST:
            values = (ir.Const(self.value(arg, env)) for arg in e.args)
            return within(e.definition.body, dict(zip(e.definition.params, values, strict=True)))
        if isinstance(e, typed.Each) and e.op == "sum" and isinstance(e.binder.var.type, Ent) and e.body is not None:
            return self._members(e, env)
        return [(self._title(e), self.value(e, env))]

    def _members(self, e: typed.Each, env: Env) -> list[Term]:
        """The terms of the members of a set."""
        kind = e.binder.var.type.kind  # type: ignore[union-attr]
        mask = self.value(e.binder.source, env)
        titles = self._words.titles(kind, self._game.shown_names)
        results = []
        for i in range(mask.bit_length()):
            inner = {**env, e.binder.var: ir.Const(i)}
            if mask >> i & 1 and (e.binder.where is None or self.value(e.binder.where, inner)):
                assert e.body is not None
                results.append((titles[i], self.value(e.body, inner)))
        return results

    def _title(self, e: typed.Expr) -> str:
        if isinstance(e, typed.Field):
            return self._words.field(e.decl.kind, e.decl.name)
        if isinstance(e, typed.PieceCount):
            return self._words.pieces(e.piece.name)
        text = text_at(e.span, self._game.ruleset.sources.get(e.span.file, "").split("\n"))
        return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1] + "…"
