"""Replay of a whole native log in one call of the wasm module.

Each line becomes a code (`SeatCodes`); the logs of a table share the codes. The module looks the code up among its
listed options. If that fails, or if a log contains anything besides decisions, the log is replayed line by line
instead, which also produces all diagnostics.
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
from rulespec.engine.program.cells import State
from rulespec.engine.program.machine import Machine

if TYPE_CHECKING:
    from rulespec.engine.search.recorded_rows import Coder, SeatCodes

_STEPS = 2_000_000
"""Maximum steps per decision. Listing very many options takes more, but Python tests the recorded option alone."""
_SEATINGS = 64
"""Maximum number of seatings with memoised codes."""


class _Table:
    """State shared by the logs of a table.

    Attributes:
        coder: the encoder of lines; None before the first log.
        codes: seat names → codes.
        is_slow: whether the module takes longer than Python, or decision names are ambiguous.
    """

    def __init__(self, *_: object) -> None:
        self.coder: Coder | None = None
        self.codes: dict[tuple[str, ...], SeatCodes] = {}
        self.is_slow = False

    def of(self, game: Game) -> SeatCodes:
        """The codes for logs that have the same seats as a game.

        Raises:
            ValueError: if several decisions have the same name.
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
    """Plays a whole log into a new game and returns its decisions; if this is not possible, leaves the game unchanged
    and returns None.

    This requires wasm, and a log that contains only decisions, without undos, salts, an early end line or malformed
    lines.
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
