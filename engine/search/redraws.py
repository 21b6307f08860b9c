"""Redraws for particles that contradict observations: unseen draws of identical pieces are changed to pieces observed
later.

Tokens change places throughout a history (see `repair`); draws of identical pieces are independent. The last decision
shows which pieces are in excess and which are missing, and the last unseen draws are changed accordingly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.search.exchange import Exchange, RandomWords
from rulespec.engine.search.recorded_rows import Codes
from rulespec.engine.search.search import Search
from rulespec.engine.wasm.runtime.program import OPEN

_SPREAD = 6.0
"""The spread of the draw to change, in decisions per try."""
_BETWEEN = 24
"""Decisions between two snapshots."""
_MARKS = 3
"""The number of snapshots."""


class AlikeDifference(NamedTuple):
    """Missing and surplus pieces in positions, compared with the observations, per position and piece.

    Attributes:
        few: the number of pieces missing where the seat sees them.
        many: the number of surplus pieces where the seat sees them.
        unseen: whether any pieces are hidden from the seat.
    """

    few: NDArray[np.int64]
    many: NDArray[np.int64]
    unseen: NDArray[np.bool_]

    @property
    def size(self) -> NDArray[np.int64]:
        """The total difference of each position."""
        result: NDArray[np.int64] = self.few.sum(axis=1) + self.many.sum(axis=1)
        return result


class ParticleMark(NamedTuple):
    """A snapshot of the particles.

    Attributes:
        step: the number of decisions taken.
        rows: the positions of the particles.
        odds: the log odds of the particles' histories.
    """

    step: int
    rows: NDArray[np.int64]
    odds: NDArray[np.float64]


class ParticleMarks:
    """The last snapshots of particles, from which draws can be changed."""

    def __init__(self) -> None:
        self._marks: list[ParticleMark] = []

    def note(self, mark: ParticleMark) -> None:
        """Records a snapshot if its number of decisions is a multiple of `_BETWEEN`."""
        if mark.step % _BETWEEN == 0:
            self.keep(mark)

    def keep(self, mark: ParticleMark) -> None:
        """Records a snapshot unconditionally."""
        self._marks = [*self._marks[1 - _MARKS :], mark]

    def __iter__(self) -> Iterator[ParticleMark]:
        """The snapshots, latest first."""
        return reversed(self._marks)

    def copy(self) -> ParticleMarks:
        """An independent copy of the snapshots."""
        result = ParticleMarks()
        result._marks = self._marks.copy()
        return result

    def take(self, numbers: NDArray[np.int64]) -> None:
        """Restricts all snapshots to the given particles, by index."""
        self._marks = [ParticleMark(mark.step, mark.rows[numbers], mark.odds[numbers]) for mark in self._marks]

    def back(self, *, recent: bool) -> ParticleMark | None:
        """Drops the last snapshot if `recent`, otherwise all later than the first, which always stays; returns the
        latest remaining snapshot, or None if there is none.
        """
        del self._marks[max(1, len(self._marks) - 1) if recent else 1 :]
        return self._marks[-1] if self._marks else None


class Redraws:
    """Alternative draws for one kind of identical pieces.

    Args:
        search: a search over positions of the table.
        exchange: the exchanges of the kind.
        names: the names of its entities.
    """

    def __init__(self, search: Search, exchange: Exchange, names: Sequence[str]) -> None:
        self.exchange = exchange
        column = {int(at): number for number, at in reversed(list(enumerate(search.shown)))}
        cells = [(at, cell.owner) for at, cell in enumerate(search.program.cells) if cell.group == "pieces"]
        own = [[column[at] for at, owner in cells if owner == name and at in column] for name in names]
        self._shown = np.full((exchange.size, max(map(len, own), default=0)), -1, np.int64)
        for token, each in enumerate(own):
            self._shown[token, : len(each)] = each

    def difference(self, rows: NDArray[np.int64], own: NDArray[np.int64], seen: NDArray[np.int64]) -> AlikeDifference:
        """The difference between positions and the seat's observations.

        Args:
            rows: the positions.
            own: the seat's view of them.
            seen: the seat's observations.
        """
        ours, theirs = own[:, self._shown], seen[self._shown]
        known = (self._shown >= 0) & (ours != OPEN) & (theirs != OPEN)
        gap = np.where(known, theirs - ours, 0)
        unseen = rows[:, self.exchange.columns].sum(axis=2) > 0
        return AlikeDifference(np.maximum(gap, 0).sum(axis=2), np.maximum(-gap, 0).sum(axis=2), unseen)

    def proposed(
        self, codes: Codes, looks: NDArray[np.int64], by: AlikeDifference, words: RandomWords, tries: int
    ) -> Codes:
        """Histories with some of the last unseen draws changed.

        Args:
            codes: the last decisions of each history; the draws of the last one are repeated.
            looks: these decisions as seen by the seat.
            by: the difference to remove; if it is empty, a piece that the last decision names is missing.
            words: random words.
            tries: the number of earlier tries; with more tries, earlier draws are changed.
        """
        exchange, codes, few, many = self.exchange, codes.copy(), by.few.copy(), by.many.copy()
        look = codes[:, -1] = looks[-1, :-1]
        where = exchange.places(codes) & (looks[:, :-1] == OPEN)
        every = np.arange(len(codes))
        named, lacking = exchange.named(look) > 0, every[by.size == 0]
        if named.any() and len(lacking):
            few[lacking, words.one_of(np.broadcast_to(named, (len(lacking), exchange.size)))] = 1
            # Draws of other named pieces stay.
            where[lacking] &= ~np.isin(codes[lacking], np.flatnonzero(named))
        for _ in range(int(np.maximum(few.sum(axis=1), many.sum(axis=1)).max(initial=0))):
            wanted, extra = words.one_of(few > 0), words.one_of(many > 0)
            few[every[wanted >= 0], wanted[wanted >= 0]] -= 1
            many[every[extra >= 0], extra[extra >= 0]] -= 1
            wanted = np.where((wanted < 0) & (extra >= 0), words.one_of(by.unseen), wanted)
            at = every[wanted >= 0]
            self._change(codes, where, at, wanted[at], extra[at], words, tries)
        return codes

    def _change(
        self,
        codes: Codes,
        where: NDArray[np.bool_],
        at: NDArray[np.int64],
        wanted: NDArray[np.int64],
        extra: NDArray[np.int64],
        words: RandomWords,
        tries: int,
    ) -> None:
        """Replaces a surplus piece, or any piece if there is no surplus, in a late draw of some histories."""
        own = codes[at]
        same = np.where((extra >= 0)[:, None, None], own == extra[:, None, None], own != wanted[:, None, None])
        steps = np.arange(own.shape[1])[:, None] - _SPREAD * tries * words.shares(*own.shape)
        score = np.where(where[at] & same, steps, -np.inf).reshape(len(at), -1)
        place = score.argmax(axis=1)
        some = np.isfinite(score.max(axis=1, initial=-np.inf))
        flat = own.reshape(len(at), -1)
        flat[some, place[some]] = wanted[some]
        codes[at] = flat.reshape(own.shape)
