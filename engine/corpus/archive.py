"""Statistics of a store by rules and players: lengths, endings, winners by role and seat, and openings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field

from rulespec.engine.corpus.code_tables import Tables
from rulespec.engine.corpus.game_codes import CodedGame
from rulespec.engine.corpus.stores import batches, parts_of_store
from rulespec.engine.game.game import Game
from rulespec.engine.game.refusal import with_arguments
from rulespec.engine.search.recorded_rows import Coder, Codes
from rulespec.engine.simulate.details import holdings, roles
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.roles import role_title
from rulespec.engine.words.words import Words
from rulespec.typed import nodes as typed

OPENING = 3
"""The number of decisions in an opening, counting only those of seats."""
_LOOKED = 40
"""The number of decisions searched for seats' decisions, per decision of an opening."""
MAX_OPENINGS = 100_000
"""The maximum number of openings per table; games with further openings count as others."""
MOST_OPENINGS = 12
"""The maximum number of openings told in words, the most frequent ones."""


class Opened(Struct):
    """The number of games with a given opening, and the number of wins of each seat in these games.

    Attributes:
        games: the number of games.
        won: seat → the number of wins.
        table: the table of the first game with this opening.
        codes: the decisions of that game up to the end of the opening.
    """

    games: int = 0
    won: Counter[str] = field(default_factory=Counter)
    table: str = ""
    codes: tuple[tuple[int, ...], ...] = ()


class RoleWins(Struct):
    """The number of games in which a seat held a role at its first decision, and that seat's wins, alone or shared."""

    games: int = 0
    won: int = 0


class Shelf(Struct):
    """The games of one ruleset with one player count, over all settings.

    Attributes:
        ruleset: the reference of the rules.
        title: the title of the rules.
        players: the number of seats.
        games: the number of finished games.
        open: the number of unfinished or diverging games.
        lengths: length of a finished game → the number of games.
        endings: title of an ending → the number of games.
        won: seat → the number of wins, alone or shared.
        roles: role → the games in which it was held. A role is the title of an entity that a seat holds at its first
            decision; roles that the same seat holds in all games are merged, as in "A and B".
        points: seat → the sum of its points.
        openings: the first decisions of the seats, as texts → the games that begin with them.
        frequent: the most frequent openings, with their moves in words and their game counts.
        others: the number of games with less frequent openings.
        seats: the ids of the seats.
        nobody: the number of games without a winner.
    """

    ruleset: str
    title: str
    players: int
    games: int = 0
    open: int = 0
    lengths: Counter[int] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    won: Counter[str] = field(default_factory=Counter)
    roles: dict[str, RoleWins] = field(default_factory=dict)
    points: Counter[str] = field(default_factory=Counter)
    openings: dict[tuple[str, ...], Opened] = field(default_factory=dict)
    frequent: list[tuple[tuple[str, ...], int]] = field(default_factory=list)
    others: int = 0
    seats: tuple[str, ...] = ()
    nobody: int = 0


def shelves(folder: Path, opening: int = OPENING) -> list[Shelf]:
    """The games of a store, grouped by rules and number of players, largest group first.

    Args:
        folder: the store.
        opening: the number of decisions in an opening.

    Raises:
        DiagnosticsError: if the store is damaged.
    """
    tables, texts, results = Tables(folder), dict[str, _Texts](), dict[tuple[str, int], Shelf]()
    roles_of = dict[tuple[str, int], _Roles]()
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
                if game.ended is not None:
                    of_table = texts[game.table]
                    roles_of.setdefault(key, _Roles(of_table.ruleset)).add(of_table.held(game.codes), game.winners)
    for key, of in roles_of.items():
        results[key].roles = of.merged()
    for shelf in results.values():
        frequent = sorted(shelf.openings.items(), key=lambda each: (-each[1].games, each[0]))[:MOST_OPENINGS]
        shelf.frequent = [(texts[of.table].in_words(of.codes), of.games) for _, of in frequent]
    return sorted(results.values(), key=lambda shelf: (-shelf.games, shelf.ruleset, shelf.players))


