"""Recorded decisions as numbers, and the results of replaying batches of recorded games: legal lengths and final
positions.

A recorded decision is a row: the program-wide number of its option (-1 for an unknown name), the acting seat (negative
if any actor is possible), and the arguments, padded with 0.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option, RulesetFaultError, TakenBack
from rulespec.engine.logs.native import LogEntry
from rulespec.engine.logs.recorded import RecordedDecision
from rulespec.engine.program.columns import option_columns
from rulespec.engine.program.limits import MAX_NUMBER, NO_NUMBER
from rulespec.engine.wasm.rows import same_options
from rulespec.language.paths import stops

Recorded = LogEntry | RecordedDecision | Option | TakenBack
Codes = NDArray[np.int64]
_NONE, _WHOEVER = -1, -1
"""The number of an unknown option, and the seat of a decision without a recorded decider."""
_NOBODY = 1 << 32
"""A seat that does not exist."""
_MOST_CODES = 50_000
"""The maximum number of cached codes."""


class NoteKinds(IntEnum):
    """A kind of note on the position after each decision of a replay, as numbered by the module."""

    NOTHING = 0
    HASHES = 1
    WORTH = 2


class Replayed(NamedTuple):
    """Results of replayed games; the first index is the game.

    Attributes:
        decisions: the number of leading legal decisions; the next one, if any, is illegal.
        rows: the positions after these decisions.
        hashes: the hash of the position after each of these decisions, game by game; empty unless requested.
        worth: for each position after one of these decisions, the value to the seat with the highest value, if
            requested.
    """

    decisions: NDArray[np.int64]
    rows: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    worth: NDArray[np.int64] = np.empty(0, np.int64)


NONE_SEEN = np.empty(0, np.uint64)


def noted(
    decisions: NDArray[np.int64], rows: NDArray[np.int64], seen: NDArray[np.uint64], notes: NoteKinds
) -> Replayed:
    """The results of a replay, in which the notes on positions are hashes or values, as `notes` says."""
    if notes is NoteKinds.WORTH:
        return Replayed(decisions, rows, NONE_SEEN, seen.view(np.int64))
    return Replayed(decisions, rows, seen)


class Coder:
    """A numbering of options, which turns recorded decisions into codes.

    Args:
        game: a game of the ruleset.

    Attributes:
        width: the number of columns of a code.
    """

    def __init__(self, game: Game) -> None:
        p = game.omniscient.program
        self._game = game
        self.options = [(d, k) for d, one in enumerate(p.decisions) for k in range(len(one.choices))]
        """The decision and the choice of each option, by option number."""
        self._numbers = dict(zip(self.options, same_options(p), strict=True))
        self._same = np.array(list(self._numbers.values()), np.int64)
        self._decisions: dict[str, int] = {}
        for number, d in enumerate(p.decisions):
            first = self._decisions.setdefault(d.name, number)
            if self._form(first) != self._form(number):
                raise ValueError(
                    f"there are several decisions `{d.name}`: use `replay_native`, which finds the one that is meant"
                )
        self.columns = option_columns(p)
        """The columns of each option's arguments, by option number."""
        self.width = max((each.end for each in self.columns), default=2)
        self._used = np.arange(self.width) < np.array([each.end for each in self.columns])[:, None]
        """For each option, the used columns of its code."""

    def _form(self, decision: int) -> list[int]:
        """The numbers of the options of a decision."""
        return [number for (d, _), number in self._numbers.items() if d == decision]

    def codes(self, moves: Iterable[Recorded], seats: Sequence[str] | None) -> Codes:
        """Decisions as numbers; see `Search.codes`."""
        known = SeatCodes(self, self._game, self._game.seats if seats is None else tuple(seats))
        keys = []
        for move in moves:
            if isinstance(move, TakenBack) or (isinstance(move, LogEntry) and move.back is not None):
                raise ValueError("the log takes decisions back: use `replay_native`")
            if not move.decision:
                raise ValueError("a decision has no name: use `replay_native`, which identifies it")
            keys.append((move.decision, move.by, str(move) if isinstance(move, Option) else move.option))
        words = np.frombuffer(b"".join(map(known.__getitem__, keys)), np.int64)
        return words.reshape(len(keys), self.width).copy()

    def code(self, game: Game, option: Option) -> list[int]:
        """The code of a legal option at a position."""
        asked = game.omniscient.numbers.asked
        by = _WHOEVER if option.by is None else game.seats.index(option.by)
        number = self._numbers[asked, option.kind.choice]
        columns = self.columns[number].columns(option.args)
        return [number, by, *columns, *[0] * (self.width - 2 - len(columns))]

    def of_listed(self, listed: Codes, by: int) -> Codes:
        """The codes of listed options of the decider `by`."""
        numbers = listed[:, 0]
        result = np.where(self._used[numbers], listed, 0)
        result[:, 0] = self._same[numbers]
        result[:, 1] = np.where(listed[:, 1] < 0, by, listed[:, 1])
        return result

    def decision(self, name: str) -> int:
        """The number of the first decision with this name.

        Raises:
            KeyError: if no decision has this name.
        """
        return self._decisions[name]

    def number(self, decision: int, choice: int) -> int:
        """The program-wide number of an option."""
        return self._numbers[decision, choice]

    def names(self, kind: str) -> tuple[str, ...]:
        """The names of the entities of a kind, by number."""
        return tuple(self._game.omniscient.labels.names[kind])

    def checked(self, codes: Codes) -> Codes:
        """The codes as an array, checked for its shape."""
        result = np.ascontiguousarray(codes, np.int64)
        if result.ndim != 2 or result.shape[1] != self.width:
            raise ValueError(f"codes must have {self.width} columns, but their shape is {result.shape}")
        return result

    def _is_value(self, type_: str, value: int) -> bool:
        """Whether a value belongs to a parameter's type."""
        if (names := self._game.omniscient.labels.names.get(type_.removesuffix("?"))) is not None:
            return -1 <= value < len(names)
        if type_.startswith(("set ", "bag ")):
            return True  # the domain rejects a wrong size
        if type_.startswith("path "):
            size = len(self._game.omniscient.labels.names[type_[5:]])
            return value >= 0 and all(0 <= stop < size for stop in stops(value, size))
        return abs(value) <= MAX_NUMBER or value == NO_NUMBER

    def option(self, game: Game, code: Sequence[int]) -> Option | None:
        """The option that a code denotes at a position, legal or not; None if the position has no such option."""
        number, seat = code[:2]
        position = game.omniscient.numbers
        if position.asked < 0 or not 0 <= number < len(self.options):
            return None
        choice = self.options[number][1]
        if self._numbers.get((position.asked, choice)) != number:
            return None
        params = position.program.decisions[position.asked].choices[choice].params
        args = self.columns[number].arguments(code)
        if not all(self._is_value(param.type, value) for param, value in zip(params, args, strict=True)):
            return None
        by = game.seats[seat] if 0 <= seat < len(game.seats) else None
        return Option(game.omniscient.option_kinds[choice], args, by)

    def taken(self, game: Game, code: Sequence[int]) -> bool:
        """Takes a recorded decision if it is legal; a fault counts as illegal."""
        option = self.option(game, code)
        if option is None:
            return False
        position, seat, kind = game.omniscient.numbers, code[1], option.kind
        try:
            if seat >= 0 and seat != position.actor(kind.choice, option.args):
                among = 0 if kind.interrupt or seat >= len(game.seats) else position.deciders()
                if not among >> seat & 1:
                    return False
            if not position.is_legal(kind.choice, option.args):
                return False
            position.take(option)
        except RulesetFaultError:
            return False
        return True


