"""Judgement of coded games under other rules: translates codes by name, and judges diverging games move by move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.corpus.code_tables import CodeTable
from rulespec.engine.corpus.game_codes import CodedGame, outcome_at
from rulespec.engine.corpus.log_rows import Under, under_of
from rulespec.engine.game.game import Game, restarted
from rulespec.engine.replay.judge import judge, transferred_settings
from rulespec.engine.search.open_search import open_search
from rulespec.engine.search.recorded_rows import Coder, Codes
from rulespec.typed import nodes as typed

_NONE = -1


class Renumbering:
    """A mapping from one program's numbers to another's, based on the names of decisions, options, parameters and
    entities.

    Args:
        own: the table of the codes.
        other: the table of the other program.
    """

    def __init__(self, own: CodeTable, other: CodeTable) -> None:
        self._width = other.width
        known = {(o.decision, o.option, o.types): o.number for o in other.options}
        size = max((o.number for o in own.options), default=0) + 1
        self._options = np.full(size + 1, _NONE, np.int64)  # the last entry is for an unknown option
        self._types: dict[int, tuple[str, ...]] = {}
        for option in own.options:
            self._options[option.number] = known.get((option.decision, option.option, option.types), _NONE)
            self._types[option.number] = option.types
        self._names = {kind: _numbers(names, other.names.get(kind, ())) for kind, names in own.names.items()}

    def of(self, codes: Codes) -> Codes:
        """The codes, translated to the other program; a code without a counterpart becomes one that is never legal."""
        result = np.zeros((len(codes), self._width), np.int64)
        own = np.where((codes[:, 0] >= 0) & (codes[:, 0] < len(self._options) - 1), codes[:, 0], -1)
        result[:, 0] = self._options[own]
        result[:, 1] = codes[:, 1]
        for number in np.unique(own).tolist():
            rows = np.flatnonzero(own == number)
            for at, type_ in enumerate(self._types.get(number, ()), 2):
                values = codes[rows, at]
                names = self._names.get(type_.removesuffix("?"))
                if names is not None:
                    inside = (values >= 0) & (values < len(names))
                    mapped = np.where(inside, names[np.where(inside, values, 0)] if len(names) else _NONE, values)
                    result[rows[inside & (mapped < 0)], 0] = _NONE
                    values = mapped
                if at < self._width:
                    result[rows, at] = values
        return result


def _numbers(names: Sequence[str], other: Sequence[str]) -> NDArray[np.int64]:
    by_name = {name: number for number, name in enumerate(other)}
    return np.array([by_name.get(name, _NONE) for name in names], np.int64)


def judged_under(own: Game, table: CodeTable, ruleset: typed.Ruleset, games: Sequence[CodedGame]) -> Iterator[Under]:
    """Judges games of a table under other rules, natively if all decisions stay legal and both games end together.

    Args:
        own: a game of the table, under its own rules.
        table: the table.
        ruleset: the other rules.
        games: the games.
    """
    settings, _ = transferred_settings(own, ruleset)
    try:
        there = Game(ruleset, own.names, settings)
    except DiagnosticsError as error:
        yield from (Under(error.diagnostics[0].message) for _ in games)
        return
    search, coder = open_search(there), Coder(own)
    mapping = Renumbering(table, CodeTable.of(there))
    replayed = search.replay([mapping.of(game.codes) for game in games])
    for at, game in enumerate(games):
        legal = int(replayed.decisions[at])
        if legal == len(game.codes) and not game.error:
            outcome = outcome_at(search, replayed.rows[at])
            if (outcome.ended is None) == (game.ended is None):
                winners = "open" if outcome.ended is None else "same" if outcome.winners == game.winners else "other"
                unchanged = winners != "other"
                end = (outcome.ended, outcome.winners, outcome.scores)
                yield Under("", ruleset.ref, ruleset.hash, legal, 0, 0, 0, None, winners, unchanged, *end)
                continue
        yield _slowly(restarted(own), coder, ruleset, game)


def _slowly(start: Game, coder: Coder, ruleset: typed.Ruleset, game: CodedGame) -> Under:
    """A game, judged decision by decision."""
    for code in game.codes.tolist():
        if not coder.taken(start, code):
            return Under("the game is not legal under its own rules")
    try:
        judged = judge(game.log, start, ruleset, "python")
    except DiagnosticsError as error:
        return Under(error.diagnostics[0].message)
    return under_of(judged)
