"""Undo in a foreign log: the decisions undone, and the fields that keep or change their values."""

from __future__ import annotations

from msgspec.structs import replace

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.dialects.dialect import Dialect
from rulespec.engine.dialects.known import DialectKnowledge
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import TakenBack
from rulespec.engine.game.query import Queries, Query
from rulespec.engine.program.budget import BudgetUse
from rulespec.engine.program.faults import ProgramFaultError


class TakeBack:
    """An undo with the same effects as in the other system.

    Fields that are not in the ruleset are skipped, since a dialect serves several rulesets.

    Args:
        game: the game.
        dialect: the dialect.
        own: whether the rules are the dialect's own, in which case all its expressions must compile.
        known: the cached knowledge of the dialect for this game.

    Attributes:
        keep: the fields that keep their values.

    Raises:
        DiagnosticsError: RS622 if an expression of the dialect is wrong.
    """

    def __init__(self, game: Game, dialect: Dialect, own: bool, known: DialectKnowledge) -> None:
        declarations, undo = game.ruleset.declarations, dialect.undo
        fields = {f"{k.name}.{f}" for k in declarations.kinds.values() for f in k.state} | set(declarations.fields)
        self._game = game
        self.keep = tuple(name for name in undo.keeps if name in fields) if undo else ()
        self._sets: list[tuple[str, Query]] = []
        queries, report = Queries(game.ruleset, game.seats, game.settings), Report()
        for name, text in undo.sets if undo else ():
            if name in declarations.fields:
                try:
                    query, use = (
                        queries.projection(text, ()),
                        BudgetUse(f"`{name}` of `undo`", dialect.spans.get("undo")),
                    )
                    counted = known.counted(query.value, queries.meter, use)
                    self._sets.append((name, replace(query, value=counted)))
                except DiagnosticsError as error:
                    for e in error.diagnostics:
                        where = f"`sets` of the dialect `{dialect.id}`, `{name}`: {e.message}"
                        report.error("RS622", where, dialect.spans.get("undo"), help=e.help)
        if own:
            report.raise_if_errors()

    def __call__(self, decisions: int) -> TakenBack | None:
        """Undoes a number of decisions, and returns the record for a native log; None if nothing has changed."""
        game, back = self._game, TakenBack(decisions, self.keep)
        if decisions:
            game.omniscient.take_back(back)
        state = game.omniscient.numbers.state
        changed = []
        for name, query in self._sets:
            try:
                value = game.omniscient.labels.plain(query.type, query.value(state, ()))
            except ProgramFaultError:  # no value in this state: the field is not set
                continue
            if game.omniscient.labels.plain(query.type, state[game.omniscient.fields.cells(name)[0]]) != value:
                changed.append((name, value))
        if changed:
            game.omniscient.take_back(TakenBack(0, (), tuple(changed)))
            back = TakenBack(decisions, self.keep if decisions else (), tuple(changed))
        return back if decisions or changed else None
