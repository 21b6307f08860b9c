"""Check of recorded situations: restores each one under the current rules and compares the behaviour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.behaviour.attribution import SETUP, Rule, RuleIndex
from rulespec.engine.behaviour.situations import Plain, RecordedSituation, ended, options_of
from rulespec.engine.behaviour.walks import Effort
from rulespec.engine.game.game import Game
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.seating import seat_names
from rulespec.engine.replay.correspondence import declared_cells, number_of
from rulespec.engine.why.why import Why
from rulespec.typed import nodes as typed

_SHOWN = 4
"""The number of fields and options named in a difference."""
MAX_CELLS = 4_000_000
"""The maximum number of fields in stored positions, a bound on memory; beyond it, positions are not stored, and
situations that continue from them are not reached.
"""
SECONDS = 120.0
"""The limit of CPU time for a check, in seconds; recording takes at most 45 seconds."""
MAX_LINKED = 400
"""The maximum number of decisions in the game of a situation."""


class Altered(Struct, frozen=True):
    """A situation in which the behaviour has changed.

    Attributes:
        number: the number of the situation.
        kind: `illegal` if the option that led there is now illegal, `effect` if that option has a different effect,
            `options` if the options at the situation differ.
        rule: the rule that causes the difference.
        lines: the difference in words.
    """

    number: int
    kind: str
    rule: Rule
    lines: tuple[str, ...]


class SituationCheck(Struct, frozen=True):
    """The result of a check.

    Attributes:
        situations: the recorded situations.
        altered: the situations in which the behaviour has changed.
        unreached: the number of situations that cannot be reached, because they follow an unreachable one or their
            table cannot start.
        late: the number of situations not yet checked when time ran out.
    """

    situations: Sequence[RecordedSituation]
    altered: tuple[Altered, ...]
    unreached: int
    late: int = 0

    @property
    def is_clean(self) -> bool:
        """Whether all situations are unchanged."""
        return not (self.altered or self.unreached or self.late)

    def groups(self) -> list[list[Altered]]:
        """The altered situations, grouped by rule and kind: the largest group first and, within a group, the shortest
        game first.
        """
        results: dict[tuple[Rule, str], list[Altered]] = {}
        for each in self.altered:
            results.setdefault((each.rule, each.kind), []).append(each)
        for group in results.values():
            group.sort(key=lambda each: len(self.game(each.number)))
        return sorted(results.values(), key=lambda group: -len(group))

    def game(self, number: int) -> list[str]:
        """The decisions that lead to a situation, as texts."""
        results: list[str] = []
        while (situation := self.situations[number]).after >= 0 and len(results) < MAX_LINKED:
            results.append(f"{situation.seat or 'chance'}: {situation.take}")
            number = situation.after
        return results[::-1]

    def to_json(self) -> dict[str, Any]:
        """The result as plain data; see test.schema.json."""
        return {
            "recorded": len(self.situations),
            "altered": len(self.altered),
            "unreached": self.unreached,
            "late": self.late,
            "groups": [
                {
                    "rule": group[0].rule.to_json(),
                    "kind": group[0].kind,
                    "situations": len(group),
                    "game": self.game(group[0].number),
                    "differs": list(group[0].lines),
                }
                for group in self.groups()
            ],
        }


def check(
    ruleset: typed.Ruleset, situations: Sequence[RecordedSituation], seconds: float | None = SECONDS
) -> SituationCheck:
    """Compares recorded situations with the current rules.

    Args:
        ruleset: the current rules.
        situations: the recorded situations.
        seconds: the maximum CPU time; None means unlimited. The step limit bounds each situation.
    """
    return _Check(ruleset, situations).run(Effort(len(situations) + 1, seconds))


class _Place:
    """A game in the recorded state of a situation.

    Attributes:
        game: the game.
        cells: for each recorded field, its cell; None if the current rules have no such field.
        values: for each recorded field, the recorded number; None if the current rules have no such value.
    """

    def __init__(self, game: Game, cells: list[int | None], values: list[int | None]) -> None:
        self.game, self.cells, self.values = game, cells, values

    def copy(self) -> _Place:
        """An independent copy."""
        return _Place(self.game.copy(), self.cells, list(self.values))

    def set(self, changed: Sequence[tuple[int, Plain]]) -> None:
        """Changes some of the recorded values, each given with the number of its field."""
        labels, cells = self.game.omniscient.labels, self.game.omniscient.program.cells
        for at, value in changed:
            if 0 <= at < len(self.cells) and (cell := self.cells[at]) is not None:
                self.values[at] = number_of(labels, cells[cell].type, value)

    def differing(self) -> dict[int, int | None]:
        """The cells whose numbers differ from the recorded ones: cell → recorded number."""
        state = self.game.omniscient.numbers.state
        pairs = zip(self.cells, self.values, strict=True)
        return {cell: value for cell, value in pairs if cell is not None and state[cell] != value}

    def align(self, differing: Mapping[int, int | None]) -> bool:
        """Writes the recorded numbers into the game; False if any has no counterpart."""
        numbers = {cell: value for cell, value in differing.items() if value is not None}
        if len(numbers) < len(differing):
            return False
        if numbers:
            self.game.omniscient.put(numbers)
        return True


class _Check:
    """The state of a check: the places to which later situations return."""

    def __init__(self, ruleset: typed.Ruleset, situations: Sequence[RecordedSituation]) -> None:
        self.ruleset, self.situations = ruleset, situations
        self.index = RuleIndex(ruleset)
        self.former = _Former(ruleset)
        self.altered: list[Altered] = []
        self._left = Counter(s.after for n, s in enumerate(situations) if s.after not in (-1, n - 1))
        self._places: dict[int, _Place] = {}
        self._rules: dict[tuple[str, ...], Rule] = {}

    def run(self, effort: Effort) -> SituationCheck:
        """Checks all situations in order, until time runs out."""
        unreached, last = 0, None
        for number, situation in enumerate(self.situations):
            if not effort.is_left():
                return SituationCheck(self.situations, tuple(self.altered), unreached, len(self.situations) - number)
            effort.spend()
            if situation.after < 0:
                place = self._start(situation)
            else:
                before = last if situation.after == number - 1 else self._back_to(situation.after)
                place = None if before is None else self._after(number, situation, before)
                unreached += before is None
            unreached += situation.after < 0 and place is None
            if place is not None and not self._stands(number, situation, place):
                place = None
            if place is not None and self._left[number] and self._has_room(place):
                self._places[number] = place.copy()
            last = place
        return SituationCheck(self.situations, tuple(self.altered), unreached)

    def _has_room(self, place: _Place) -> bool:
        """Whether there is room for another place."""
        return (len(self._places) + 1) * max(1, len(place.cells)) <= MAX_CELLS

    def _back_to(self, number: int) -> _Place | None:
        """The place of an earlier situation; its last user removes it."""
        self._left[number] -= 1
        if number not in self._places:
            return None
        return self._places[number].copy() if self._left[number] else self._places.pop(number)

    def _start(self, situation: RecordedSituation) -> _Place | None:
        """A game at the start of a table; None if the current rules have no such table."""
        names = self.former.settings(situation.settings)
        try:
            game = Game(self.ruleset, seat_names(situation.players, self.ruleset.seats), names)
            game.omniscient.numbers.begin()
        except (DiagnosticsError, RulesetFaultError):
            return None
        known = declared_cells(game)
        cells = [known.get(self.former.cell(name)) for name in situation.cells]
        place = _Place(game, cells, [None] * len(cells))
        place.set([(at, self.former.value(value)) for at, value in enumerate(situation.state)])
        return place

    def _after(self, number: int, situation: RecordedSituation, before: _Place) -> _Place | None:
        """The place after the recorded option; None, and recorded, if the option is now illegal."""
        place, asked = before, before.game.omniscient.asked
        text = self.former.option(self.situations[situation.after].asked, situation.take)
        try:
            option = place.game.parse(text, situation.seat)
            if (refusal := place.game.why_not(option)) is not None:
                rule = self.index.at(refusal.span)
                rule = Rule(rule.name, refusal.rules or rule.ids, rule.place)
                self._note(number, "illegal", rule, (refusal.reason,))
                return None
            place.game.apply(option)
        except ValueError as error:
            self._note(number, "illegal", self.index.at(asked.span if asked is not None else None), (str(error),))
            return None
        except RulesetFaultError as fault:
            wrong = fault.diagnostic
            self._note(number, "effect", self.index.at(wrong.span), (f"the rules are at fault: {wrong.message}",))
            return None
        place.set([(at, self.former.value(value)) for at, value in situation.set])
        return place

    def _stands(self, number: int, situation: RecordedSituation, place: _Place) -> bool:
        """Whether the game is in the situation, or can be put into it; records differences."""
        try:
            lines, rule = self._effect(situation, place)
            is_there = place.align(place.differing())
            if not lines and is_there:
                lines = self._options(situation, place.game)
                if lines:
                    self._note(number, "options", self._asking(place.game), lines)
            elif lines:
                self._note(number, "effect", rule, lines)
        except RulesetFaultError as fault:
            self._note(number, "effect", self.index.at(fault.diagnostic.span), (fault.diagnostic.message,))
            return False
        return is_there and self._question(situation, place.game) == ""

    def _effect(self, situation: RecordedSituation, place: _Place) -> tuple[tuple[str, ...], Rule]:
        """The difference between a game and the recorded state, question and end, and its rule."""
        game, differing = place.game, place.differing()
        labels, state = game.omniscient.labels, game.omniscient.numbers.state
        types, names = game.omniscient.program.cells, {cell: name for name, cell in declared_cells(game).items()}
        lines = []
        for cell, value in list(differing.items())[:_SHOWN] if differing else ():
            was = "a value that is unknown now" if value is None else labels.show(types[cell].type, value)
            lines.append(f"`{_shown(names[cell])}` was {was}; now {labels.show(types[cell].type, state[cell])}")
        if len(differing) > _SHOWN:
            lines.append(f"and {len(differing) - _SHOWN} more fields")
        lines += [each for each in (self._question(situation, game),) if each]
        if not lines:
            return (), Rule("")
        if not game.ply:
            return tuple(lines), SETUP
        option = game.history[-1]
        key = (option.decision, option.name, *sorted({names[cell][2] for cell in differing}))
        if key not in self._rules:
            self._rules[key] = self._of_effect(game, differing)
        return tuple(lines), self._rules[key]

    def _question(self, situation: RecordedSituation, game: Game) -> str:
        """The difference between the open decisions, or between the ends; "" if there is none."""
        decision, end = game.decision, ended(game)
        now = (decision.name, decision.by) if decision is not None else ("", None)
        if now != (self.former.decision(situation.asked), situation.by):
            was, of = situation.asked, situation.by or "chance"
            head = f"`{was}` was asked of {of}" if was else "the game ended"
            there = f"`{now[0]}` of {now[1] or 'chance'}" if decision is not None else f"the game ends: {end[0]}"
            return f"{head}; now {there}"
        return "" if end == situation.ended else f"the end was {situation.ended}; now {end}"

    def _options(self, situation: RecordedSituation, game: Game) -> tuple[str, ...]:
        """The difference between the options of a situation; empty if there is none."""
        now = options_of(game)
        if situation.more or now.digest:
            return () if now.digest == situation.more else (f"there were {situation.more}; now {now.digest}",)
        recorded = {self.former.option(situation.asked, text) for text in situation.options}
        less, more = sorted(recorded - set(now.texts)), sorted(set(now.texts) - recorded)
        parts = ((less, "illegal now"), (more, "legal now"))
        return tuple(f"{', '.join(texts[:_SHOWN])}{_more(texts)}: {word}" for texts, word in parts if texts)

    def _asking(self, game: Game) -> Rule:
        asked = game.omniscient.asked
        return self.index.at(asked.span) if asked is not None else self.index.scoring

    def _of_effect(self, game: Game, differing: Mapping[int, Any]) -> Rule:
        """The rule of the statement that set a field differently, or the rule of the open decision."""
        for each in Why(game, OMNISCIENT).effects().answers:
            if each.span is not None and any(change.cell in differing for change in each.changes):
                return self.index.at(each.span)
        return self._asking(game)

    def _note(self, number: int, kind: str, rule: Rule, lines: tuple[str, ...]) -> None:
        self.altered.append(Altered(number, kind, rule, lines))


class _Former:
    """A mapping from recorded names to current ones, by the `was:` of a ruleset.

    Args:
        ruleset: the ruleset.
    """

    def __init__(self, ruleset: typed.Ruleset) -> None:
        was = ruleset.declarations.was
        self._was = was
        self._entities = {former: name for (_, former), name in was.entities.items()}

    def decision(self, name: str) -> str:
        """The current name of a decision."""
        return self._was.decisions.get(name, name)

    def settings(self, settings: Mapping[str, str]) -> dict[str, str]:
        """Settings with current names."""
        return {self._was.settings.get(name, name): value for name, value in settings.items()}

    def option(self, decision: str, text: str) -> str:
        """The text of an option with arguments, with current names."""
        name, bracket, rest = text.partition("(")
        name = self._was.options.get((self.decision(decision), name), name)
        if not bracket or not self._entities:
            return name + bracket + rest
        arguments = rest.removesuffix(")").split(", ")
        return f"{name}({', '.join(str(self.value(each)) for each in arguments)})"

    def cell(self, name: Sequence[str]) -> tuple[str, ...]:
        """The current name of a field."""
        if not self._entities:
            return tuple(name)
        owner = ".".join(self._entities.get(each, each) for each in name[1].split("."))
        return name[0], owner, *(self._entities.get(each, each) for each in name[2:])

    def value(self, value: Plain) -> Plain:
        """The current form of a field's value, or of an argument."""
        if isinstance(value, list):
            return [self._entities.get(each, each) for each in value]
        return self._entities.get(value, value) if isinstance(value, str) else value


def _shown(name: Sequence[str]) -> str:
    """The name of a field for people."""
    group, owner, field, place, index = name
    if group == "pieces":
        return f"{field}.{owner}.{place}{f'[{index}]' if index else ''}"
    return field if group == "game" else f"{group}.{owner}.{field}"


def _more(texts: Sequence[str]) -> str:
    return f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
