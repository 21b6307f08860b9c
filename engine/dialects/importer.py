"""Import of a foreign log: at each decision, the legal option that matches the next entry.

The log is imported in stretches. A stretch ends before an entry that is not a decision, and before an ignored entry;
earlier options are final. Options that the other system does not record are taken silently.

An ignored entry must be followed by entries that match. If none match, the log is dead: the game is stuck because an
entry is missing or wrong. The import then ends at the first ignored entry of the run.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span, shown
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
from rulespec.engine.logs.log_text import fail
from rulespec.engine.logs.recorded import nearest
from rulespec.engine.program.budget import SpentError
from rulespec.records import Brief

MAX_STRAY = 3
"""Maximum length of a run of ignored entries, not counting those of the same type as the preceding legal entry, since
one click may submit several. If a run is longer, or an unfinished game ends with more than one, the log is dead.
"""
MAX_IGNORED = 10_000
"""Maximum number of ignored entries per log."""
MAX_TRIED = 300_000
"""Maximum number of arguments tried per log to explain illegal entries; they take a quarter of a minute."""

Step = Callable[[int], None]
_NONE: frozenset[int] = frozenset()


class Stop(Brief, Struct, frozen=True):
    """The place where an import ends early, and the reason."""

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
        cursor: the cursor before the first one.
        meant: the option that the first one denotes, if known.
        refusal: the reason why the first one is illegal.
        legal: the type of the preceding legal entry.
        other: the number of entries of types other than `legal`.
    """

    entries: int = 0
    cursor: Cursor | None = None
    meant: Option | None = None
    refusal: Refusal | None = None
    legal: str | None = None
    other: int = 0


