"""Recorded decisions in the words of other rules."""

from __future__ import annotations

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.engine.logs.recorded import RecordedDecision


class Translation:
    """The names of other rules for what is recorded.

    Args:
        game: a game of the other rules.
    """

    def __init__(self, game: Game) -> None:
        self._params = {
            (decision.name, choice.name): [param.name for param in choice.params]
            for decision in game.omniscient.program.decisions
            for choice in decision.choices
        }

    def decision(self, option: Option) -> RecordedDecision:
        """A recorded decision as the other rules write it: with its arguments in their order."""
        arguments = option.arguments
        order = self._params.get((option.decision, option.name), [])
        if len(order) == len(arguments) and set(order) == set(arguments):
            arguments = {name: arguments[name] for name in order}
        shown = ", ".join(arguments.values())
        return RecordedDecision(option.decision, option.by, f"{option.name}({shown})" if shown else option.name)
