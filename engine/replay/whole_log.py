"""Replay of a whole native log in one call of the wasm module.

Each line becomes a code (`SeatCodes`), shared by the logs of a table. The module finds it among its own options, or
stops: then the log is replayed line by line, like a log with more than decisions. So all reports about a log come from
the latter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.late_history import lists_at_once, take_late
from rulespec.engine.game.machines import MachineMemo
from rulespec.engine.game.option import Option, Refusal
from rulespec.engine.logs.native import NativeLog
from rulespec.engine.logs.recorded import apply_recorded
from rulespec.engine.program.journal import State
from rulespec.engine.program.machine import Machine

if TYPE_CHECKING:
    from rulespec.engine.search.recorded_rows import Coder, SeatCodes

_STEPS = 2_000_000
"""Steps for a decision. A listing takes more where there are very many options; Python tests the recorded one alone."""
_SEATINGS = 64
"""Names of seats whose codes are kept."""


class _Table:
    """Knowledge that logs of a table share.

    Attributes:
        coder: makes codes; None before the first log.
        codes: the codes by the names of the seats.
        is_slow: whether the module takes longer than Python, or decisions of one name differ.
    """

    def __init__(self, *_: object) -> None:
        self.coder: Coder | None = None
        self.codes: dict[tuple[str, ...], SeatCodes] = {}
        self.is_slow = False

    def of(self, game: Game) -> SeatCodes:
        """The codes for logs with the seats of a game.

        Raises:
            ValueError: if there are several decisions of one name.
        """
        from rulespec.engine.search.recorded_rows import Coder, SeatCodes  # lazily: it needs numpy

        if game.seats not in self.codes:
            if len(self.codes) >= _SEATINGS:
                self.codes.clear()
            if self.coder is None:
                self.coder = Coder(restarted(game))
            self.codes[game.seats] = SeatCodes(self.coder, restarted(game), game.seats)
        return self.codes[game.seats]


_tables = MachineMemo(_Table)


def taken_whole(game: Game, log: NativeLog) -> Sequence[Option] | None:
    """The decisions of a log, taken in a new game; None if nothing was taken.

    Nothing is taken unless the machine is wasm and the log contains only decisions: no undos, salts, early end line
    or unreadable line.
    """
    entries, end = log.entries, log.end
    if not lists_at_once(game):
        return None
    early = end is not None and end.entries != len(entries)
    if early or log.unread is not None or not entries or any(e.back or e.salt or not e.decision for e in entries):
        return None
    table = _tables(game.ruleset, len(game.seats), game.settings)
    if table.is_slow:
        return None
    try:
        known = table.of(game)
    except ValueError:
        table.is_slow = True
        return None
    codes = b"".join([known[e.decision, e.by, e.option] for e in entries])

    def run(machine: Machine, state: State) -> bool:
        from rulespec.engine.wasm.backend import WasmBackend  # lazily: it needs an extra

        if not isinstance(machine, WasmBackend):
            return False
        taken = machine.take_all(state, codes, _STEPS * len(entries))
        table.is_slow = taken < 0
        return taken == len(entries)

    def take(other: Game) -> None:
        for entry in entries:
            assert not isinstance(apply_recorded(other, entry), Refusal)

    return take_late(game, len(entries), run, take)
