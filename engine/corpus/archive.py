"""An archive in figures: lengths, endings, winners by seat and openings of a store, by rules and players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct, field

from rulespec.engine.corpus.code_tables import Tables
from rulespec.engine.corpus.game_codes import CodedGame
from rulespec.engine.corpus.stores import batches, parts_of_store
from rulespec.engine.game.game import Game
from rulespec.engine.game.refusal import with_arguments
from rulespec.engine.search.recorded_rows import Coder

OPENING = 3
"""Decisions of an opening: the first that seats take, without chance."""
_LOOKED = 40
"""Decisions, for each one of an opening, in which to find those of seats."""
MAX_OPENINGS = 100_000
"""Openings of a table that are counted; further games count as of others."""


class Opened(Struct):
    """An opening: the number of its games, and of each seat's wins in them."""

    games: int = 0
    won: Counter[str] = field(default_factory=Counter)


class Shelf(Struct):
    """The games of one ruleset with one number of players, over all settings.

    Attributes:
        ruleset: the reference of the rules.
        title: the title of the rules.
        players: the number of seats.
        games: the number of finished games.
        open: the number of games that are unfinished or diverge.
        lengths: length of a finished game → the number of games.
        endings: ending → the number of games.
        won: seat → the number of its wins, alone or shared.
        points: seat → the sum of its points.
        openings: the first decisions of seats, as texts → their games.
        others: the number of games with other openings.
        seats: the ids of the seats.
        nobody: the number of games that nobody won.
    """

    ruleset: str
    title: str
    players: int
    games: int = 0
    open: int = 0
    lengths: Counter[int] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    won: Counter[str] = field(default_factory=Counter)
    points: Counter[str] = field(default_factory=Counter)
    openings: dict[tuple[str, ...], Opened] = field(default_factory=dict)
    others: int = 0
    seats: tuple[str, ...] = ()
    nobody: int = 0


def shelves(folder: Path, opening: int = OPENING) -> list[Shelf]:
    """The games of a store by rules and players, most games first.

    Args:
        folder: the store.
        opening: the number of decisions in an opening.

    Raises:
        DiagnosticsError: if the store is damaged.
    """
    tables, texts, results = Tables(folder), dict[str, _Texts](), dict[tuple[str, int], Shelf]()
    for part in parts_of_store(folder):
        for batch in batches(part):
            for game in batch:
                if not game.table:
                    continue
                table = tables.read(game.table)
                if game.table not in texts:
                    texts[game.table] = _Texts(tables.game(table))
                key = table.ruleset, table.players
                seats = texts[game.table].seats
                shelf = results.setdefault(key, Shelf(table.ruleset, table.title, table.players, seats=seats))
                _add(shelf, game, texts[game.table], opening)
    return sorted(results.values(), key=lambda shelf: (-shelf.games, shelf.ruleset, shelf.players))


class _Texts:
    """The options of a table as texts.

    Args:
        game: a game of the table.
    """

    def __init__(self, game: Game) -> None:
        decisions, coder = game.omniscient.program.decisions, Coder(game)
        self._labels, self.seats = game.omniscient.labels, game.seats
        self._choices = {coder.number(d, k): decisions[d].choices[k] for d, k in coder.options}
        self._known: dict[tuple[int, ...], str] = {}

    def of(self, code: Sequence[int]) -> str:
        """A decision as its seat and option; `?` for a code that no game of the table has."""
        key = tuple(code)
        if key not in self._known:
            try:
                choice = self._choices[key[0]]
                text = f"{self.seats[key[1]]}: {with_arguments(self._labels, choice, key[2:])}"
            except (KeyError, IndexError):
                text = "?"
            if len(self._known) >= MAX_OPENINGS:
                return text
            self._known[key] = text
        return self._known[key]


def _add(shelf: Shelf, game: CodedGame, texts: _Texts, opening: int) -> None:
    if game.ended is None:
        shelf.open += 1
        return
    shelf.games += 1
    shelf.lengths[game.decisions] += 1
    shelf.endings[game.ended] += 1
    shelf.won.update(game.winners)
    shelf.nobody += not game.winners
    shelf.points.update(game.scores)
    taken = [code for code in game.codes[: _LOOKED * opening].tolist() if code[1] >= 0][:opening]
    first = tuple(texts.of(code) for code in taken)
    if first not in shelf.openings and len(shelf.openings) >= MAX_OPENINGS:
        shelf.others += 1
        return
    opened = shelf.openings.setdefault(first, Opened())
    opened.games += 1
    opened.won.update(game.winners)
