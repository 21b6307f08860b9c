"""A game in a file, played by the holder of one seat: each call reads what others have added, and appends its own."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from rulespec.bundles.rules import own_bundle
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.engine.logs.native import LogHeader, NativeLog
from rulespec.engine.logs.saved_game import SavedGame, SaveError
from rulespec.engine.program.draws import Draws
from rulespec.engine.replay.replay import named_ruleset, replay_native
from rulespec.engine.simulate.checked_playouts import CAP, choose
from rulespec.engine.table.played_game import PlayedGame
from rulespec.errors import RulespecError
from rulespec.guests.tools import ToolError
from rulespec.serve.past_process import KeptGame, PastDecision
from rulespec.typed import nodes as typed

_T = TypeVar("_T")
_TRIES = 40
"""The maximum number of attempts to open a file locked by another seat."""


class SeatedGame:
    """A game in a file.

    The file is open and locked only during a call, so that several seats can play the same file from separate programs.
    The game is cached for the next call. After each decision, chance is drawn from the system's random numbers.

    Args:
        path: the file of the game.
        start: the function that returns a new game if the file is missing; None if the file must exist.
        wait: the callback before each retry while another program has the file open.
    """

    def __init__(self, path: Path, start: Callable[[], Game] | None, wait: Callable[[], None]) -> None:
        self.path, self._start, self._wait = path, start, wait
        self._ruleset: typed.Ruleset | None = None
        self._memory: tuple[LogHeader, KeptGame] | None = None

    def look(self, ask: Callable[[Game], _T]) -> _T:
        """The result of calling `ask` with the current game.

        Raises:
            SaveError: if the file cannot be opened.
            ToolError: if the file does not contain a playable game.
        """
        return self._opened(lambda game: ask(game.game))

    def header(self) -> LogHeader | None:
        """The first line of the file; None if there is no game yet.

        Raises:
            SaveError, ToolError: as in `look`.
        """
        if not self.path.exists():
            return None
        with self._open() as saved:
            return None if saved.log is None else saved.log.header

    def take(self, chosen: Callable[[Game], Option]) -> None:
        """Plays a decision, and saves it with the chance events that follow.

        Args:
            chosen: the function that returns a legal option of the game, or raises.

        Raises:
            SaveError, ToolError: as in `look`; the file is then unchanged.
        """

        def taken(played: PlayedGame) -> None:
            played.take(chosen(played.game))

        self._opened(taken)

    def _opened(self, act: Callable[[PlayedGame], _T]) -> _T:
        with self._open() as saved:
            played = PlayedGame(self._game(saved))
            _draw(played)
            result = act(played)
            _draw(played)
            if moves := played.confirm():
                saved.add(*moves)
            if played.game.is_over:
                saved.leave(played.game)
            return result

    def _open(self) -> SavedGame:
        try:
            return self._unlocked()
        except DiagnosticsError:  # the message would quote others' lines
            raise ToolError("the file is not a playable game") from None

    def _unlocked(self) -> SavedGame:
        """The file, once no other program has it open."""
        if self._start is None and not self.path.exists():
            raise ToolError("the file of the game no longer exists")
        for _ in range(_TRIES):
            with suppress(SaveError):
                return SavedGame(self.path, secret=True, lenient=True)
            self._wait()
        return SavedGame(self.path, secret=True, lenient=True)

    def _game(self, saved: SavedGame) -> Game:
        if saved.log is None:
            if self._start is None:
                raise ToolError("there is no game in the file")
            game = self._start()
            saved.begin(LogHeader.of(game, bundle=own_bundle(game.ruleset)), secret=True)
            return game
        header, decisions = saved.log.header, [PastDecision(e.option, e.by, e.salt) for e in saved.log.entries]
        plain = saved.log.unread is None and all(entry.back is None for entry in saved.log.entries)
        if plain and self._memory is not None and self._memory[0] == header:
            with suppress(RulespecError, ValueError):  # illegal entries are found below
                return self._memory[1].follow(decisions)
        game = self._replayed(saved.log)
        self._memory = (header, KeptGame(game, decisions)) if plain else None
        return game

    def _replayed(self, log: NativeLog) -> Game:
        """The game in a file, replayed from its start."""
        if self._ruleset is None:
            self._ruleset = named_ruleset(log)
        result = replay_native(log, self._ruleset, backend="python")
        if result.divergence is not None:
            raise ToolError("the game in the file breaks a rule")  # the message must not quote others' choices
        return result.game


def _draw(played: PlayedGame) -> None:
    """Draws from chance until a seat must decide, or the game is over."""
    game, draws = played.game, Draws(secrets.randbits(63))
    for _ in range(CAP):
        decision = game.decision
        if decision is None or decision.by is not None:
            return
        option = choose(game, draws, interrupt_rate=0)
        if option is None:
            raise ToolError("nothing is legal at a decision of chance: the rules are at fault")
        played.take(option)
    raise ToolError(f"chance has decided {CAP:,} times without a decision for a seat")