class SeatCodes(dict[tuple[str, str | None, str], bytes]):
    """A cache that maps the decision name, seat and option text of a recorded decision to its code, as bytes.

    Args:
        coder: the numbering of options.
        game: a game of the ruleset.
        seats: the names of the seats in the recorded decisions.

    Raises:
        ValueError: if the number of seats differs from the game's.
    """

    def __init__(self, coder: Coder, game: Game, seats: tuple[str, ...]) -> None:
        if len(seats) != len(game.seats):
            raise ValueError(f"the game has {len(game.seats)} seats, not {len(seats)}")
        self._coder = coder
        self._read = game.omniscient.reader(seats).read
        self._seat: dict[str | None, int] = {name: number for number, name in enumerate(seats)} | {None: _WHOEVER}

    def __missing__(self, key: tuple[str, str | None, str]) -> bytes:
        name, by, text = key
        coder = self._coder
        code = [_NONE, _WHOEVER, *[0] * (coder.width - 2)]
        try:
            decision = coder.decision(name)
            choice, args = self._read(decision, text, name)
            number = coder.number(decision, choice)
            columns = coder.columns[number].columns(args)
            code[: 2 + len(columns)] = number, self._seat.get(by, _NOBODY), *columns
        except (KeyError, ValueError, OverflowError):  # no decision, option or entity has this name
            pass
        if len(self) >= _MOST_CODES:
            self.clear()
        result = self[key] = array("q", code).tobytes()
        return result