class Importer:
    """An import of one log into one game.

    Args:
        game: a game before its first decision.
        dialect: the dialect of the log.
        log: the log.
        strict: whether to refuse illegal entries even if the recording system ignores them.
        past: whether the rules are the dialect's own, with overlays that permit its known faults.

    Attributes:
        moves: the decisions, including undos.
        entries: for each move, the number of its entry.
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
        # Rules other than the system's own do not show which entries it ignored.
        own = past or dialect.ruleset_for(log.entries[0]) == game.ruleset.ref
        self._ignores = dialect.ignores_illegal and own and not strict
        self.log = Entries(dialect, log)
        own = own or dialect.is_of_extended(game.ruleset)
        self._projections = Projections(game, dialect, own, values_of(dialect, log))
        self._check_undos(log.file)
        self._explainer = Explainer(game, dialect, self._projections)
        self._search = StretchSearch(game, dialect, self.log, self._projections)
        self._stepped = 0
        self._step: Step | None = None
        self._stray = Stray()
        self._take_back = TakeBack(game, dialect, own, self._projections.known)

    def _check_undos(self, file: str) -> None:
        """Reports an undo of a whole entry that another seat has made."""
        by = self.dialect.undo.by if self.dialect.undo is not None else ""
        forms = [form for each in self.dialect.decisions.values() for form in each if form.by]
        for number, last in self.log.undos if by else ():
            paths = {form.by for form in forms if form.type == self.log.types[last]}
            makers = {seat for path in paths for seat in self._seats(last, path)}
            if makers and not makers & self._seats(number, by):
                names = " or ".join(self._projections.shown(seat) for seat in sorted(makers))
                message = f"entry {number} is an undo by another seat: entry {last} was made by {names}"
                help_ = f"if anybody may undo on this site, leave out `undo.by` in the dialect `{self.dialect.id}`"
                fail("RS613", message, Span(file, 1, 1, 1, 2), help=help_)

    def _seats(self, entry: int, path: str) -> set[str]:
        """The seats that the field of an entry at a path may name."""
        return {seat for seat in self.game.seats if self._projections.is_by(self.log.payloads[entry], path, seat)}

    def too_long(self) -> tuple[Diagnostic, ...]:
        """The error for dialect expressions that exhaust the step budget of a log; empty if they do not."""
        help_ = "simplify it: use the fields of the entry, and avoid loops over sets"
        return self._projections.known.budget.warnings("RS638", Severity.ERROR, "reading this log", help_)

    def run(self, until: int | None = None, step: Step | None = None) -> Stop | None:
        """Imports the log, or its first entries.

        Args:
            until: the number of entries; None means all.
            step: a function called with each entry number, in order, after the decisions of the entry are taken. The
                calls for a stretch are made once it is final, since later entries may revise earlier choices.

        Returns:
            Where and why the import stopped early; None if it did not.

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
        """The next stretch; if the search takes too long, the game returns to its earlier position."""
        settled = self.game.ply
        try:
            return self._search.run(cursor)
        except SpentError:
            while self.game.ply > settled:
                self.game.undo()
            raise

    def _settle(self, stretch: Stretch) -> None:
        """Records a stretch, and replays its options with a `step` after each entry."""
        if self._stray.entries and not stretch.steps:
            return  # no progress since the first ignored entry, where the log may be dead
        game = self.game
        self.moves += [option for _, option in stretch.steps]
        self.entries += [cursor.entry for cursor, _ in stretch.steps]
        if self._step is not None and (done := self._done(stretch)):
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
        """For each entry of a stretch, the number of options after which the entry is done.

        Decisions without a separate entry belong to the preceding one.
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

    # --- entries other than decisions --------------------------------------------------------

    def _is_undo(self, cursor: Cursor) -> bool:
        undo = self.dialect.undo
        return undo is not None and undo.checkpoints is not None and self.log.types[cursor.entry] == undo.type

    def _changes(self, cursor: Cursor) -> bool:
        """Whether an entry other than a decision changes anything; undoing an ignored entry does not."""
        to = cursor.checkpoint
        return not self._is_undo(cursor) or to is None or to.ply < self.game.ply

    def _undo(self, cursor: Cursor) -> Cursor:
        """Undoes the decisions since the last checkpoint; returns the cursor after the undo."""
        to = cursor.checkpoint
        assert to is not None
        decisions = self.game.ply - to.ply
        try:
            back = self._take_back(decisions)
        except SpentError:  # the other effects of the undo are unknown
            self._took_back(cursor, TakenBack(decisions, self._take_back.keep) if decisions else None)
            raise
        self._took_back(cursor, back)
        waiting = cursor.waiting or decisions > 0
        return Cursor(
            cursor.entry + 1, _NONE, to.heads, 0, cursor.automatic, waiting, checkpoint=to.before, orders=to.orders
        )

    def _took_back(self, cursor: Cursor, back: TakenBack | None) -> None:
        """Records the undo made by an entry."""
        if back is not None:
            self.moves.append(back)
            self.entries.append(cursor.entry)

    def _after_end(self, cursor: Cursor) -> Cursor:
        """The cursor after an entry that ended the game."""
        self._search.ended = self._search.ended or cursor.entry
        return cursor.past()

    def _refused(self, cursor: Cursor) -> tuple[None, Refusal | None]:
        """The refusal of an entry other than a decision; None if it is legal."""
        undo, game = self.dialect.undo, self.game
        reason = ""
        if self.log.types[cursor.entry] in self.dialect.ends:
            pass
        elif self._search.ended is not None:
            reason = f"the log ended the game with entry {self._search.ended}"
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

    # --- illegal entries ---------------------------------------------------------------------

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
        """Undoes the options tried for an ignored entry; returns the cursor after the entry."""
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
        """The report on the first ignored entry of a dead log."""
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
        """The reason why an element of the first entry's lists does not fit the open decision; "" if none applies."""
        decision = self.game.decision
        for form in self._projections.by_decision.get(decision.name, ()) if decision else ():
            path = form.projection.list
            values = self.log.lists.get(path, [])
            if decision and path and cursor.head(path) < len(values):
                value = shown(str(values[cursor.head(path)]))
                return f"the first entry has {value} for `{decision.name}`, which is not possible here"
        return ""

    def _stop(self, cursor: Cursor, meant: Option | None, refusal: Refusal) -> Stop:
        """The report on an entry that matches no legal option."""
        entry, text = self.log[cursor.entry], str(meant) if meant else ""
        near = nearest(self.game, text or json.dumps(entry, ensure_ascii=False)[:200])
        return Stop(cursor.entry, entry, refusal, text, near, self.game.ply)
