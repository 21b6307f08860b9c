"""Attribution: the rule that causes a difference in behaviour."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.behaviour.pair import Pair
from rulespec.engine.game.game import Game
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import Option, Refusal, RulesetFaultError
from rulespec.engine.why.position_reader import Answer
from rulespec.engine.why.why import Why
from rulespec.rule_ids import cited
from rulespec.typed import nodes as typed


class Rule(Struct, frozen=True):
    """A rule, with its name and place.

    Attributes:
        name: the kind and name of the rule, such as `procedure turn`; `set-up` for the start of the game.
        ids: the rule ids that its docstring or reason cites.
        place: the file and line; empty for the set-up.
    """

    name: str
    ids: tuple[str, ...] = ()
    place: str = ""

    def to_json(self) -> dict[str, Any]:
        """The rule as plain data; see play.schema.json."""
        return {"name": self.name, "ids": list(self.ids), "place": self.place}


SETUP = Rule("set-up")


class RuleIndex:
    """An index of a ruleset's rules by line.

    Args:
        ruleset: the ruleset.
    """

    def __init__(self, ruleset: typed.Ruleset) -> None:
        rules = ruleset.rules
        named: list[tuple[Span, str, str]] = [
            *((d.span, f"definition {d.name}", d.doc) for d in rules.definitions.values()),
            *((p.span, f"procedure {p.name}", p.doc) for p in rules.procedures.values()),
            *((g.span, f"guard {g.name}", g.doc) for g in rules.guards.values()),
        ]
        if rules.scoring is not None:
            named.append((rules.scoring.span, "scoring", rules.scoring.doc))
        self.scoring = next((self._rule(*each) for each in named if each[1] == "scoring"), Rule("scoring"))
        self._sources = ruleset.sources
        self._files: dict[str, list[tuple[int, Rule]]] = {}
        for span, name, doc in sorted(named, key=lambda each: each[0].line):
            self._files.setdefault(span.file, []).append((span.line, self._rule(span, name, doc)))

    @staticmethod
    def _rule(span: Span, name: str, doc: str) -> Rule:
        return Rule(name, cited(doc), f"{span.file}:{span.line}")

    def at(self, span: Span | None) -> Rule:
        """The rule that contains a place; a placeholder if there is none."""
        if span is None:
            return Rule("other rules")
        rules = self._files.get(span.file, [])
        at = bisect_right([line for line, _ in rules], span.line) - 1
        line, head = self._head(span)
        if at >= 0 and rules[at][0] >= line:
            return rules[at][1]
        return Rule(head, (), f"{span.file}:{span.line}")

    def _head(self, span: Span) -> tuple[int, str]:
        """The last unindented line up to a place, and its start, such as `options gifts`."""
        lines = self._sources.get(span.file, "").split("\n")[: span.line]
        for number, line in reversed(list(enumerate(lines, 1))):
            if line[:1].isalpha():
                return number, line.partition(":")[0].partition("(")[0]
        return 0, "facts"


class Attribution:
    """The rules behind the differences between two rulesets.

    Args:
        old: the old rules.
        new: the new rules.
    """

    def __init__(self, old: typed.Ruleset, new: typed.Ruleset) -> None:
        self.old, self.new = RuleIndex(old), RuleIndex(new)

    def of_refusal(self, game: Game, option: Option, *, now: bool) -> tuple[Rule, str]:
        """The rule that refuses an option in a game, and the reason; `now` is True if the game uses the new rules."""
        index = self.new if now else self.old
        refusal: Refusal | None
        try:
            refusal = game.why_not(option)
        except RulesetFaultError as fault:
            return index.at(fault.diagnostic.span), fault.diagnostic.message
        if refusal is None:
            return Rule("other rules"), ""
        rule = index.at(refusal.span)
        return Rule(rule.name, refusal.rules or rule.ids, rule.place), refusal.reason

    def of_option(self, game: Game, option: str, decision: str, *, now: bool) -> tuple[Rule, str]:
        """Like `of_refusal`, but for an option given as text, which may not exist in the game."""
        index = self.new if now else self.old
        try:
            return self.of_refusal(game, game.parse(option, None, decision), now=now)
        except ValueError as error:
            asked = game.omniscient.asked
            return index.at(asked.span if asked is not None else None), str(error)

    def of_effect(self, pair: Pair) -> Rule:
        """The rule with the first statement whose effect differs between two games that have just taken an option."""
        try:
            mine, theirs = (self._statements(game) for game in (pair.one, pair.other))
        except RulesetFaultError:
            return Rule("other rules")
        for at in range(max(len(mine), len(theirs))):
            one, other = (each[at] if at < len(each) else None for each in (mine, theirs))
            if one is None or other is None or _form(one) != _form(other):
                return self._differing(one, other, [_form(each) for each in mine[at:]])
        return self._by_question(pair)

    def _differing(self, one: Answer | None, other: Answer | None, rest: list[object]) -> Rule:
        """The rule of the first differing statement: the new one, unless it merely comes earlier."""
        if other is None or (one is not None and _form(other) in rest):
            assert one is not None
            return self.old.at(one.span)
        return self.new.at(other.span)

    @staticmethod
    def _statements(game: Game) -> list[Answer]:
        return [each for each in Why(game, OMNISCIENT).effects().answers if each.span is not None]

    def _by_question(self, pair: Pair) -> Rule:
        """The new rule that asks the open question, or that ended the game."""
        asked = pair.other.omniscient.asked
        if asked is not None:
            return self.new.at(asked.span)
        try:
            ends = Why(pair.other, OMNISCIENT).end().answers
        except RulesetFaultError:
            ends = []
        span = next((each.span for each in ends if each.question == "statement"), None)
        return self.new.at(span) if span is not None else self.new.scoring


def _form(answer: Answer) -> object:
    """A statement with its changes, in a form comparable between both games."""
    return answer.subject, [(change.name, change.before, change.after) for change in answer.changes]
