"""Recorded names and decisions in the words of other rules."""

from __future__ import annotations

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.engine.logs.recorded import RecordedDecision


class Translation:
    """The names of other rules for what is recorded: those of today for former ones that they do not know any more.

    Args:
        record: the recorded game.
        game: a game of the other rules.
    """

    def __init__(self, record: Game, game: Game) -> None:
        program, known = game.omniscient.program, game.omniscient.labels.names
        self._was = game.ruleset.declarations.was
        self._decisions = {decision.name for decision in program.decisions}
        self._options = {(d.name, choice.name): choice for d in program.decisions for choice in d.choices}
        self.entities = {old: new for (kind, old), new in self._was.entities.items() if old not in known.get(kind, ())}
        """Former name → name of today."""

    def decision(self, option: Option) -> RecordedDecision:
        """A recorded decision as the other rules write it: with their names, and its arguments in their order."""
        decision, name = option.decision, option.name
        if decision not in self._decisions:
            decision = self._was.decisions.get(decision, decision)
        if (decision, name) not in self._options:
            name = self._was.options.get((decision, name), name)
        arguments = {param: self._renamed(value) for param, value in option.arguments.items()}
        choice = self._options.get((decision, name))
        order = [param.name for param in choice.params] if choice is not None else []
        if len(order) == len(arguments) and set(order) == set(arguments):
            arguments = {name: arguments[name] for name in order}
        shown = ", ".join(arguments.values())
        return RecordedDecision(decision, option.by, f"{name}({shown})" if shown else name)

    def _renamed(self, value: str) -> str:
        """An argument: the name of an entity, or a set or an order of them."""
        if not self.entities:
            return value
        if value[:1] in "{[":
            names = value[1:-1].split(", ")
            return value[0] + ", ".join(self.entities.get(name, name) for name in names) + value[-1]
        return self.entities.get(value, value)
