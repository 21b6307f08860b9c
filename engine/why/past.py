"""Explanation of a game's last move: effects, the end of the game, and skipped decisions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from rulespec.engine.game.game import restarted, seen_events
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.secrets import UNKNOWN
from rulespec.engine.program.cells import State
from rulespec.engine.why.move_effects import Effect, Recorder
from rulespec.engine.why.position_reader import Answer, Reader
from rulespec.engine.why.traced_program import StatementOrigin
from rulespec.engine.why.tracer import At
from rulespec.rule_ids import cited
from rulespec.typed import nodes as typed


class Past:
    """The last move before a position, or the start of the game.

    Args:
        reader: the reader of the position.
    """

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.game = reader.game

    @cached_property
    def _seen(self) -> str | None:
        """The last option as the reader sees it; None if it is hidden."""
        if self.reader.seat == OMNISCIENT:
            return str(self.game.history[-1])
        return seen_events(self.game, self.reader.seat, self.game.ply - 1)[0].option

    @cached_property
    def record(self) -> Recorder:
        """The record of the move, up to the first hidden cell."""
        reader, before = self.reader, self.game.copy()
        if not before.ply:
            before = restarted(before)
            block, args = reader.program.main, tuple[int, ...]()
            state = reader.guard(before)(reader.program.start)
        else:
            option = before.undo()
            block, args = option.kind.block, option.args
            state = reader.cells(before)
        result = Recorder(reader.origins, reader.labels, reader.tracer, reader.guard(before))
        if self.game.ply and (self._seen is None or UNKNOWN in self._seen):
            result.effects.append(Effect(None))
        else:
            result.record(state, block, args)
        return result

    def effects(self, of: str) -> Answer:
        """The changes, by statement; includes only statements that change a cell with `of` in its name."""
        results = [self._effect(effect) for effect in self.record.effects]
        if of:
            results = [a for a in results if a.verdict == UNKNOWN or any(of in change.name for change in a.changes)]
        verdict = UNKNOWN if any(a.verdict == UNKNOWN for a in results) else len(results)
        return Answer("effects", self._subject(), verdict, answers=results)

    def _subject(self) -> str:
        if not self.game.ply:
            return "the start of the game"
        by = self.game.history[-1].by or "chance"
        return f"{by}: {self._seen or 'has chosen'}"

    def _effect(self, effect: Effect) -> Answer:
        of, reader = effect.of, self.reader
        if of is None:
            return Answer("statement", UNKNOWN, UNKNOWN)
        doc, numbers = reader.doc(of), list(effect.numbers)
        verdict = UNKNOWN if any(not node.known for node in numbers) else True
        text = reader.tracer().text(of)
        return Answer("statement", text, verdict, doc, cited(doc), reader.owner(of), of.span, numbers, effect.changes)

    def ended(self) -> Iterator[Answer]:
        """The statement that ended the game, if visible."""
        if self.record.end is None:
            return
        origin, state = self.record.end
        if origin is None:
            yield Answer("statement", "the start procedure returns", True)
        elif isinstance(origin.of, typed.EndGame):
            yield self._ending(origin, origin.of, state)

    def _ending(self, origin: StatementOrigin, s: typed.EndGame, state: State) -> Answer:
        tracer, doc = self.reader.tracer(state), self.reader.doc(s)
        nodes = [tracer.node(s.winners, At(origin.scope))] if s.winners is not None else []
        return Answer("statement", tracer.text(s), True, doc, cited(doc), self.reader.owner(s), s.span, nodes)

    def points(self) -> Iterator[Answer]:
        """The points and tiebreaks of each seat."""
        scoring = self.reader.ruleset.rules.scoring
        for seat, name in enumerate(self.game.seats) if scoring is not None else ():
            assert scoring is not None
            tracer = self.reader.tracer()
            at = tracer.bind(At(), scoring.var, seat)
            nodes = [tracer.node(scoring.score, at)]
            for t in scoring.tiebreaks:
                if t.var is None or t.source is None or t.key is None:
                    nodes.append(tracer.node(t.value, at))
                else:
                    nodes.append(tracer.node(t.source, at))
            value = nodes[0].value
            yield Answer("points", name, value, scoring.doc, cited(scoring.doc), span=scoring.span, conditions=nodes)
