"""Depth-first search for legal options that match the entries of a stretch of a foreign log, in order.

The search has an explicit stack, so long logs cause no recursion. If several options match, they are tried in turn, up
to a limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rulespec.engine.dialects.cursor import Checkpoint, Cursor
from rulespec.engine.dialects.dialect import Dialect
from rulespec.engine.dialects.entries import Entries, StandingOrders
from rulespec.engine.dialects.finders import Finder, Match
from rulespec.engine.dialects.inverse import FormInverse
from rulespec.engine.dialects.json_paths import follow
from rulespec.engine.dialects.matching import DecisionForms, Matcher, Pattern
from rulespec.engine.dialects.projected import Projection
from rulespec.engine.dialects.projection import Projections, items
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import legal_option
from rulespec.engine.game.numbers import Numbers
from rulespec.engine.game.option import Option

MAX_BACK = 300
"""Maximum number of decisions undone to try other options without progress in the log, which takes about a second."""
MAX_SILENT = 200
"""Maximum length of a run of silent and automatic options."""


_NONE: frozenset[int] = frozenset()

Candidate = tuple[Option, Cursor]
"""An option that an entry may denote, and the cursor after it."""


class _Frame(Struct, gc=False):
    """A decision on the stack.

    Attributes:
        cursor: the cursor before the decision.
        finder: the source of candidates while `candidates` is None.
        matches: the number of matches taken from the finder.
        candidates: the remaining candidates.
        option: the option currently taken.
    """

    cursor: Cursor
    finder: Finder | None = None
    matches: int = 0
    candidates: Iterator[Candidate] | None = None
    option: Option | None = None


class Stretch(Struct, frozen=True):
    """The options that match a stretch of the log.

    Attributes:
        steps: each option with the cursor before it.
        end: the cursor after the last option.
        complete: whether the stretch ends before an entry that is not a decision; otherwise it ends at an entry that
            matches no option.
    """

    steps: tuple[tuple[Cursor, Option], ...]
    end: Cursor
    complete: bool

    def before_end(self) -> Stretch:
        """The stretch without the options tried for its last entry."""
        steps, end = list(self.steps), self.end
        while steps and (steps[-1][0].entry, steps[-1][0].automatic) == (self.end.entry, self.end.automatic):
            end = steps.pop()[0]
        return Stretch(tuple(steps), end, self.complete)


class StretchSearch:
    """A search that reads a log stretch by stretch and applies the matching options to the game.

    Args:
        game: the game to which the options are applied.
        dialect: the dialect of the log.
        entries: the entries of the log.
        projections: the forms of the game's options in the dialect.

    Attributes:
        end: the number of the entry where the search stops.
        ended: the number of the entry that ended the game; None if no entry has ended it.
    """

    def __init__(self, game: Game, dialect: Dialect, entries: Entries, projections: Projections) -> None:
        self.game = game
        self.end = len(entries)
        self.ended: int | None = None
        self._projections = projections
        self._matcher = Matcher(game, dialect, projections)
        self._seats = (*game.seats, None)
        """Seats by number; entry -1 is None, for chance."""
        self._types, self._payloads, self._lists = entries.types, entries.payloads, entries.lists
        self._is_skipped = entries.is_skipped
        self._is_boundary = entries.is_boundary
        self._is_checkpoint = entries.is_checkpoint
        self._orders = StandingOrders(dialect, entries)
        self._of_texts = dialect.notation is not None

    def run(self, cursor: Cursor) -> Stretch:
        """The stretch up to the next entry that is not a decision, the end of the log, or the first entry without a
        match.
        """
        game = self.game
        stack: list[_Frame] = []
        best, furthest = (0, 0, 0), Stretch((), cursor, False)
        there: Numbers | None = None  # after the options of `furthest`
        back, forward = 0, False
        while True:
            cursor = self._go_straight(stack, cursor)
            forms = self._matcher.decision_forms()
            if self._is_done(forms, cursor):
                break
            progress = (cursor.entry, len(cursor.matched), len(stack))
            if progress > best:
                back = 0 if cursor.entry > best[0] else back
                best, forward = progress, True
            frame = _Frame(cursor)
            stack.append(frame)
            while (result := self._next(frame)) is None:
                stack.pop()
                if forward:
                    furthest, forward = Stretch(_steps(stack), frame.cursor, False), False
                    there = game.omniscient.numbers.copy()
                back += 1
                if back > MAX_BACK or not stack:
                    if there is not None:
                        game.omniscient.numbers.resume(there)
                    return furthest
                game.undo()
                frame = stack[-1]
            frame.option, cursor = result
            game.apply(frame.option)
            cursor = self.skip(cursor)
        return Stretch(_steps(stack), cursor, True)

    def _go_straight(self, stack: list[_Frame], cursor: Cursor) -> Cursor:
        """Fast path: continues while finders map entries to options; returns the cursor after them.

        It is equivalent to the general loop in `run`.
        """
        if self.ended is not None or self._of_texts:
            return cursor
        position, end = self.game.omniscient.numbers, self.end
        plain, met = self._matcher.plain, self._matcher.plain_forms
        types, payloads = self._types, self._payloads
        is_boundary, is_skipped, is_checkpoint = self._is_boundary, self._is_skipped, self._is_checkpoint
        while True:
            forms, entry = plain.get(position.asked) or met(), cursor.entry
            if forms is None or entry >= end or is_boundary[entry]:
                return cursor
            finder = forms.finders.get(type_ := types[entry]) or forms.finder(type_)
            if finder is None:
                return cursor
            result = finder(payloads[entry], cursor.matched, position.looked_up, 0)
            if not result:
                return cursor
            choice, args, who, item = result
            option = Option(forms.kinds[choice], args, self._seats[who], position.stamp)
            stack.append(_Frame(cursor, finder, 1, None, option))
            checkpoint = cursor.checkpoint
            if (is_checkpoint[entry] and not cursor.matched) or choice in forms.of.checkpoints:
                checkpoint = Checkpoint(position.ply, cursor.heads, checkpoint, cursor.orders)
            if item < 0:
                cursor = Cursor(entry + 1, _NONE, cursor.heads, 0, cursor.automatic, False, checkpoint, cursor.orders)
            else:
                matched = cursor.matched | {item}
                cursor = Cursor(entry, matched, cursor.heads, 0, cursor.automatic, False, checkpoint, cursor.orders)
            position.take(option)
            if item >= 0 or is_skipped[entry + 1]:
                cursor = self.skip(cursor)

    def _next(self, frame: _Frame) -> Candidate | None:
        """The next candidate of the open decision; None if none is left."""
        if frame.candidates is None:
            forms, cursor = self._matcher.decision_forms(), frame.cursor
            if frame.finder is not None and forms is not None:
                cells = self.game.omniscient.numbers.looked_up
                result = frame.finder(self._payloads[cursor.entry], cursor.matched, cells, frame.matches)
                if result:
                    frame.matches += 1
                    return self._candidate(forms, cursor, result)
                if result is None:
                    frame.candidates = self._silent(forms, cursor)
            if frame.candidates is None:
                frame.candidates = islice(self._candidates(forms, cursor), frame.matches, None)
        return next(frame.candidates, None)

    def _candidate(self, forms: DecisionForms, cursor: Cursor, match: Match) -> Candidate:
        """The candidate for a finder's match."""
        choice, args, who, item = match
        option = Option(forms.kinds[choice], args, self._seats[who], self.game.omniscient.numbers.stamp)
        following = cursor.answered() if item < 0 else cursor.matching(item)
        return option, self._with_checkpoint(forms, option, cursor, following)

    def _is_done(self, forms: DecisionForms | None, cursor: Cursor) -> bool:
        """Whether the cursor is before an entry other than a decision, or at the end."""
        if self.ended is not None:
            return True
        if forms is not None:
            if forms.of.is_automatic and not cursor.waiting:
                return False
            if forms.of.lists and self._has_answer(forms, cursor):
                return False
        return cursor.entry >= self.end or self._is_boundary[cursor.entry]

    def skip(self, cursor: Cursor) -> Cursor:
        """The cursor after meaningless entries, and after a finished list."""
        entry, end = cursor.entry, self.end
        while entry < end and self._is_skipped[entry]:
            cursor = self._orders.after(cursor, entry)
            entry += 1
        if entry == cursor.entry < end and cursor.matched and self._is_list_done(cursor):
            return self.skip(replace(cursor, entry=entry + 1, matched=frozenset()))
        return cursor if entry == cursor.entry else replace(cursor, entry=entry, matched=frozenset())

    def _is_list_done(self, cursor: Cursor) -> bool:
        """Whether all elements of the entry are matched and the open decision takes no more of it."""
        kind, payload = self._types[cursor.entry], self._payloads[cursor.entry]
        shared = self._projections.shared.get(kind, {})
        if len(cursor.matched) < sum(len(items(payload, path, part)) for path, (_, part) in shared.items()):
            return False
        forms = self._matcher.decision_forms()
        return forms is None or kind not in forms.of.whole

    def _has_answer(self, forms: DecisionForms, cursor: Cursor) -> bool:
        """Whether a list of the first entry answers the open decision."""
        return any(cursor.head(name) < len(self._lists.get(name, ())) for name in forms.of.lists)

    def _candidates(self, forms: DecisionForms | None, cursor: Cursor) -> Iterator[Candidate]:
        """The matching options, each with the cursor after it; silent ones last."""
        if forms is None:
            return
        may_be_silent = cursor.silent < MAX_SILENT
        if forms.of.is_automatic and not cursor.waiting:  # taken automatically by the other system
            if may_be_silent:
                following = replace(cursor, automatic=cursor.automatic + 1, silent=cursor.silent + 1)
                for option in self._matcher.by_itself(forms):
                    yield option, self._with_checkpoint(forms, option, cursor, following)
            return
        payload = self._payloads[cursor.entry]
        type_ = self._types[cursor.entry] if cursor.entry < self.end else None
        if self._of_texts and (named := self._matcher.by_text(forms, type_, payload)) is not None:
            yield named, self._with_checkpoint(forms, named, cursor, cursor.answered())
        for answer in forms.of_type(type_) if not self._of_texts else ():
            choice, plain, state = answer.choice, answer.plain, self.game.omniscient.numbers.state
            guesses = plain.guesses(payload, state) if plain is not None else None
            if plain is None or guesses is None:
                patterns = self._patterns(answer.forms, cursor, payload)
                for option, pattern in self._matcher.matches(choice, patterns, payload):
                    yield option, self._with_checkpoint(forms, option, cursor, self._after(pattern, cursor))
                continue
            for args in guesses:  # `matches` inlined, for speed
                result = legal_option(self.game, choice, args)
                if result is not None and plain.fits(args, payload, state) and plain.is_by(payload, result.by):
                    yield result, self._with_checkpoint(forms, result, cursor, cursor.answered())
                    state = self.game.omniscient.numbers.state
        yield from self._by_order(forms, cursor)
        yield from self._silent(forms, cursor)

    def _by_order(self, forms: DecisionForms, cursor: Cursor) -> Iterator[Candidate]:
        """The options taken by a standing order, each with the cursor after it."""
        if forms.ordered and cursor.orders and cursor.silent < MAX_SILENT:
            orders = self._orders.at(cursor)
            following = replace(cursor, automatic=cursor.automatic + 1, silent=cursor.silent + 1)
            for option in self._matcher.by_order(forms, orders):
                yield option, self._with_checkpoint(forms, option, cursor, following)

    def _silent(self, forms: DecisionForms, cursor: Cursor) -> Iterator[Candidate]:
        """The options unknown to the dialect, each with the cursor after it."""
        if forms.of.silent and cursor.silent < MAX_SILENT and cursor.entry < self.end:
            following = replace(cursor, silent=cursor.silent + 1, waiting=False)
            for option in self._matcher.legal(forms.of.silent):
                yield option, self._with_checkpoint(forms, option, cursor, following)

    def _patterns(self, forms: Sequence[FormInverse], cursor: Cursor, payload: Any) -> list[Pattern]:
        """Patterns for a choice: from the entry, the elements of its list, or an element of the first entry."""
        results: list[Pattern] = []
        for form in forms:
            p = form.projection
            if p.list:
                values, at = self._lists.get(p.list, ()), cursor.head(p.list)
                results += [Pattern(form, value) for value in values[at : at + 1]]
            elif p.item:
                first, part = self._projections.shared[p.type][p.item]
                records = enumerate(items(payload, p.item, part), first)
                left = [Pattern(form, record, i) for i, record in records if i not in cursor.matched]
                results += left[:1] if p.ordered else left
            elif not p.closes or is_closed(payload, p, cursor, self._projections.shared.get(p.type, {})):
                results.append(Pattern(form, payload))
        return results

    def _after(self, pattern: Pattern, cursor: Cursor) -> Cursor:
        """The cursor after an option that matches a pattern."""
        p = pattern.form.projection
        if p.list:
            return cursor.used(p.list)
        if pattern.item >= 0:
            return cursor.matching(pattern.item)
        return cursor.answered()

    def _with_checkpoint(self, forms: DecisionForms, option: Option, cursor: Cursor, following: Cursor) -> Cursor:
        """The following cursor, with a checkpoint if an undo can stop before the option or its entry."""
        begins = self._is_checkpoint[cursor.entry] and not cursor.matched
        begins = begins and bool(following.matched or following.entry > cursor.entry)
        if begins or option.kind.choice in forms.of.checkpoints:
            return replace(following, checkpoint=cursor.marked(self.game.ply).checkpoint)
        return following


def _steps(frames: list[_Frame]) -> tuple[tuple[Cursor, Option], ...]:
    return tuple((frame.cursor, frame.option) for frame in frames if frame.option is not None)


def is_closed(payload: Any, p: Projection, cursor: Cursor, shared: Mapping[str, tuple[int, bool]]) -> bool:
    """Whether all elements of a list shared by several decisions have been matched."""
    result = follow(payload, p.closes)
    if not isinstance(result, list):
        return False
    if len(shared) <= 1:
        return len(cursor.matched) >= len(result)
    first, _ = shared.get(p.closes, (0, False))
    return all(number in cursor.matched for number in range(first, first + len(result)))
