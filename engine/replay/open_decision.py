"""The open decision of a game under other rules, compared with recorded ones."""

from __future__ import annotations

from collections.abc import Sequence, Set

from msgspec.structs import replace

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option, Refusal, RulesetFaultError, TakenBack
from rulespec.engine.logs.recorded import RecordedDecision, RecordedMove, apply_recorded


class OpenDecision:
    """The open decision of a game in progress.

    Args:
        game: the game.

    Attributes:
        decisions: the names of all decisions in the rules.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        decisions = game.omniscient.program.decisions
        self.decisions = {decision.name for decision in decisions}
        self._options = {choice.name for decision in decisions for choice in decision.choices}

    def as_asked(self, move: RecordedDecision) -> RecordedDecision:
        """A recorded decision; if these rules have its option but not its name, the name is removed, so that it matches
        any decision.
        """
        known = move.decision in self.decisions or move.option.partition("(")[0] not in self._options
        return move if known else replace(move, decision="")

    def is_for(self, recorded: RecordedDecision) -> bool:
        """Whether the open decision has the name and seat of a recorded one."""
        now = self._game.decision
        if now is None or now.name != (recorded.decision or now.name):
            return False
        if not recorded.decision and recorded.option.partition("(")[0] not in self.options():
            return False
        if recorded.by in (now.among or (now.by,)):
            return True
        try:
            return self._game.parse(recorded.option).interrupt
        except ValueError:
            return True

    def is_one_of(self, names: Set[str]) -> bool:
        """Whether the open decision has one of these names."""
        return not self.is_over() and (now := self._game.decision) is not None and now.name in names

    def options(self) -> set[str]:
        """The names of the options of the open decision."""
        return {kind.name for kind in self._game.omniscient.option_kinds}

    def is_legal(self, recorded: RecordedDecision) -> bool:
        """Whether the recorded option is legal now."""
        try:
            return self._game.is_legal(self._game.parse(recorded.option, recorded.by, recorded.decision))
        except (ValueError, RulesetFaultError):
            return False

    def is_over(self) -> bool:
        """Whether the game is over."""
        try:
            return self._game.is_over
        except RulesetFaultError:  # `apply_recorded` reports it
            return False

    def leads_to(self, option: Option, recorded: RecordedDecision) -> bool:
        """Whether the recorded decision is open after an option."""
        self._game.apply(option)
        try:
            return not self._game.is_over and self.is_for(recorded)
        finally:
            self._game.undo()

    def are_legal(self, moves: Sequence[RecordedMove]) -> bool:
        """Whether recorded decisions can be applied in order; they are undone afterwards."""
        before = self._game.ply
        for move in moves:
            if isinstance(move, TakenBack) or isinstance(apply_recorded(self._game, move), Refusal):
                break
        are_legal = self._game.ply == before + len(moves)
        while self._game.ply > before:
            self._game.undo()
        return are_legal

    def is_answered_by(self, move: RecordedMove) -> bool:
        """Whether a move answers its seat's open decision."""
        asked = self._game.decision
        if asked is None or isinstance(move, TakenBack):
            return False
        return (move.decision, move.by) == (asked.name, asked.by)
