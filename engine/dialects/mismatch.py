"""Mismatch of an entry and the legal options: the option that the entry stands for, and the rule that refuses it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rulespec.engine.dialects.dialect import Dialect
from rulespec.engine.dialects.paths import MISSING, follow
from rulespec.engine.dialects.projection import Form, Projections, is_by, items
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import numbered_option
from rulespec.engine.game.option import Option, Refusal
from rulespec.engine.game.refusal import refused
from rulespec.engine.program import ir


class Explainer:
    """Explains entries at the open decision of a game."""

    def __init__(self, game: Game, dialect: Dialect, projections: Projections) -> None:
        self.game = game
        self.dialect = dialect
        self.projections = projections

    def explain(self, entry: Any, matched: frozenset[int]) -> tuple[Option | None, Refusal]:
        """The option that an entry stands for, if it is known, and why the entry is not legal.

        Args:
            entry: the entry; None if the log has no more.
            matched: the elements of its list that are matched.
        """
        decision = self.game.decision
        if decision is None:
            return None, refused("the game is over")
        payload = follow(entry, self.dialect.payload_path)
        kind = follow(entry, self.dialect.type_path)
        first: tuple[Option, Refusal] | None = None
        for meant in self._meant(kind, payload, matched):
            refusal = self.game.why_not(meant) or self._not_theirs(meant, payload)
            if self.dialect.accepts.intersection(refusal.rules):
                return meant, refusal  # the other system has done this
            first = first or (meant, refusal)
        if first is not None:
            return first
        if unknown := self.projections.unknown(decision.name, kind, payload):
            return None, refused(unknown)
        who = decision.by or "chance"
        if any(form.projection.type == kind for form in self.projections.by_decision.get(decision.name, ())):
            return None, refused(f"no option of `{decision.name}` of {who} has these fields")
        if kind is MISSING:
            return None, refused(f"the entry has no type, and the open decision is `{decision.name}` of {who}")
        return None, refused(f"the open decision is `{decision.name}` of {who}, not `{kind}`")

    def _not_theirs(self, meant: Option, payload: Any) -> Refusal:
        """Why an entry does not stand for an option, although that is legal."""
        for form in self.projections.forms[meant.decision, meant.name]:
            if not is_by(payload, form.projection.by, meant.by):
                return refused(f"it is for {meant.by or 'chance'} to do")
        return refused("what follows does not fit")

    def _meant(self, kind: Any, payload: Any, matched: frozenset[int]) -> Iterator[Option]:
        """The options that the entry may stand for, legal or not: those whose arguments give the entry's fields."""
        game = self.game
        exit_ = game.position.program.blocks[game.position.cells[ir.PC]].exit
        decision = game.decision
        if decision is None or not isinstance(exit_, ir.Ask):
            return
        state = list(game.position.cells)
        d = game.position.program.decisions[exit_.decision]
        for k, c in enumerate(d.choices):
            for form in self.projections.forms.get((d.name, c.name), ()):
                if form.projection.type != kind or form.projection.list:
                    continue
                for record in _records(form, payload, matched):
                    for args in self.projections.meant(c, form, record, state):
                        yield numbered_option(game, k, args, decision.by)


def _records(form: Form, payload: Any, matched: frozenset[int]) -> list[Any]:
    """The records in an entry: the whole payload, or the elements of its list that are not matched yet."""
    if not form.projection.item:
        return [payload]
    return [item for i, item in enumerate(items(payload, form.projection.item)) if i not in matched]