class _Roles:
    """Wins by role.

    Args:
        ruleset: the ruleset, with the titles of roles.

    Attributes:
        of: role → its games.
    """

    def __init__(self, ruleset: typed.Ruleset) -> None:
        self._ruleset = ruleset
        self.of: dict[str, RoleWins] = {}
        self._classes: dict[str, int] = {}
        """Role → its class; roles of a class have been held by the same seat in all games."""

    def add(self, held: Mapping[str, str], winners: Collection[str]) -> None:
        """Counts a game, given the seat of each role."""
        for role, seat in held.items():
            wins = self.of.setdefault(role, RoleWins())
            wins.games += 1
            wins.won += seat in winners
        parts: dict[tuple[int, str | None], int] = {}
        new = {role for role in held if role not in self._classes}
        for role in self.of:
            key = -1 if role in new else self._classes[role], held.get(role)
            self._classes[role] = parts.setdefault(key, len(parts))

    def merged(self) -> dict[str, RoleWins]:
        """The wins by title of the role; roles that the same seat holds in all games are merged, as in "A and B"."""
        names: dict[int, list[str]] = {}
        for role in self.of:
            names.setdefault(self._classes[role], []).append(role)
        words = Words(self._ruleset)
        titles = {role: role_title(words, role) for role in self.of}
        return {" and ".join(titles[role] for role in roles): self.of[roles[0]] for roles in names.values()}


class _Texts:
    """The options of a table as texts, and the roles of its seats.

    Args:
        game: a game of the table.

    Attributes:
        ruleset: the ruleset of the table.
        words: the words for its moves and endings.
        seats: the seats of the table.
    """

    def __init__(self, game: Game) -> None:
        decisions, coder = game.omniscient.program.decisions, Coder(game)
        self.ruleset, self.words = game.ruleset, Words(game.ruleset)
        self._start, self._coder, self._has_roles = game, coder, bool(holdings(game.ruleset))
        self._held: dict[bytes, dict[str, str]] = {}
        self._labels, self.seats = game.omniscient.labels, game.seats
        self._choices = {coder.number(d, k): decisions[d].choices[k] for d, k in coder.options}
        self._known: dict[tuple[int, ...], str] = {}

    def held(self, codes: Codes) -> dict[str, str]:
        """The seat that holds each role, after the chance decisions that precede the first decision by a seat."""
        if not self._has_roles:
            return {}
        seats = codes[:, 1] >= 0
        drawn = codes[: int(seats.argmax()) if seats.any() else 0]
        key = drawn.tobytes()
        if key not in self._held:
            game = self._start.copy()
            if not all(self._coder.taken(game, code) for code in drawn.tolist()):
                return {}
            held = dict(roles(game))
            if len(self._held) >= MAX_OPENINGS:
                return held
            self._held[key] = held
        return self._held[key]

    def of(self, code: Sequence[int]) -> str:
        """A decision as seat and option; `?` for a code that does not exist at the table."""
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

    def in_words(self, codes: Sequence[Sequence[int]]) -> tuple[str, ...]:
        """The seats' moves among the first decisions of a game, in words, up to the first illegal decision."""
        game, moves = self._start.copy(), list[str]()
        for code in codes:
            option = self._coder.option(game, code)
            if option is not None and option.by is not None:
                moves.append(Narrator(self.words, game).move(option))
            if not self._coder.taken(game, code):
                break
        return tuple(moves)


def _add(shelf: Shelf, game: CodedGame, texts: _Texts, opening: int) -> None:
    if game.ended is None:
        shelf.open += 1
        return
    shelf.games += 1
    shelf.lengths[game.decisions] += 1
    shelf.endings[texts.words.ending(game.ended)] += 1
    shelf.won.update(game.winners)
    shelf.nobody += not game.winners
    shelf.points.update(game.scores)
    codes = [tuple(code) for code in game.codes[: _LOOKED * opening].tolist()]
    taken = [at for at, code in enumerate(codes) if code[1] >= 0][:opening]
    first = tuple(texts.of(codes[at]) for at in taken)
    if first not in shelf.openings and len(shelf.openings) >= MAX_OPENINGS:
        shelf.others += 1
        return
    if (opened := shelf.openings.get(first)) is None:
        opened = shelf.openings[first] = Opened(table=game.table, codes=tuple(codes[: taken[-1] + 1 if taken else 0]))
    opened.games += 1
    opened.won.update(game.winners)
