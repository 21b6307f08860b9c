"""Replaying a foreign log: at each decision the legal option whose projection equals the next entry.

Options that the other system does not record are taken silently; where several options fit, one is tried after the
other, within a bound. The walk is a depth-first search that keeps its own stack, so that long logs do not recurse. It
goes in stretches: what lies before an undo entry, or before an entry that the other system ignored, is settled.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Report, Span, shown
from rulespec.engine.dialects.dialect import MISSING, Dialect, ForeignLog, follow, ordered, reader
from rulespec.engine.dialects.inverse import FormInverse
from rulespec.engine.dialects.matching import DecisionForms, Matcher, Pattern
from rulespec.engine.dialects.mismatch import Explainer
from rulespec.engine.dialects.projection import Projections, is_by, items
from rulespec.engine.game.game import Game, TakenBack
from rulespec.engine.game.option import Option, Refusal
from rulespec.engine.game.refusal import refused
from rulespec.engine.logs.recorded import nearest
from rulespec.typed import nodes as typed

MAX_BACK = 300
"""Decisions taken back to try another option, without the log getting any further: a second or so."""
MAX_SILENT = 200
"""Silent and automatic options in a row."""
MAX_IGNORED = 10_000
"""Entries that the other system may have ignored."""
MAX_TRIED = 300_000
"""Arguments tried, all in all, to see what entries mean that are not legal: a quarter of a minute."""

Step = Callable[[int], None]


class Checkpoint(Struct, frozen=True, eq=False, gc=False):
    """Where an undo goes back to: so many decisions, with the lists of the first entry used so far."""

    ply: int
    heads: tuple[tuple[str, int], ...]
    before: Checkpoint | None


class Cursor(Struct, frozen=True, gc=False):
    """How far into the log the search is.

    `entry` is the next entry, `matched` which elements of its list are done, `heads` how much of the first entry's
    lists is used, `silent` the silent options in a row, `given` how many decisions no entry of their own answered;
    `waiting`: an undo has gone back to where the other system now waits for what it did by itself.
    """

    entry: int = 1
    matched: frozenset[int] = frozenset()
    heads: tuple[tuple[str, int], ...] = ()
    silent: int = 0
    given: int = 0
    waiting: bool = False
    checkpoint: Checkpoint | None = None

    def head(self, name: str) -> int:
        """How many elements of a list have been used."""
        return dict(self.heads).get(name, 0)

    def used(self, name: str) -> Cursor:
        """With one more element of a list used."""
        heads = dict(self.heads)
        heads[name] = heads.get(name, 0) + 1
        return replace(self, heads=tuple(sorted(heads.items())), silent=0, given=self.given + 1, waiting=False)

    def past(self) -> Cursor:
        """Behind the entry."""
        return replace(self, entry=self.entry + 1, matched=frozenset(), silent=0)

    def marked(self, ply: int) -> Cursor:
        """With one more place that an undo goes back to."""
        return replace(self, checkpoint=Checkpoint(ply, self.heads, self.checkpoint))


@dataclass(frozen=True, slots=True)
class Stop:
    """Where an import ended before the log did."""

    foreign_index: int
    action: Any
    refusal: Refusal
    option: str
    nearest: tuple[str, ...]
    ply: int


@dataclass(frozen=True, slots=True)
class Ignored:
    """An entry that is not legal, and that the other system ignored."""

    foreign_index: int
    action: Any
    refusal: Refusal

    def to_json(self) -> dict[str, Any]:
        """The object that `replay --format json` prints."""
        return {"foreign_index": self.foreign_index, "action": self.action, "reason": self.refusal.reason}


def seats_and_settings(dialect: Dialect, log: ForeignLog, ruleset: typed.Ruleset) -> tuple[list[str], dict[str, str]]:
    """The seats and the options that the first entry of a log names.

    Raises:
        DiagnosticsError: RS620 if it does not name them as the dialect expects.
    """
    report = Report()
    first = Span(log.file, 1, 1, 1, 2)
    payload = follow(log.entries[0], dialect.payload_path)
    seats = follow(payload, dialect.start["seats"])
    if not isinstance(seats, list) or not all(isinstance(s, str | int) for s in seats):
        report.error("RS620", f"the first entry has no list of players at `{dialect.start['seats']}`", first)
        report.raise_if_errors()
    settings = {}
    for name, spec in dialect.start.get("options", {}).items():
        if name not in ruleset.settings:
            continue  # a dialect serves several rulesets
        if not isinstance(spec, dict):
            settings[name] = spec
            continue
        value = follow(payload, spec["path"])
        key = spec.get("missing") if value in (MISSING, None) else str(value)
        if key not in spec["values"]:
            known = ", ".join(spec["values"])
            report.error("RS621", f"`{spec['path']}` is {key!r}, and `{dialect.id}` knows {known}", first)
            continue
        settings[name] = spec["values"][key]
    report.raise_if_errors()
    texts = {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in settings.items()}
    return [str(s) for s in seats], texts


class _Frame(Struct, gc=False):
    cursor: Cursor
    candidates: Iterator[tuple[Option, Cursor]]
    taken: Option | None = None


@dataclass(frozen=True, slots=True)
class _Way:
    """A way through a stretch of the log: each option with where the log was before it, then where it is.

    `fits` says whether the stretch ends because the way does; else nothing fits the entry at its end.
    """

    steps: tuple[tuple[Cursor, Option], ...]
    end: Cursor
    fits: bool

    def arrival(self) -> _Way:
        """The way as far as it leads to the entry at its end, without what was tried for that entry."""
        steps, end = list(self.steps), self.end
        while steps and (steps[-1][0].entry, steps[-1][0].given) == (self.end.entry, self.end.given):
            end = steps.pop()[0]
        return _Way(tuple(steps), end, self.fits)


class Importer:
    """Walks one log with one game.

    What came of it: `moves`, what was decided and taken back, the `entries` that these are of, and `ignored`.

    Args:
        game: a game that has not begun.
        dialect: how the log speaks about it.
        log: the log.
        strict: no entry is ignored, even if the system that recorded the log ignores what is not legal.

    Raises:
        DiagnosticsError: RS622 if an expression of the dialect is wrong.
    """

    def __init__(self, game: Game, dialect: Dialect, log: ForeignLog, strict: bool = False) -> None:
        self.game = game
        self.dialect = dialect
        self.log = log
        self.moves: list[Option | TakenBack] = []
        self.entries: list[int] = []
        self.ignored: list[Ignored] = []
        # Other rules than the other system's own say nothing about what it ignored.
        own = dialect.ruleset_for(log.entries[0]) == game.ruleset.ref
        self._ignores = dialect.ignores_illegal and own and not strict
        self._projections = Projections(game, dialect, own)
        self._explainer = Explainer(game, dialect, self._projections)
        self._matcher = Matcher(game, dialect, self._projections)
        # What is asked of each entry again and again; behind the last one there is None.
        entries = [*log.entries, None]
        types = map(reader(dialect.type_path), entries)
        self._types = [type_ if isinstance(type_, str) else None for type_ in types]
        self._payloads = [*map(reader(dialect.payload_path), entries)]
        self._lists: dict[str, list[Any]] = {}
        for name, spec in dialect.start.get("lists", {}).items():
            found = follow(self._payloads[0], spec["path"])
            values = found if isinstance(found, list) else []
            self._lists[name] = ordered([v for v in values if v is not MISSING], spec.get("order", "as_is"))
        first, undo = self._first_entry(), dialect.undo
        halts = {dialect.start["type"], *dialect.ends, *([undo.type] if undo is not None else [])}
        marks = undo.checkpoints if undo is not None else frozenset[str]()
        self._is_nothing = [number < first or type_ in dialect.ignore for number, type_ in enumerate(self._types)]
        self._halts = [type_ in halts for type_ in self._types]
        self._marks = [type_ in marks for type_ in self._types]
        self._ended: int | None = None
        self._stepped = 0
        self._end = len(log.entries)
        self._step: Step | None = None
        fields = {f"{k.name}.{f}" for k in game.ruleset.declarations.kinds.values() for f in k.state}
        fields |= set(game.ruleset.declarations.fields)
        self._keeps = tuple(name for name in dialect.undo.keeps if name in fields) if dialect.undo else ()

    def _first_entry(self) -> int:
        """The first entry that means something: the one that begins the log may stand there twice."""
        first = self.log.entries[0]
        for number, entry in enumerate(self.log.entries):
            if entry != first and self._types[number] not in self.dialect.ignore:
                return number
        return len(self.log.entries)

    # --- the log, stretch by stretch ---------------------------------------------------------

    def run(self, until: int | None = None, step: Step | None = None) -> Stop | None:
        """Replays the log to its end, or its first `until` entries; gives where and why it stopped before, if it did.

        `step` is called with the number of each entry once its decisions are taken, in order. As later entries may
        show that an earlier choice was wrong, it is called when a stretch of the log is settled.
        """
        entries = len(self.log.entries)
        end = entries if until is None else max(1, min(until, entries))
        self._step, self._end = step, end
        cursor = self._settled(Cursor(), end)
        while True:
            way = self._stretch(cursor, end)
            if way.fits and way.end.entry >= end:
                self._settle(way)
                return None
            meant, refusal = self._refused(way.end) if way.fits else self._illegal(way.end)
            if refusal is None:
                self._settle(way)
                cursor = self._undo(way.end) if self._is_undo(way.end) else self._over(way.end)
            elif self._was_ignored(way.end, refusal):
                cursor = self._ignore(way, refusal)
            else:
                self._settle(way)
                return self._stop(way.end, meant, refusal)
            cursor = self._settled(cursor, end)

    def _settle(self, way: _Way) -> None:
        """What was walked is settled: it is noted, and walked once more with a `step` after each entry."""
        game = self.game
        self.moves += [option for _, option in way.steps]
        self.entries += [cursor.entry for cursor, _ in way.steps]
        done = self._done(way)
        if self._step is not None and done:
            for _ in way.steps:
                game.undo()
            taken = 0
            for entry, count in enumerate(done, self._stepped):
                for _, option in way.steps[taken:count]:
                    game.apply(option)
                taken = count
                self._step(entry)
            for _, option in way.steps[taken:]:
                game.apply(option)
        self._stepped += len(done)

    def _done(self, way: _Way) -> list[int]:
        """For each entry that the way passes the number of its options after which the entry is done.

        Decisions that no entry of their own answers belong to the entry before them.
        """
        done: list[int] = []
        cursors = [*(cursor for cursor, _ in way.steps), way.end]
        given = cursors[0].given
        for count, cursor in enumerate(cursors):
            done += [count] * (cursor.entry - self._stepped - len(done))
            if cursor.given != given and done:
                done[-1] = count
            given = cursor.given
        return done

    # --- the walk through one stretch --------------------------------------------------------

    def _stretch(self, cursor: Cursor, end: int) -> _Way:
        """The way to the next entry that is no decision, to the end, or to the first entry that nothing fits."""
        game = self.game
        stack: list[_Frame] = []
        best, furthest, there = (0, 0, 0), _Way((), cursor, False), game.clone()
        back, forward = 0, False
        while True:
            question = self._matcher.question()
            if self._is_due(question, cursor, end):
                break
            progress = (cursor.entry, len(cursor.matched), len(stack))
            if progress > best:
                back = 0 if cursor.entry > best[0] else back
                best, forward = progress, True
            stack.append(_Frame(cursor, self._candidates(question, cursor, end)))
            while (found := next(stack[-1].candidates, None)) is None:
                top = stack.pop()
                if forward:
                    furthest, there, forward = _Way(_steps(stack), top.cursor, False), game.clone(), False
                back += 1
                if back > MAX_BACK or not stack:
                    game.go_to(there)
                    return furthest
                game.undo()
            game.apply(found[0])
            stack[-1].taken = found[0]
            cursor = self._settled(found[1], end)
        return _Way(_steps(stack), cursor, True)

    def _is_due(self, question: DecisionForms | None, cursor: Cursor, end: int) -> bool:
        """Whether the walk stands before an entry that is no decision, or at the end."""
        if self._ended is not None:
            return True
        if question is not None:
            if question.is_automatic and not cursor.waiting:
                return False
            if question.lists and self._answerable(question, cursor):
                return False
        return cursor.entry >= end or self._halts[cursor.entry]

    def _entry(self, cursor: Cursor) -> Any:
        return self.log.entries[cursor.entry] if cursor.entry < len(self.log.entries) else None

    def _settled(self, cursor: Cursor, end: int) -> Cursor:
        """Past entries that mean nothing, and past a list that is matched and cannot go on."""
        entry = cursor.entry
        while entry < end and self._is_nothing[entry]:
            entry += 1
        if entry == cursor.entry < end and cursor.matched and self._list_gone(cursor):
            return self._settled(replace(cursor, entry=entry + 1, matched=frozenset()), end)
        return cursor if entry == cursor.entry else replace(cursor, entry=entry, matched=frozenset())

    def _list_gone(self, cursor: Cursor) -> bool:
        """Whether all elements are matched and the open decision has nothing more to do with them."""
        kind, payload = self._types[cursor.entry], self._payloads[cursor.entry]
        for path in self._projections.shared.get(kind, ()):
            if len(cursor.matched) < len(items(payload, path)):
                return False
        question = self._matcher.question()
        return question is None or kind not in question.types

    def _answerable(self, question: DecisionForms, cursor: Cursor) -> bool:
        """Whether the open decision is answered from a list of the first entry."""
        return any(cursor.head(name) < len(self._lists.get(name, ())) for name in question.lists)

    def _candidates(self, question: DecisionForms | None, cursor: Cursor, end: int) -> Iterator[tuple[Option, Cursor]]:
        """The options that fit, each with where the log is after it; silent ones last."""
        if question is None:
            return
        may_be_silent = cursor.silent < MAX_SILENT
        if question.is_automatic and not cursor.waiting:  # the other system takes it by itself
            if may_be_silent:
                following = replace(cursor, given=cursor.given + 1, silent=cursor.silent + 1)
                for option in self._matcher.legal(question.automatic):
                    yield option, self._checked(question, option, cursor, following)
            return
        payload = self._payloads[cursor.entry]
        for choice, forms in question.forms(self._types[cursor.entry] if cursor.entry < end else None):
            for option, reading in self._matcher.read(choice, self._readings(forms, cursor, payload), payload):
                yield option, self._checked(question, option, cursor, self._after(reading, cursor))
        if question.silent and may_be_silent and cursor.entry < end:
            following = replace(cursor, silent=cursor.silent + 1, waiting=False)
            for option in self._matcher.legal(question.silent):
                yield option, self._checked(question, option, cursor, following)

    def _readings(self, forms: Sequence[FormInverse], cursor: Cursor, payload: Any) -> list[Pattern]:
        """What options of a choice are compared with: the entry, elements of its list, or one of the first entry's."""
        found: list[Pattern] = []
        for form in forms:
            p = form.projection
            if p.list:
                values, at = self._lists.get(p.list, ()), cursor.head(p.list)
                found += [Pattern(form, value) for value in values[at : at + 1]]
            elif p.item:
                records = enumerate(items(payload, p.item))
                found += [Pattern(form, record, i) for i, record in records if i not in cursor.matched]
            elif not p.closes or self._is_closed(payload, p.closes, cursor):
                found.append(Pattern(form, payload))
        return found

    def _is_closed(self, payload: Any, path: str, cursor: Cursor) -> bool:
        """Whether all elements of a list that several decisions share are matched."""
        found = follow(payload, path)
        return isinstance(found, list) and len(cursor.matched) >= len(found)

    def _after(self, reading: Pattern, cursor: Cursor) -> Cursor:
        """Where the log is behind what is read so."""
        p = reading.form.projection
        if p.list:
            return cursor.used(p.list)
        if reading.item >= 0:
            return replace(cursor, matched=cursor.matched | {reading.item}, silent=0, waiting=False)
        return replace(cursor, entry=cursor.entry + 1, matched=frozenset(), silent=0, waiting=False)

    def _checked(self, question: DecisionForms, option: Option, cursor: Cursor, following: Cursor) -> Cursor:
        """With a checkpoint before the option, if an undo goes back to it or to the entry that it begins."""
        begins = self._marks[cursor.entry] and not cursor.matched
        begins = begins and bool(following.matched or following.entry > cursor.entry)
        if begins or option.kind.choice in question.checkpoints:
            return replace(following, checkpoint=cursor.marked(self.game.ply).checkpoint)
        return following

    # --- entries that are no decision --------------------------------------------------------

    def _is_undo(self, cursor: Cursor) -> bool:
        undo = self.dialect.undo
        return undo is not None and self._types[cursor.entry] == undo.type

    def _undo(self, cursor: Cursor) -> Cursor:
        """Goes back to before the last checkpoint."""
        to = cursor.checkpoint
        assert to is not None
        back = TakenBack(self.game.ply - to.ply, self._keeps)
        waiting = cursor.waiting
        if back.decisions:
            self.game.take_back(back)
            self.moves.append(back)
            self.entries.append(cursor.entry)
            waiting = True
        return Cursor(cursor.entry + 1, heads=to.heads, given=cursor.given, waiting=waiting, checkpoint=to.before)

    def _over(self, cursor: Cursor) -> Cursor:
        """Behind an entry with which the other system ended the game."""
        self._ended = self._ended or cursor.entry
        return cursor.past()

    def _refused(self, cursor: Cursor) -> tuple[None, Refusal | None]:
        """Why an entry that is no decision cannot be; None if it can."""
        undo, game = self.dialect.undo, self.game
        reason = ""
        if self._types[cursor.entry] in self.dialect.ends:
            pass
        elif self._ended is not None:
            reason = f"the log has ended the game with entry {self._ended}"
        elif undo is None or not self._is_undo(cursor):
            reason = "the log begins anew here; only what comes before can be replayed"
        else:
            decision, last = game.decision, game.last
            if decision is None:
                reason = "the game is over"
            elif cursor.checkpoint is None:
                reason = "there is nothing to take back"
            elif decision.name in undo.not_during:
                reason = f"nothing can be taken back while `{decision.name}` is open"
            elif not is_by(self._payloads[cursor.entry], undo.by, last.by if last else None):
                reason = f"the last decision was that of {last.by if last and last.by else 'chance'}"
        return None, refused(reason) if reason else None

    # --- entries that are not legal ----------------------------------------------------------

    def _was_ignored(self, cursor: Cursor, refusal: Refusal) -> bool:
        """Whether the other system has ignored an entry that is not legal."""
        begins = self._types[cursor.entry] == self.dialect.start["type"] and self._ended is None
        return (
            self._ignores
            and not begins
            and cursor.entry < self._end
            and not self.dialect.accepts.intersection(refusal.rules)
            and len(self.ignored) < MAX_IGNORED
            and self._projections.tried < MAX_TRIED
        )

    def _ignore(self, way: _Way, refusal: Refusal) -> Cursor:
        """Goes on behind an entry that the other system has ignored, without what was tried for it."""
        entry, arrival = self._entry(way.end), way.arrival()
        self.ignored.append(Ignored(way.end.entry, entry, refusal))
        for _ in way.steps[len(arrival.steps) :]:
            self.game.undo()
        self._settle(arrival)
        cursor = arrival.end
        if self._marks[way.end.entry]:
            cursor = cursor.marked(self.game.ply)
        return cursor.past()

    def _illegal(self, cursor: Cursor) -> tuple[Option | None, Refusal]:
        """The option that an entry speaks of, if it can be said, and why the entry is not legal."""
        if unlisted := self._unlisted(cursor):
            return None, refused(unlisted)
        return self._explainer.illegal(self._entry(cursor), cursor.matched)

    def _unlisted(self, cursor: Cursor) -> str:
        """What a list of the first entry says for the open decision, if that is not possible."""
        decision = self.game.decision
        for form in self._projections.by_decision.get(decision.name, ()) if decision else ():
            path = form.projection.list
            values = self._lists.get(path, [])
            if decision and path and cursor.head(path) < len(values):
                value = shown(str(values[cursor.head(path)]))
                return f"the first entry says {value} for `{decision.name}`, and that is not possible here"
        return ""

    def _stop(self, cursor: Cursor, meant: Option | None, refusal: Refusal) -> Stop:
        """The report on an entry that no legal option fits."""
        entry, text = self._entry(cursor), str(meant) if meant else ""
        near = nearest(self.game, text or json.dumps(entry, ensure_ascii=False)[:200])
        return Stop(cursor.entry, entry, refusal, text, near, self.game.ply)


def _steps(frames: list[_Frame]) -> tuple[tuple[Cursor, Option], ...]:
    return tuple((frame.cursor, frame.taken) for frame in frames if frame.taken is not None)
