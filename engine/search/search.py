"""Operations on many positions at once, stored as rows of an array: legal options, successors, random games."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulespec.engine.game.game import Game, game_at, restarted, teams_of
from rulespec.engine.game.machines import machine
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import Option
from rulespec.engine.game.secrets import counted
from rulespec.engine.lower.layout import NUMBERS
from rulespec.engine.program import ir
from rulespec.engine.program.draws import Draws
from rulespec.engine.program.ranks import ranks
from rulespec.engine.search.comparing import Compared, SearchQuestion, compare
from rulespec.engine.search.option_tree import Grown, Tree
from rulespec.engine.search.payoffs import NO_HASHES, Ends, Expanded, Payoffs, PlayoutEnd
from rulespec.engine.search.recorded_rows import Coder, Codes, NoteKinds, Recorded, Replayed, noted
from rulespec.engine.search.walk import NOBODY, Walk
from rulespec.engine.simulate.checked_playouts import CAP, choose
from rulespec.engine.wasm.rows import RowForm
from rulespec.engine.wasm.runtime.program import OPEN
from rulespec.engine.wasm.sights import shown_cells

Ranks = Sequence[tuple[int, ...]]
"""The points and tiebreaks of each seat."""


def chosen_value(p: ir.Program, name: str) -> ir.PositionValue | None:
    """The value with this name; for "", the first value with a decisive difference, or None if there is none.

    Raises:
        ValueError: if there is no such value.
    """
    named = {value.name: value for value in p.values}
    if name and name not in named:
        raise ValueError(f"there is no value `{name}`; the declared values are {', '.join(named) or 'none'}")
    return named[name] if name else next((value for value in p.values if value.decides), None)


class Search:
    """A Python search over positions stored as rows, for one ruleset, number of seats and choice of settings; see
    `open_search`.

    A row is a position without its previous decisions. Column i is cell i of the program
    (`game.omniscient.program.cells`); values of more than 64 bits continue in columns after these. Rows come from
    `rows` and from the methods that derive new rows from old ones; other numbers are not positions. Every method may
    raise RulesetFaultError if the rules fault; a fault in the rule that selects the decider may surface only when the
    decider is requested.

    Args:
        game: a game of the ruleset; its position does not matter.
        interrupts: whether to append options out of turn to those of the decider.
        value: the name of a position value; "" means the first declared one, or points if none is declared.

    Attributes:
        backend: the machine that runs the rules: `wasm`, or the slower, equivalent `python`.
        seats: the number of seats.
        columns: the number of columns of a row.
        form: the meaning of the columns.
        interrupts: whether options out of turn are appended.
        value: the position value; None if the ruleset declares none, in which case points are used.
        payoffs: the computation of each seat's payoff at the end of a playout.
        scored: whether the ruleset has scoring.
        table: a game of the table, at its start.
        numbers: the version of the numbering of columns and codes; equal versions have equal numbers.
    """

    backend: Literal["wasm", "python"] = "python"
    numbers = NUMBERS

    def __init__(self, game: Game, *, interrupts: bool = False, value: str = "") -> None:
        self.table = game.copy()
        self.interrupts = interrupts
        self.seats = len(game.seats)
        self.form = RowForm(self.program)
        self.value = chosen_value(self.program, value)
        decides = 0 if self.value is None else max(1, self.value.decides)
        self.payoffs = Payoffs(teams_of(game) or game.seats, self.program.stakes, decides)
        self.scored = self.program.scoring is not None
        self.columns = self.form.columns

    @property
    def program(self) -> ir.Program:
        """The program."""
        return self.table.omniscient.program

    # --- from games to rows, and back -------------------------------------------------------

    def rows(self, games: Iterable[Game]) -> NDArray[np.int64]:
        """The positions of games, one row each."""
        results = [np.frombuffer(self.form.array(game.omniscient.numbers.cells), np.int64) for game in games]
        return np.array(results, np.int64).reshape(len(results), self.columns)

    def game(self, row: ArrayLike) -> Game:
        """A game at the position of a row, without earlier decisions."""
        cells, own = self.form.values(np.asarray(row, np.int64).tolist()), self.table
        return game_at(own, cells, machine(own.ruleset, self.seats, own.settings, "python"))

    def options(self, game: Game) -> list[Option]:
        """The legal options of a game, in the numbering of this search."""
        return list(every_option(game)) if self.interrupts else list(game.legal_options)

    def decider(self, game: Game) -> int:
        """The number of the deciding seat in a game, `CHANCE`, or `NOBODY` after the end."""
        return NOBODY if game.is_over else game.omniscient.numbers.decider()

    def numbered(self, options: Sequence[Option], number: int) -> Option:
        """An option by its number.

        Raises:
            IndexError: if there is no such option.
        """
        if not 0 <= number < len(options):
            raise IndexError(f"there is no option {number}: only {len(options)} are legal")
        return options[number]

    def _games(self, rows: NDArray[np.int64]) -> Iterable[Game]:
        return map(self.game, self._checked(rows))

    def _checked(self, rows: ArrayLike) -> NDArray[np.int64]:
        """Rows, checked for their shape."""
        result = np.ascontiguousarray(rows, np.int64)
        if result.ndim != 2 or result.shape[1] != self.columns:
            raise ValueError(f"rows must have {self.columns} columns, but their shape is {result.shape}")
        return result

    # --- many positions at once -------------------------------------------------------------

    def deciders(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The number of each position's deciding seat, `CHANCE`, or `NOBODY` after the end."""
        return np.array([self.decider(game) for game in self._games(rows)], np.int64)

    def counts(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The number of legal options in each position; 0 after the end."""
        return np.array([len(self.options(game)) for game in self._games(rows)], np.int64)

    def hashes(self, rows: NDArray[np.int64]) -> NDArray[np.uint64]:
        """The hashes of positions, equal to `Game.hash`."""
        return np.array([int(game.hash, 16) for game in self._games(rows)], np.uint64)

    def apply(self, rows: NDArray[np.int64], options: ArrayLike) -> NDArray[np.int64]:
        """The positions after one option from each.

        Args:
            rows: positions.
            options: for each position, the number of a legal option.

        Raises:
            IndexError: if there is no such option.
        """
        numbers = self._numbers(rows, options)
        result = np.empty_like(self._checked(rows))
        for at, (game, number) in enumerate(zip(self._games(rows), numbers.tolist(), strict=True)):
            game.apply(self.numbered(self.options(game), number))
            result[at] = self.form.row(game.omniscient.numbers.cells)
        return result

    def _numbers(self, rows: NDArray[np.int64], options: ArrayLike) -> NDArray[np.int64]:
        numbers = np.ascontiguousarray(options, np.int64)
        if numbers.shape != (len(rows),):
            raise ValueError(f"`options` needs one number for each of {len(rows)} rows, not the shape {numbers.shape}")
        return numbers

    def values(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The value of each position to each seat: the chosen value; otherwise points, or 0 if there is no scoring."""
        results = [self._values(game) for game in self._games(rows)]
        return np.array(results, np.int64).reshape(len(rows), self.seats)

    def measured(self, rows: NDArray[np.int64], value: ir.PositionValue) -> NDArray[np.int64]:
        """A value of the program at each position, for each seat or each entity of its kind.

        Args:
            rows: positions.
            value: the value.
        """
        at = [game.omniscient.numbers for game in self._games(rows)]
        results = [[each.value(value.value, (number,)) for number in range(value.size)] for each in at]
        return np.array(results, np.int64).reshape(len(rows), value.size)

    def observations(self, rows: NDArray[np.int64], seat: int) -> NDArray[np.int64]:
        """A seat's observations, one row per position: the named cells, then the public counts of private values.

        A hidden cell is `OPEN`; the named cells are listed in `shown`.
        """
        results = []
        for row, game in zip(self._checked(rows), self._games(rows), strict=True):
            state = game.omniscient.numbers.cells
            unseen = game.omniscient.visibility.unseen(list(state), seat)
            open_ = np.array([at in unseen for at in self._shown_cells])
            counts = [one.number for one in counted(game.omniscient.program, state)]
            results.append([*np.where(open_, OPEN, row[self.shown]).tolist(), *counts])
        return np.array(results, np.int64).reshape(len(results), -1)

    @cached_property
    def _shown_cells(self) -> list[int]:
        further = self.form.further
        p = self.table.omniscient.program
        return [at for at in shown_cells(p) for _ in range(1 + len(further.get(at, ())))]

    @cached_property
    def shown(self) -> NDArray[np.int64]:
        """For each named cell of an observation, its column in a row."""
        results: list[int] = []
        for at in dict.fromkeys(self._shown_cells):
            results += (at, *self.form.further.get(at, ()))
        return np.array(results, np.int64)

    @property
    def judges(self) -> bool:
        """Whether unfinished positions can be compared: by a value, or by the points of rivals."""
        return self.value is not None or (self.scored and not self.payoffs.single)

    @property
    def why_silent(self) -> str:
        """The reason why a cut-off playout may have no leader, to be used in a message."""
        if self.value is not None:
            return f"the value `{self.value.name}` is the same for all seats when they stop"
        return "the ruleset declares no value, and no seat leads by points when they stop"

    def _values(self, game: Game) -> tuple[int, ...]:
        position = game.omniscient.numbers
        if self.value is not None:
            return tuple([position.value(self.value.value, (seat,)) for seat in range(self.seats)])
        scoring = position.program.scoring
        return tuple([0 if scoring is None else position.value(scoring.score, (seat,)) for seat in range(self.seats)])

    def legal(self, rows: NDArray[np.int64]) -> tuple[Codes, NDArray[np.int64]]:
        """The legal options of positions as codes (in the order of `expand`), and the index of each option's position.

        An option has the same code in every position, as long as `numbers` is the same.
        """
        codes: list[list[int]] = []
        parents: list[int] = []
        for parent, game in enumerate(self._games(rows)):
            for option in self.options(game):
                codes.append(self.coder.code(game, option))
                parents.append(parent)
        return np.array(codes, np.int64).reshape(len(codes), self.coder.width), np.array(parents, np.int64)

    def expand(self, rows: NDArray[np.int64], *, codes: bool = False) -> Expanded:
        """The positions after all legal options; none for finished games.

        Args:
            rows: positions.
            codes: whether to return the codes of the options.
        """
        result = self._expanded(rows)
        return result._replace(codes=self.legal(rows)[0]) if codes else result

    def _expanded(self, rows: NDArray[np.int64]) -> Expanded:
        results: list[list[int]] = []
        parents: list[int] = []
        hashes: list[int] = []
        for parent, game in enumerate(self._games(rows)):
            for option in self.options(game):
                game.apply(option)
                results.append(self.form.row(game.omniscient.numbers.cells))
                parents.append(parent)
                hashes.append(int(game.hash, 16))
                game.undo()
        after = np.array(results, np.int64).reshape(len(results), self.columns)
        return Expanded(after, np.array(parents, np.int64), np.array(hashes, np.uint64))

    def playouts(
        self,
        rows: NDArray[np.int64],
        seed: int,
        *,
        times: int = 1,
        cap: int = CAP,
        jobs: int = 1,
        hashes: bool = False,
        period: int = 0,
    ) -> Ends:
        """Plays random games from each position, like `rulespec simulate` but with the weights for `playouts`.

        Args:
            rows: positions.
            seed: the seed of chance; playout n has the draws of game n of this seed.
            times: the number of games from each position.
            cap: the number of decisions before a game is cut off.
            jobs: the maximum number of threads, at most one per core; the games do not depend on it. Python uses one.
            hashes: whether to return the hash of the position after each decision.
            period: playout n has the draws of game `n % period`, so that rows share random numbers; if 0, each playout
                has its own draws.
        """
        rows = self._checked(rows)
        count = times * len(rows)
        own = period or count
        return self.ends([self.playout(rows[n // times], seed, n % own, cap, hashes) for n in range(count)])

    def compared(self, question: SearchQuestion) -> Compared:
        """Compares the options of a seat by playing random games after each of them."""
        return compare(self, question)

    def grown(self, question: SearchQuestion) -> Grown:
        """Grows a tree of a seat's options by playing random games."""
        return Tree(self, question).grown()

    def playout(self, row: ArrayLike, seed: int, number: int = 0, cap: int = CAP, hashes: bool = False) -> PlayoutEnd:
        """Plays a random game from one position in Python, with the draws of game `number` of the seed."""
        game, draws = self.game(row), Draws(seed, number)
        seen: list[int] = []
        while not game.is_over and game.ply < cap:
            option = choose(game, draws, weighing=True)
            if option is None:
                break
            game.apply(option)
            if hashes:
                seen.append(int(game.hash, 16))
        position = game.omniscient.numbers
        result = ranks(position.program, position.value)
        end = self.end(game.is_over, game.ply, position.state[ir.WINNERS], result)
        if not end.ended:
            end = end._replace(values=self._values(game))
        return end._replace(hashes=np.array(seen, np.uint64)) if hashes else end

    def coded(self, seed: int, first: int, count: int, cap: int = CAP) -> list[Codes]:
        """Plays random games from the start, as `rulespec simulate` does, and returns their decisions as codes.

        Args:
            seed: the seed of chance.
            first: the number of the first game.
            count: the number of consecutive games.
            cap: the number of decisions before a game is cut off.
        """
        return [self._coded(seed, number, cap) for number in range(first, first + count)]

    def _coded(self, seed: int, number: int, cap: int) -> Codes:
        game, draws = restarted(self.table), Draws(seed, number)
        codes: list[list[int]] = []
        while not game.is_over and game.ply < cap and (option := choose(game, draws)) is not None:
            codes.append(self.coder.code(game, option))
            game.apply(option)
        return np.array(codes, np.int64).reshape(len(codes), self.coder.width)

    def end(self, ended: bool, decisions: int, won: int, of_rank: Ranks) -> PlayoutEnd:
        """The result of a playout, from the numbers of its winners and ranks."""
        if ended and won >= 0:
            winners = [seat for seat in range(self.seats) if won >> seat & 1]
        else:
            best = max(of_rank, default=())
            winners = [seat for seat, rank in enumerate(of_rank) if rank == best]
        return PlayoutEnd(ended, decisions, self.payoffs.with_teams(winners), tuple(rank[0] for rank in of_rank))

    def ends(self, ends: Sequence[PlayoutEnd]) -> Ends:
        """The results of several playouts, with their payoffs."""
        winners = np.zeros((len(ends), self.seats), np.bool_)
        scores, values = np.zeros((2, len(ends), self.seats), np.int64)
        for at, end in enumerate(ends):
            winners[at, list(end.winners)] = True
            scores[at] = end.scores or 0
            values[at] = end.values or 0
        ended = np.array([end.ended for end in ends], np.bool_)
        hashes = np.concatenate([NO_HASHES, *(end.hashes for end in ends)])
        decisions = np.array([end.decisions for end in ends], np.int64)
        payoffs, signal = self.payoffs.of(ended, winners, scores, values)
        return Ends(ended, decisions, winners, scores, values, payoffs, signal, hashes)

    # --- recorded games ---------------------------------------------------------------------

    @cached_property
    def coder(self) -> Coder:
        """The numbering of options, for codes."""
        return Coder(self.table)

    def codes(self, moves: Iterable[Recorded], seats: Sequence[str] | None = None) -> Codes:
        """Recorded decisions as numbers, one row each, which can be replayed any number of times.

        Args:
            moves: the decisions, such as the entries of a native log or the history of a game. A decision that names no
                option becomes a row that is never legal.
            seats: the names of the players, if they differ from the game's.

        Raises:
            ValueError: if decisions are undone, or the number of seats differs.
        """
        return self.coder.codes(moves, seats)

    def replay(
        self, games: Sequence[Codes], *, start: ArrayLike | None = None, hashes: bool = False, worth: bool = False
    ) -> Replayed:
        """Replays recorded games, each up to its first illegal decision, as `replay_native` does.

        Args:
            games: their decisions, as returned by `codes`.
            start: the position to continue from, as a row; by default, the start of the game.
            hashes: whether to return the hash of the position after each decision.
            worth: whether to return, instead of hashes, the value of each position to the seat with the highest value.

        Raises:
            RulesetFaultError: if the rules fault before the first decision.
        """
        results = [self.coder.checked(codes) for codes in games]
        row = self.rows([restarted(self.table)])[0] if start is None else np.asarray(start, np.int64)
        notes = NoteKinds.WORTH if worth else NoteKinds.HASHES if hashes else NoteKinds.NOTHING
        return self._replayed(results, self._checked(row[None])[0], notes)

    def _replayed(self, games: list[Codes], row: NDArray[np.int64], notes: NoteKinds) -> Replayed:
        rows, decisions = [], []
        seen: list[int] = []
        for codes in games:
            game = self.game(row)
            decisions.append(self.replayed(game, codes, seen if notes else None, notes))
            rows.append(self.form.row(game.omniscient.numbers.cells))
        after = np.array(rows, np.int64).reshape(len(rows), self.columns)
        words = np.array(seen, np.int64 if notes is NoteKinds.WORTH else np.uint64).view(np.uint64)
        return noted(np.array(decisions, np.int64), after, words, notes)

    def replayed(
        self, game: Game, codes: Codes, seen: list[int] | None = None, notes: NoteKinds = NoteKinds.HASHES
    ) -> int:
        """Takes recorded decisions while legal; returns their number, and adds a note to `seen` after each."""
        for number, code in enumerate(codes.tolist()):
            if not self.coder.taken(game, code):
                return number
            if seen is not None:
                seen.append(max(self._values(game)) if notes is NoteKinds.WORTH else int(game.hash, 16))
        return len(codes)

    # --- one position -----------------------------------------------------------------------

    def walk(self, row: ArrayLike) -> Walk:
        """A walk that starts at a row."""
        return PythonWalk(self, row)


class PythonWalk:
    """A `Walk` in Python."""

    def __init__(self, search: Search, row: ArrayLike) -> None:
        self._search = search
        self._game: Game
        self._options: list[Option] | None = None
        self.go(row)

    def go(self, row: ArrayLike) -> None:
        """Moves to another position."""
        self._game = self._search.game(row)
        self._options = None

    def _listed(self) -> list[Option]:
        if self._options is None:
            self._options = self._search.options(self._game)
        return self._options

    @property
    def count(self) -> int:
        """The number of legal options."""
        return len(self._listed())

    @property
    def decider(self) -> int:
        """The deciding seat."""
        return self._search.decider(self._game)

    @property
    def hash(self) -> int:
        """The hash of the position."""
        return int(self._game.hash, 16)

    @property
    def row(self) -> NDArray[np.int64]:
        """The position as a row."""
        result: NDArray[np.int64] = self._search.rows([self._game])[0]
        return result

    @property
    def codes(self) -> Codes:
        """The legal options as codes."""
        return self._search.legal(self.row[None])[0]

    def weights(self) -> list[int]:
        """The weights of the options."""
        weight = self._game.omniscient.numbers.weight
        return [weight(option.kind.choice, option.args) for option in self._listed()]

    def take(self, number: int) -> None:
        """Takes an option."""
        self._game.apply(self._search.numbered(self._listed(), number))
        self._options = None

    def undo(self) -> None:
        """Undoes the last option."""
        self._game.undo()
        self._options = None

    def playout(self, seed: int, number: int = 0, cap: int = CAP) -> PlayoutEnd:
        """Plays a random game from the current position, then returns to the start of the walk."""
        result = self._search.playout(self.row, seed, number, cap)
        while self._game.ply:
            self.undo()
        return result
