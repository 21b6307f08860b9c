"""Import of a foreign log: at each decision, the legal option that looks like the next entry.

The log is imported in stretches. A stretch ends before an entry that is not a decision, and before an ignored entry;
options before that are final. Options that the other system does not record are taken silently.

An ignored entry is followed by others that fit. If none fits, the log is dead: the game is stuck, since something is
missing or wrong. Then the import ends at the first of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, shown
from rulespec.engine.dialects.cursor import Cursor
from rulespec.engine.dialects.dialect import Dialect
from rulespec.engine.dialects.entries import Entries
from rulespec.engine.dialects.first_entry import values_of
from rulespec.engine.dialects.foreign_log import ForeignLog
from rulespec.engine.dialects.mismatch import Explainer
from rulespec.engine.dialects.projection import Projections
from rulespec.engine.dialects.stretch_search import Stretch, StretchSearch
from rulespec.engine.dialects.take_back import TakeBack
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option, Refusal, TakenBack
from rulespec.engine.game.refusal import refused
from rulespec.engine.logs.recorded import nearest
from rulespec.engine.program.budget import SpentError
from rulespec.records import Brief

MAX_STRAY = 3
"""Entries in a row that are ignored, except for those of the type of the legal one before them: one click may submit
several of one type. If there are more, or more than one at the end of a game that goes on, the log is dead."""
MAX_IGNORED = 10_000
"""Entries that the other system may have ignored."""
MAX_TRIED = 300_000
"""Arguments tried in all to explain entries that are not legal: a quarter of a minute."""

Step = Callable[[int], None]
_NONE: frozenset[int] = frozenset()


class Stop(Brief, Struct, frozen=True):
    """The place and the reason of an import that ended before the log did."""

    foreign_index: int
    action: Any
    refusal: Refusal
    option: str
    nearest: tuple[str, ...]
    ply: int


class Ignored(Brief, Struct, frozen=True):
    """An illegal entry ignored by the other system."""

    foreign_index: int
    action: Any
    refusal: Refusal

    def to_json(self) -> dict[str, Any]:
        """The object printed by `replay --format json`."""
        return {"foreign_index": self.foreign_index, "action": self.action, "reason": self.refusal.reason}


class Stray(Brief, Struct):
    """Consecutive entries ignored by the other system.

    Attributes:
        entries: the number of entries.
        cursor: the cursor before the first.
        meant: the option meant by the first one, if known.
        refusal: the reason why the first one is illegal.
        legal: the type of the preceding legal entry.
        other: the number of entries of another type.
    """

    entries: int = 0
    cursor: Cursor | None = None
    meant: Option | None = None
    refusal: Refusal | None = None
    legal: str | None = None
    other: int = 0


class Importer:
    """The import of one log into one game.

    Args:
        game: a game that has not begun.
        dialect: the dialect of the log.
        log: the log.
        strict: whether no entry is ignored, even if the recording system ignores illegal entries.
        past: whether the rules are the dialect's own, with overlays that permit its known faults.

    Attributes:
        moves: the decisions, including undos.
        entries: for each move the number of its entry.
        ignored: the entries ignored by the other system.
        log: the entries of the log.

    Raises:
        DiagnosticsError: RS622 if an expression of the dialect is wrong.
    """

    def __init__(self, game: Game, dialect: Dialect, log: ForeignLog, strict: bool = False, past: bool = False) -> None:
        self.game = game
        self.dialect = dialect
        self.moves: list[Option | TakenBack] = []
        self.entries: list[int] = []
        self.ignored: list[Ignored] = []
        # Other rules than the other system's own say nothing about what it ignored.
        own = past or dialect.ruleset_for(log.entries[0]) == game.ruleset.ref
        self._ignores = dialect.ignores_illegal and own and not strict
        self.log = Entries(dialect, log)
        self._projections = Projections(game, dialect, own, values_of(dialect, log))
        self._explainer = Explainer(game, dialect, self._projections)
        self._search = StretchSearch(game, dialect, self.log, self._projections)
        self._stepped = 0
        self._step: Step | None = None
        self._stray = Stray()
        self._take_back = TakeBack(game, dialect, own, self._projections.known)

    def too_long(self) -> tuple[Diagnostic, ...]:
        """The error for a dialect whose expressions exhaust the step budget of a log."""
        help_ = "simplify it: use the fields of the entry, and avoid loops over sets"
        return self._projections.known.budget.warnings("RS638", Severity.ERROR, "reading this log", help_)

    def run(self, until: int | None = None, step: Step | None = None) -> Stop | None:
        """Imports the log, or its first entries.

        Args:
            until: the number of entries; None means all.
            step: called with each entry number, in order, after its decisions are taken. As later entries may revise an
                earlier choice, it is called once a stretch of the log is final.

        Returns:
            The place and the reason of an early end, or None.

        Raises:
            SpentError: if the expressions of the dialect take too many steps; see `too_long`.
        """
        search, log = self._search, self.log
        search.end = end = len(log) if until is None else max(1, min(until, len(log)))
        self._stray = Stray()
        self._step = step
        cursor = search.skip(Cursor())
        while True:
            stretch = self._searched(cursor)
            if stretch.end.entry > cursor.entry:
                self._stray = Stray()
            if stretch.complete and stretch.end.entry >= end:
                if end == len(log) and self._is_dead(at_end=True):
                    return self._stop_dead()
                self._stray = Stray()
                self._settle(stretch)
                return None
            meant, refusal = self._refused(stretch.end) if stretch.complete else self._illegal(stretch.end)
            if refusal is None:
                if self._changes(stretch.end):
                    self._stray = Stray()
                self._settle(stretch)
                cursor = self._undo(stretch.end) if self._is_undo(stretch.end) else self._after_end(stretch.end)
            elif self._was_ignored(stretch.end, refusal):
                cursor = self._ignore(stretch, meant, refusal)
                if self._is_dead(at_end=False):
                    return self._stop_dead()
            else:
                self._settle(stretch)
                return self._stop(stretch.end, meant, refusal)
            cursor = search.skip(cursor)

    def _searched(self, cursor: Cursor) -> Stretch:
        """The next stretch; if searching it takes too long, the game returns to its earlier position."""
        settled = self.game.ply
        try:
            return self._search.run(cursor)
        except SpentError:
            while self.game.ply > settled:
                self.game.undo()
            raise

    def _settle(self, stretch: Stretch) -> None:
        """Records a stretch, and repeats its options with a `step` after each entry."""
        if self._stray.entries and not stretch.steps:
            return  # nothing has happened since the first ignored entry, which may be where the log ends
        game = self.game
        self.moves += [option for _, option in stretch.steps]
        self.entries += [cursor.entry for cursor, _ in stretch.steps]
        done = self._done(stretch)
        if self._step is not None and done:
            for _ in stretch.steps:
                game.undo()
            taken = 0
            for entry, count in enumerate(done, self._stepped):
                for _, option in stretch.steps[taken:count]:
                    game.apply(option)
                taken = count
                self._step(entry)
            for _, option in stretch.steps[taken:]:
                game.apply(option)
        self._stepped += len(done)

    def _done(self, stretch: Stretch) -> list[int]:
        """For each entry of a stretch the number of options after which the entry is done.

        Decisions that no entry of their own answers belong to the entry before them.
        """
        done: list[int] = []
        cursors = [*(cursor for cursor, _ in stretch.steps), stretch.end]
        source = cursors[0].automatic
        for count, cursor in enumerate(cursors):
            done += [count] * (cursor.entry - self._stepped - len(done))
            if cursor.automatic != source and done:
                done[-1] = count
            source = cursor.automatic
        return done

    # --- entries that are no decision --------------------------------------------------------

    def _is_undo(self, cursor: Cursor) -> bool:
        undo = self.dialect.undo
        return undo is not None and undo.checkpoints is not None and self.log.types[cursor.entry] == undo.type

    def _changes(self, cursor: Cursor) -> bool:
        """Whether an entry that is not a decision changes anything; undoing an ignored entry does not."""
        to = cursor.checkpoint
        return not self._is_undo(cursor) or to is None or to.ply < self.game.ply

    def _undo(self, cursor: Cursor) -> Cursor:
        """Takes back to the last checkpoint; returns the cursor after that."""
        to = cursor.checkpoint
        assert to is not None
        decisions = self.game.ply - to.ply
        try:
            back = self._take_back(decisions)
        except SpentError:  # what the other system changes besides is not known any more
            self._took_back(cursor, TakenBack(decisions, self._take_back.keep) if decisions else None)
            raise
        self._took_back(cursor, back)
        waiting = cursor.waiting or decisions > 0
        return Cursor(
            cursor.entry + 1, _NONE, to.heads, 0, cursor.automatic, waiting, checkpoint=to.before, orders=to.orders
        )

    def _took_back(self, cursor: Cursor, back: TakenBack | None) -> None:
        """Records an undo by an entry."""
        if back is not None:
            self.moves.append(back)
            self.entries.append(cursor.entry)

    def _after_end(self, cursor: Cursor) -> Cursor:
        """The cursor after an entry that ended the game."""
        self._search.ended = self._search.ended or cursor.entry
        return cursor.past()

    def _refused(self, cursor: Cursor) -> tuple[None, Refusal | None]:
        """The refusal of an entry that is not a decision; None if it is legal."""
        undo, game = self.dialect.undo, self.game
        reason = ""
        if self.log.types[cursor.entry] in self.dialect.ends:
            pass
        elif self._search.ended is not None:
            reason = f"the log has ended the game with entry {self._search.ended}"
        elif undo is None or not self._is_undo(cursor):
            reason = "the log starts another game here; only the entries before it can be replayed"
        else:
            decision, last = game.decision, game.omniscient.numbers.last
            if decision is None:
                reason = "the game is over"
            elif cursor.checkpoint is None:
                reason = "there is nothing to take back"
            elif decision.name in undo.not_during:
                reason = f"nothing can be taken back while `{decision.name}` is open"
            elif not self._projections.is_by(self.log.payloads[cursor.entry], undo.by, last.by if last else None):
                reason = f"the last decision was made by {self._projections.shown(last.by if last else None)}"
        return None, refused(reason) if reason else None

    # --- entries that are not legal ----------------------------------------------------------

    def _was_ignored(self, cursor: Cursor, refusal: Refusal) -> bool:
        """Whether the other system ignored an illegal entry."""
        begins = self.log.types[cursor.entry] == self.dialect.start_type and self._search.ended is None
        return (
            self._ignores
            and not begins
            and cursor.entry < self._search.end
            and not self.dialect.accepts.intersection(refusal.rules)
            and len(self.ignored) < MAX_IGNORED
            and self._projections.tried < MAX_TRIED
        )

    def _ignore(self, stretch: Stretch, meant: Option | None, refusal: Refusal) -> Cursor:
        """Takes back the options tried for an ignored entry; returns the cursor after that entry."""
        number, before = stretch.end.entry, stretch.before_end()
        for _ in stretch.steps[len(before.steps) :]:
            self.game.undo()
        self._settle(before)
        cursor = before.end
        self.ignored.append(Ignored(number, self.log[number], refusal))
        if not self._stray.entries:
            self._stray = Stray(0, cursor, meant, refusal, self.log.types[number - 1])
        self._stray.entries += 1
        self._stray.other += self.log.types[number] != self._stray.legal
        if self.log.is_checkpoint[number]:
            cursor = cursor.marked(self.game.ply)
        return cursor.past()

    def _is_dead(self, at_end: bool) -> bool:
        """Whether the run of ignored entries is so long that the log counts as broken."""
        goes_on = self.game.decision is not None and self._search.ended is None
        return self._stray.other > (1 if at_end and goes_on else MAX_STRAY)

    def _stop_dead(self) -> Stop:
        """The report on the first of the entries with which the log is dead."""
        stray = self._stray
        del self.ignored[len(self.ignored) - stray.entries :]
        assert stray.cursor is not None and stray.refusal is not None
        return self._stop(stray.cursor, stray.meant, stray.refusal)

    def _illegal(self, cursor: Cursor) -> tuple[Option | None, Refusal]:
        """The option meant by an entry, if known, and the reason why the entry is illegal."""
        if unlisted := self._unlisted(cursor):
            return None, refused(unlisted)
        entry, type_ = cursor.entry, self.log.types[cursor.entry]
        read = None if type_ is None else (type_, self.log.payloads[entry])
        return self._explainer.explain(self.log[entry], cursor.matched, read)

    def _unlisted(self, cursor: Cursor) -> str:
        """The reason why an element of a first entry's list does not fit the open decision; empty without one."""
        decision = self.game.decision
        for form in self._projections.by_decision.get(decision.name, ()) if decision else ():
            path = form.projection.list
            values = self.log.lists.get(path, [])
            if decision and path and cursor.head(path) < len(values):
                value = shown(str(values[cursor.head(path)]))
                return f"the first entry says {value} for `{decision.name}`, and that is not possible here"
        return ""

    def _stop(self, cursor: Cursor, meant: Option | None, refusal: Refusal) -> Stop:
        """The report on an entry that no legal option fits."""
        entry, text = self.log[cursor.entry], str(meant) if meant else ""
        near = nearest(self.game, text or json.dumps(entry, ensure_ascii=False)[:200])
        return Stop(cursor.entry, entry, refusal, text, near, self.game.ply)
