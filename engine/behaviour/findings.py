"""Findings of a comparison: differences at positions, their rules, and the shortest game for each rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from rulespec.engine.behaviour.attribution import SETUP, Attribution, Rule
from rulespec.engine.behaviour.comparison_report import Example, Group, Kind
from rulespec.engine.behaviour.pair import Listed, OptionEffect, Pair
from rulespec.engine.behaviour.walks import Distinct
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option

MAX_SORTS = 400
"""The maximum number of groups of similar differences that are attributed to rules; further groups are ignored."""


class PlayDifference(Struct, frozen=True):
    """A difference at a position.

    Attributes:
        kind: the type of difference, such as `illegal` or `effect`.
        decision: the name of the decision; "" if none is open.
        name: the name of the option; "" if none differs.
        sort: the sort of the effect; see `OptionEffect.sort`.
        option: the option; None if none differs.
        effect: the difference after the option; None if the option is illegal in one of the games.
    """

    kind: Kind
    decision: str = ""
    name: str = ""
    sort: tuple[str, ...] = ()
    option: Option | None = None
    effect: OptionEffect | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """The key of the difference; only one of the differences with equal keys needs to be investigated."""
        return self.kind, self.decision, self.name, *self.sort


def of_options(listed: Listed) -> Iterator[PlayDifference]:
    """The differences between the options at a position, one per name."""
    kinds: tuple[tuple[Kind, Sequence[Option]], ...] = (("illegal", listed.illegal), ("legal", listed.legal))
    for kind, options in kinds:
        for option in {(o.decision, o.name): o for o in reversed(options)}.values():
            yield PlayDifference(kind, option.decision, option.name, (), option)
    if listed.odds:
        yield PlayDifference("odds", listed.both[0][0].decision)


def of_effect(option: Option, effect: OptionEffect) -> PlayDifference:
    """The difference after an option."""
    return PlayDifference("effect", option.decision, option.name, effect.sort, option, effect)


class Findings:
    """The differences found by a comparison, grouped by rule.

    Args:
        attribution: the attribution of differences to rules.
    """

    def __init__(self, attribution: Attribution) -> None:
        self._attribution = attribution
        self._rules: dict[tuple[str, ...], Rule] = {}
        self._shortest: dict[tuple[Rule, Kind], PlayDifference] = {}
        self.groups: dict[tuple[Rule, Kind], Group] = {}
        self.positions = Distinct()
        """The distinct positions of groups."""

    def note(self, pair: Pair, difference: PlayDifference, position: int) -> None:
        """Records a difference.

        Args:
            pair: the two games, after the option if both have taken it.
            difference: the difference.
            position: the position before the option.
        """
        if difference.key not in self._rules and len(self._rules) >= MAX_SORTS:
            return
        taken = difference.kind == "effect" and difference.effect is not None and difference.effect.stands
        length = pair.one.ply - taken
        rule = self._rules.get(difference.key)
        group = self.groups.get((rule, difference.kind)) if rule is not None else None
        if group is None or length < len(group.example.moves):
            of, lines = self._looked_into(pair, difference)
            rule = self._rules.setdefault(difference.key, of)
            example = _example(pair, length, difference, lines)
            group = self.groups.setdefault((rule, difference.kind), Group(rule, difference.kind, 0, {}, example))
            if length <= len(group.example.moves):
                group.example = example
                self._shortest[rule, difference.kind] = difference
        group.positions += self.positions.is_new(group.rule.name, group.rule.place, group.kind, position)
        if difference.name:
            group.options[f"{difference.decision}.{difference.name}"] = None

    def note_start(self, game: Game, line: str) -> None:
        """Records that a game starts under the old rules, but not under the new ones."""
        example = Example(game.seats, dict(game.settings), (), "", None, "", (line,))
        place: tuple[Rule, Kind] = (SETUP, "start")
        group = self.groups.setdefault(place, Group(SETUP, "start", 0, {}, example))
        group.positions += self.positions.is_new("start", *game.seats, *game.settings.values())
        self._shortest.setdefault(place, PlayDifference("start"))

    def shortest(self, group: Group) -> PlayDifference:
        """The difference at the end of a group's example, the shortest game found so far."""
        return self._shortest[group.rule, group.kind]

    def shorter(self, group: Group, pair: Pair, difference: PlayDifference) -> None:
        """Replaces a group's example with a shorter game, which shows the same sort of difference at the pair's
        position.
        """
        taken = difference.kind == "effect" and difference.effect is not None and difference.effect.stands
        _, lines = self._looked_into(pair, difference)
        group.example = _example(pair, pair.one.ply - taken, difference, lines)

    def _looked_into(self, pair: Pair, difference: PlayDifference) -> tuple[Rule, tuple[str, ...]]:
        """The rule of a difference, and its lines for people."""
        attribution, option, effect = self._attribution, difference.option, difference.effect
        asked = pair.other.omniscient.asked
        place = attribution.new.at(asked.span if asked is not None else None)
        if difference.kind == "start" and effect is not None:
            return SETUP, effect.lines
        if difference.kind == "points" and effect is not None:
            return attribution.new.scoring, effect.lines
        if difference.kind == "odds" or option is None:
            return place, (f"`{difference.decision}` has different odds",)
        if effect is not None:
            fault = attribution.new.at(effect.span) if effect.span is not None else place
            return attribution.of_effect(pair) if effect.stands else fault, effect.lines
        if difference.kind == "illegal":
            there = pair.translation.decision(option)
            rule, reason = attribution.of_option(pair.other, there.option, there.decision, now=True)
        else:
            rule, reason = attribution.of_option(pair.one, str(option), option.decision, now=False)
        return rule, (reason,) if reason else ()


def _example(pair: Pair, length: int, difference: PlayDifference, lines: tuple[str, ...]) -> Example:
    game, option = pair.one, difference.option
    by, text = (option.by, str(option)) if option is not None else (None, "")
    moves = tuple(game.history[:length])
    return Example(game.seats, dict(game.settings), moves, difference.decision, by, text, lines)
