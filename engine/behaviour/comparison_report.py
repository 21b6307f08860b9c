"""The report of a comparison: differences in behaviour by rule, each with its shortest game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from rulespec.engine.behaviour.attribution import Rule
from rulespec.engine.game.option import Option

Kind = Literal["start", "illegal", "legal", "effect", "odds", "points"]
WORDS: Mapping[Kind, str] = {
    "start": "begins differently",
    "illegal": "illegal now",
    "legal": "legal now",
    "effect": "does something else",
    "odds": "different odds",
    "points": "different points",
}


class Example(Struct, frozen=True):
    """A game that leads to a difference.

    Attributes:
        seats: the ids of the seats.
        settings: all settings.
        moves: the decisions that lead to the differing one.
        decision: the name of the differing decision.
        by: the seat that takes this decision; None if chance decides, or if no decision differs.
        option: the differing option; "" if no option differs.
        lines: the difference in words.
    """

    seats: tuple[str, ...]
    settings: Mapping[str, str]
    moves: tuple[Option, ...]
    decision: str
    by: str | None
    option: str
    lines: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The example as plain data; see play.schema.json."""
        return {
            "players": len(self.seats),
            "settings": dict(self.settings),
            "moves": [{"decision": m.decision, "by": m.by, "option": str(m)} for m in self.moves],
            "decision": self.decision,
            "by": self.by,
            "option": self.option,
            "differs": list(self.lines),
        }


class Group(Struct):
    """The differences of one kind that one rule causes.

    Attributes:
        rule: the rule.
        kind: the type of difference, such as `illegal` or `effect`.
        positions: the number of distinct positions that show such a difference.
        options: the names of the options, as `decision.option`.
        example: the shortest game found.
    """

    rule: Rule
    kind: Kind
    positions: int
    options: dict[str, None]
    example: Example

    def to_json(self) -> dict[str, Any]:
        """The group as plain data; see play.schema.json."""
        return {
            "rule": self.rule.to_json(),
            "kind": self.kind,
            "positions": self.positions,
            "options": list(self.options),
            "example": self.example.to_json(),
        }


class Comparison(Struct):
    """The result of a comparison.

    Attributes:
        positions: the number of distinct positions compared.
        at_least: whether there were too many positions to distinguish; all position counts are then lower bounds.
        decisions: the number of decisions taken in both games.
        games: the number of games, including recorded games.
        complete: the player counts for which every position reachable with default settings was compared, and none
            differs.
        groups: the differences, sorted by the number of positions.
        left_out: the parts that could not be compared.
        stopped: whether the time limit was reached first.
        same: whether the rules have the same meaning, in which case nothing was played.
    """

    positions: int = 0
    at_least: bool = False
    decisions: int = 0
    games: int = 0
    complete: list[int] = []
    groups: list[Group] = []
    left_out: list[str] = []
    stopped: bool = False
    same: bool = False

    def to_json(self) -> dict[str, Any]:
        """The comparison as plain data; see play.schema.json."""
        return {
            "positions": self.positions,
            "at_least": self.at_least,
            "decisions": self.decisions,
            "games": self.games,
            "complete": self.complete,
            "left_out": self.left_out,
            "stopped": self.stopped,
            "same": self.same,
            "groups": [group.to_json() for group in self.groups],
        }
