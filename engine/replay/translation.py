"""Translation of recorded names and decisions into those of other rules."""

from __future__ import annotations

from itertools import product

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.engine.logs.recorded import RecordedDecision


class Translation:
    """A translation from the names in a record to those of other rules, which declare former names.

    Args:
        record: the recorded game.
        game: a game of the other rules.
    """

    def __init__(self, record: Game, game: Game) -> None:
        program = game.omniscient.program
        self._was = game.ruleset.declarations.was
        self._decisions = {decision.name for decision in program.decisions}
        self._options = {(d.name, choice.name): choice for d in program.decisions for choice in d.choices}
        self.new = self._decisions - {self.question(decision.name) for decision in record.omniscient.program.decisions}
        """The decisions that only the other rules have, by name."""
        kinds = record.ruleset.declarations.kinds if self._was.entities else ()
        pairs = (pair for kind in kinds for pair in _pairs(record, game, kind))
        self.entities = {old: new for old, new in pairs if old != new}
        """Former name → current name of an entity, or of an entity of a product that contains it."""

    def decision(self, option: Option) -> RecordedDecision:
        """A recorded decision with the names and the order of arguments of the other rules."""
        decision, name = self.question(option.decision), option.name
        if (decision, name) not in self._options:
            name = self._was.options.get((decision, name), name)
        arguments = {param: self._renamed(value) for param, value in option.arguments.items()}
        choice = self._options.get((decision, name))
        order = [param.name for param in choice.params] if choice is not None else []
        if len(order) == len(arguments) and set(order) == set(arguments):
            arguments = {name: arguments[name] for name in order}
        shown = ", ".join(arguments.values())
        return RecordedDecision(decision, option.by, f"{name}({shown})" if shown else name)

    def question(self, decision: str) -> str:
        """The current name of a recorded decision."""
        return decision if decision in self._decisions else self._was.decisions.get(decision, decision)

    def _renamed(self, value: str) -> str:
        """A translated argument: the name of an entity, or a set or order of names."""
        if not self.entities:
            return value
        if value[:1] in "{[":
            names = value[1:-1].split(", ")
            return value[0] + ", ".join(self.entities.get(name, name) for name in names) + value[-1]
        return self.entities.get(value, value)


def _pairs(record: Game, game: Game, kind: str) -> list[tuple[str, str]]:
    """Pairs of recorded and current names of a kind's entities, composed for products."""
    was, parts = game.ruleset.declarations.was.entities, record.ruleset.declarations.kinds[kind].product
    if parts:
        every = product(*(_pairs(record, game, part) for part in parts))
        return [("_".join(old for old, _ in pairs), "_".join(new for _, new in pairs)) for pairs in every]
    known = set(game.omniscient.labels.names.get(kind, ()))
    names = record.omniscient.labels.names[kind]
    return [(old, old if old in known else was.get((kind, old), old)) for old in names]
