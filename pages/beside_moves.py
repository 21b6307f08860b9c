"""Texts beside the moves of a game: a log's notes, and the rules cited by each option and by the procedures that it
runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span, escaped
from rulespec.engine.coverage.items import CoverageItem, Items, Kind
from rulespec.engine.game.game import Game
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import Option
from rulespec.engine.logs.notes import Notes, SeenNotes, note_texts
from rulespec.engine.logs.seat_log import seen_notes
from rulespec.engine.program import ir
from rulespec.engine.program.execution import Observer
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.replay.replay import ReplayResult
from rulespec.engine.why.answer_output import overlay_titles
from rulespec.engine.words.move_records import Record
from rulespec.typed import nodes as typed


class MoveNotes:
    """The notes of a replayed log that the reader may see; a foreign log has none.

    Args:
        result: the replay.
        seat: the reader (None for everybody); `OMNISCIENT` sees everything.
        visible: the indices of the page's moves among all moves.
    """

    def __init__(self, result: ReplayResult, seat: str | None, visible: Sequence[int]) -> None:
        notes = seen_notes(result.native, None if seat == OMNISCIENT else seat, seat != OMNISCIENT)
        self._names = result.game.shown_names
        self.header = self._texts(notes.header)
        moves = set(result.places)
        lines = [result.places[number] for number in visible] if result.native is not None else []
        self._of_moves = [
            [*self._before(notes, first, line, moves), *self._texts(notes.of(line))]
            for first, line in zip([1, *lines], lines, strict=False)
        ]
        if lines and result.native is not None and result.divergence is None:
            self._of_moves[-1] += self._before(notes, lines[-1], result.native.text.count("\n") + 2, moves)

    def of(self, number: int) -> list[str]:
        """The remarks on a move, given the move's number on the page, from 0."""
        return self._of_moves[number] if self._of_moves else []

    def _before(self, notes: SeenNotes, first: int, line: int, moves: set[int]) -> list[str]:
        """The remarks between one move and the next."""
        return [text for remark in notes.between(first, line, moves) for text in self._texts(remark)]

    def _texts(self, notes: Notes) -> list[str]:
        return list(map(escaped, note_texts(notes, self._names)))


_OWN: tuple[Kind, ...] = ("option", "range", "require")
"""The kinds of an option's parts, in the order of their rules."""


Cited = tuple[str, str]
"""The id of a rule, or the text of an overlay's rule without an id; and the overlay's title, or ""."""


class MoveRules(Struct, frozen=True):
    """The rules of a move: those of its option, and those of the procedures that it ran."""

    own: tuple[Cited, ...] = ()
    ran: tuple[Cited, ...] = ()


class RulesOfMoves:
    """The rules behind a game's moves, derived from their records.

    Args:
        game: any game of the table.
    """

    def __init__(self, game: Game) -> None:
        self._ruleset = game.ruleset
        self._program = game.omniscient.program
        self._items = Items(game.ruleset)
        self._conditions = {**self._items.conditions, **self._items.ranges}
        self._titles = overlay_titles(game.ruleset)
        self._names = {first: name for name, (first, _) in self._program.entries.items()}
        self._choices = {c.block: c for d in self._program.decisions for c in d.choices}
        self._cited: dict[CoverageItem, list[Cited]] = {}

    def of(self, option: Option, record: Record) -> MoveRules:
        """The rules of a move."""
        points = self._tested(option.kind.block)
        if any(mark.kind == "skips" for mark in record.marks):
            points += self._listed(option, record)
        own = self._rules(sorted(points, key=lambda item: _OWN.index(item.kind)))
        begun = [self._names[mark.block] for mark in record.marks if mark.kind == "enters"]
        ran = self._rules([self._items.procedures[name] for name in dict.fromkeys(begun)])
        return MoveRules(own, tuple([rule for rule in ran if rule not in own]))

    def _tested(self, block: int) -> list[CoverageItem]:
        """The items of a chosen option; all its conditions have held. A draw of a shuffle has none."""
        choice = self._choices[block]
        if choice.span in self._items.draws:
            return []
        spans = [param.span if param.where is None else param.where.span for param in choice.params]
        spans += [condition.span for condition in choice.requires]
        items = [self._conditions[span] for span in spans if span in self._conditions]
        return [self._items.options[choice.span], *items]

    def _listed(self, option: Option, record: Record) -> list[CoverageItem]:
        """The items that held while a move searched further decisions for legal options, and found none."""
        listed = _Held(self._conditions)
        Interpreter(self._program, observer=listed).run(list(record.cells), option.kind.block, option.args)
        return listed.items

    def _rules(self, items: Iterable[CoverageItem]) -> tuple[Cited, ...]:
        rules: dict[Cited, None] = {}
        for item in items:
            if item not in self._cited:
                self._cited[item] = _cited(item, self._ruleset, self._titles)
            rules |= dict.fromkeys(self._cited[item])
        return tuple(rules)


class _Held(Observer):
    """A recorder of conditions that hold."""

    def __init__(self, conditions: Mapping[Span, CoverageItem]) -> None:
        self.items: list[CoverageItem] = []
        self._conditions = conditions

    def tested(self, condition: ir.Condition, holds: bool) -> None:
        """Records a condition if it holds."""
        if holds and condition.span in self._conditions:
            self.items.append(self._conditions[condition.span])

    def compared(self, param: ir.Param, fits: bool) -> None:
        """Records a parameter if its argument is in its domain; a `where` condition is recorded separately."""
        if fits and param.where is None and param.span in self._conditions:
            self.items.append(self._conditions[param.span])


def _cited(item: CoverageItem, ruleset: typed.Ruleset, titles: Mapping[str, str]) -> list[Cited]:
    """The rules of an item; for an item of an overlay without citations, its text."""
    span, title = item.span, titles.get(item.span.file, "")
    if item.rules or not title:
        return [(rule, title) for rule in item.rules]
    lines = ruleset.sources[span.file].split("\n")[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return [(" ".join(" ".join(lines).split()), title)]
