"""Identification of the edition, variants and settings of a recorded game, by the fewest departures from a ruleset that
explain it.

A departure is an overlay offered by the ruleset, or a setting with a non-default value. The log's decisions are the
only evidence. They name every open decision, so wrong rules soon refuse a decision, or open one that is missing from
the log.

The method is a beam search by the number of departures. At each level, the candidates that replay most of the log are
extended by each departure that lets the log get further, or makes it stop for a different reason, which the next
departure must then remove. If no single departure helps, every overlay is tried once, in case it needs one of its
settings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import first_machine, machine, quick_machine
from rulespec.engine.game.refusal import refused
from rulespec.engine.game.seating import check_settings
from rulespec.engine.logs.log_text import fail
from rulespec.engine.logs.native import NativeLog
from rulespec.engine.logs.recorded import RecordedDecision, RecordedMove
from rulespec.engine.replay.recorded_walk import RefusedDecision, walk
from rulespec.engine.replay.replay import Load, named_ruleset
from rulespec.errors import RulespecError
from rulespec.load import load_ruleset
from rulespec.records import Brief
from rulespec.ruleset_files import SameFiles
from rulespec.typed import nodes as typed
from rulespec.typed.settings import taken, values_to_try

MAX_MOVES = 20_000
"""Maximum number of lines in a log: many times that of a long game, but few enough for the game to fit into memory."""
MAX_REPLAYS = 600
"""Maximum number of candidates tried per log."""
MAX_DECISIONS = 2_000_000
"""Maximum total number of decisions replayed per log, which take a few minutes."""
FIRST = 40
"""The number of decisions in a first trial of a candidate; they take as long as generating its code."""
MAX_DEPARTURES = 8
WIDTH = 3
"""Beam width: the number of candidates expanded per level."""
_RULESETS = 64  # in memory

Step = Callable[[int], object]
"""A function called after each candidate, with the number of candidates tried so far."""


@dataclass(frozen=True, slots=True)
class RulesCandidate:
    """A variant of a ruleset: overlays in the order of the ruleset, and its non-default settings, sorted by name."""

    overlays: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()

    @property
    def departures(self) -> int:
        """The number of departures from the ruleset."""
        return len(self.overlays) + len(self.settings)


@dataclass(frozen=True, slots=True, repr=False)
class CandidateTrial(Brief):
    """The result of replaying the log under a candidate: the number of legal decisions, and the first refused one (None
    if all are legal).
    """

    candidate: RulesCandidate
    ref: str
    legal: int
    difference: RefusedDecision | None

    def to_json(self) -> dict[str, Any]:
        """The trial as plain data; see identify.schema.json."""
        return {
            "ruleset": self.ref,
            "overlays": list(self.candidate.overlays),
            "settings": dict(self.candidate.settings),
            "departures": self.candidate.departures,
            "legal": self.legal,
            "difference": self.difference.to_json() if self.difference else None,
        }


@dataclass(slots=True, repr=False)
class Identification(Brief):
    """The rules that fit a log, as found by a search, and the extent of the search.

    Attributes:
        log: the log file.
        base: the reference of the ruleset from which departures are counted.
        decisions: the number of decisions in the log, including undone ones.
        answers: candidates under which the log is legal, all with the same number of departures; empty if none is
            found.
        closest: the candidate that replays most of the log; None if there are answers.
        undecided: changes to the first answer that keep the log legal: (overlay, "") or (setting, value).
        named: (setting, value) → the overlay that has the same effect.
        replays: the number of candidates tried.
        complete: whether the search ended before reaching a bound.
    """

    log: str
    base: str
    decisions: int
    answers: list[CandidateTrial] = field(default_factory=list)
    closest: CandidateTrial | None = None
    undecided: list[tuple[str, str]] = field(default_factory=list)
    named: dict[tuple[str, str], str] = field(default_factory=dict)
    replays: int = 0
    complete: bool = True

    def to_json(self) -> dict[str, Any]:
        """The identification as plain data; see identify.schema.json."""
        settings: dict[str, list[str]] = {}
        for name, value in self.undecided:
            if value:
                settings.setdefault(name, []).append(value)
        return {
            "log": self.log,
            "base": self.base,
            "decisions": self.decisions,
            "answers": [trial.to_json() for trial in self.answers],
            "closest": self.closest.to_json() if self.closest else None,
            "undecided": {"overlays": [name for name, value in self.undecided if not value], "settings": settings},
            "replays": self.replays,
            "complete": self.complete,
        }


def identify(
    log: NativeLog,
    rules: str | None = None,
    *,
    details: bool = True,
    load: Load | None = None,
    step: Step | None = None,
) -> Identification:
    """The identification of the rules under which a log was played.

    Args:
        log: a native log. Only the ruleset id and the seats of its header are used.
        rules: the reference of the ruleset to start from; by default, the ruleset of the log.
        details: whether to find the `undecided` changes as well.
        load: a function that loads a ruleset; by default from disk, reading each file once.
        step: a function called after each candidate, with the number tried so far.

    Raises:
        DiagnosticsError: if the ruleset is unreadable, or the log undoes more decisions than there are.
    """
    load = load or partial(load_ruleset, files=SameFiles())
    moves = recorded_moves(log)
    ruleset = load(rules) if rules is not None else named_ruleset(log, load, overlays=False)
    base = ruleset.reference
    search = _Search(ruleset, log.header.seats, moves, load, step)
    result = Identification(log.file, base, sum(isinstance(move, RecordedDecision) for move in moves))
    try:
        answers, closest = search.run()
        result.answers = answers
        result.closest = None if answers else closest
        if answers and details:
            result.undecided = search.undecided(answers[0])
    except _ExhaustedError:
        result.complete = False
        result.answers = search.legal()
        result.closest = None if result.answers else search.furthest
    result.named = search.named
    result.replays = search.replays
    return result


def recorded_moves(log: NativeLog) -> list[RecordedMove]:
    """The decisions of a log, including undos.

    Raises:
        DiagnosticsError: RS602 if there are too many, RS607 if the log undoes more than there are.
    """
    if len(log.entries) > MAX_MOVES:
        fail(
            "RS602",
            f"the log has more than {MAX_MOVES:,} lines, too many to identify its rules",
            log.span(log.entries[MAX_MOVES]),
        )
    moves: list[RecordedMove] = []
    standing = 0
    for entry in log.entries:
        back = entry.back
        if back is None:
            moves.append(RecordedDecision(entry.decision, entry.by, entry.option))
            standing += 1
        elif back.decisions > standing:
            fail("RS607", f"there are fewer than {back.decisions} decisions to take back", log.span(entry))
        else:
            moves.append(back)
            standing -= back.decisions
    return moves


class _ExhaustedError(RulespecError):
    """Raised when a bound of the search is reached."""


class _Search:
    """The search for the rules of one log."""

    def __init__(
        self, ruleset: typed.Ruleset, seats: Mapping[str, str], moves: list[RecordedMove], load: Load, step: Step | None
    ) -> None:
        self.seats = seats
        self.moves = moves
        self.ruleset = ruleset
        self.replays = 0
        self.named: dict[tuple[str, str], str] = {}
        self.furthest: CandidateTrial | None = None
        self._step = step
        self._load = lru_cache(_RULESETS)(load)
        self._misfits: set[tuple[str, ...]] = set()  # incompatible overlays
        self._left = MAX_DECISIONS
        self._tried: dict[RulesCandidate, CandidateTrial | None] = {}
        self._further = {RulesCandidate()}  # candidates that get further than one with fewer departures
        self._overlays: list[str] | None = None

    def run(self) -> tuple[list[CandidateTrial], CandidateTrial | None]:
        """The answers with the fewest departures or, if there are none, the candidate that gets furthest."""
        start = self._try(RulesCandidate())
        level, width, widened = [start] if start is not None else [], WIDTH, False
        for _ in range(MAX_DEPARTURES):
            if any(trial.difference is None for trial in level):
                break
            level.sort(key=lambda trial: -trial.legal)
            best = level[0].legal if level else 0
            children: dict[RulesCandidate, CandidateTrial] = {}
            for parent in level[:width]:
                children |= {child.candidate: child for child in self._children(parent)}
            width = WIDTH
            if not widened and level and all(child.legal <= best for child in children.values()):
                # No single change gets further, but an overlay together with one of its settings may.
                children |= {child.candidate: child for child in self._with_overlay(level[0])}
                width, widened = len(children), True
            level = list(children.values())
        return self._shrunk([trial for trial in level if trial.difference is None]), self.furthest

    def legal(self) -> list[CandidateTrial]:
        """The legal trials with the fewest departures so far."""
        results = [trial for trial in self._tried.values() if trial is not None and trial.difference is None]
        least = min((trial.candidate.departures for trial in results), default=0)
        return [trial for trial in results if trial.candidate.departures == least]

    def undecided(self, answer: CandidateTrial) -> list[tuple[str, str]]:
        """Single changes to an answer that keep the log legal, except changes back to a default."""
        results = []
        for change, candidate in self._changes(answer.candidate):
            trial = self._try(candidate)
            if trial is not None and trial.difference is None:
                results.append(change)
        return results

    def _children(self, parent: CandidateTrial) -> Iterator[CandidateTrial]:
        """Candidates with one more departure that get further, or stop for a new reason."""
        for _, candidate in self._changes(parent.candidate):
            trial = self._try(candidate) if candidate.departures > parent.candidate.departures else None
            if trial is None or trial.legal < parent.legal:
                continue
            if trial.legal > parent.legal:
                self._further.add(candidate)
                yield trial
            elif _reason(trial) != _reason(parent) and parent.candidate in self._further:
                yield trial

    def _with_overlay(self, parent: CandidateTrial) -> Iterator[CandidateTrial]:
        """Candidates with one more overlay, whether or not they get further."""
        for (_, value), candidate in self._changes(parent.candidate):
            trial = self._try(candidate) if not value else None
            if trial is not None:
                yield trial

    def _shrunk(self, answers: list[CandidateTrial]) -> list[CandidateTrial]:
        """The answers with the fewest departures, after removal of needless departures."""
        pending = list(answers)
        while pending:
            smaller = (self._try(candidate) for candidate in _smaller(pending.pop().candidate))
            pending += [trial for trial in smaller if trial is not None and trial.difference is None]
        return self.legal() if answers else []

    def _changes(self, candidate: RulesCandidate) -> Iterator[tuple[tuple[str, str], RulesCandidate]]:
        """Single changes of a candidate, by a setting or an additional overlay, each with the changed candidate."""
        ruleset = self._rules(candidate.overlays)
        assert ruleset is not None
        chosen = dict(candidate.settings)
        for setting in ruleset.settings.values():
            now = chosen.get(setting.name, setting.default)
            for value in values_to_try(setting):
                if value not in (now, setting.default):
                    settings = {**chosen, setting.name: value}
                    yield (setting.name, value), RulesCandidate(candidate.overlays, tuple(sorted(settings.items())))
        for overlay in self._offered():
            if overlay not in candidate.overlays:
                overlays = tuple(o for o in self._offered() if o in (*candidate.overlays, overlay))
                yield (overlay, ""), RulesCandidate(overlays, candidate.settings)

    def _offered(self) -> list[str]:
        """The overlays to try: all offered ones except those that amount to a setting's value."""
        if self._overlays is None:
            self._overlays = []
            for overlay in self.ruleset.offered:
                if overlay in self.ruleset.overlays:
                    continue
                ruleset = self._rules((overlay,))
                setting = _setting_only(self.ruleset, ruleset, len(self.seats)) if ruleset is not None else None
                if setting is not None:
                    self.named[setting] = overlay
                else:
                    self._overlays.append(overlay)
        return self._overlays

    def _rules(self, overlays: tuple[str, ...]) -> typed.Ruleset | None:
        """The ruleset with these overlays; None if they are incompatible."""
        if not overlays:
            return self.ruleset
        if overlays in self._misfits:
            return None
        try:
            return self._load("+".join((self.ruleset.reference, *overlays)))
        except DiagnosticsError:
            self._misfits.add(overlays)
            return None

    def _try(self, candidate: RulesCandidate) -> CandidateTrial | None:
        """The trial of a candidate, memoised; None if its rules do not exist."""
        if candidate not in self._tried:
            self._tried[candidate] = self._replay(candidate)
        return self._tried[candidate]

    def _replay(self, candidate: RulesCandidate) -> CandidateTrial | None:
        ruleset = self._rules(candidate.overlays)
        if ruleset is None or not _has(ruleset, candidate.settings):
            return None
        if self.replays >= MAX_REPLAYS or self._left <= 0:
            raise _ExhaustedError
        self.replays += 1
        trial = replayed(candidate, ruleset, self.seats, self.moves)
        self._left -= trial.legal + 1
        if self._step is not None:
            self._step(self.replays)
        if self.furthest is None or trial.legal > self.furthest.legal:
            self.furthest = trial
        return trial


def replayed(
    candidate: RulesCandidate, ruleset: typed.Ruleset, seats: Mapping[str, str], moves: list[RecordedMove]
) -> CandidateTrial:
    """The trial of a candidate; `ruleset` includes the candidate's overlays.

    Raises:
        DiagnosticsError: RS708, RS649 if the id or the name of a seat is invalid under any rules.
    """
    try:
        # Most candidates fail early, before generating their code would pay.
        for machines, part in ((first_machine, moves[:FIRST]), (quick_machine, moves)):
            walked = walk(Game(ruleset, seats, dict(candidate.settings), machines), part)
            if walked.difference is not None:
                break
    except DiagnosticsError as error:
        if any(d.code in ("RS649", "RS708") for d in error.diagnostics):
            raise
        refusal = refused(error.diagnostics[0].message)
        return CandidateTrial(
            candidate, ruleset.ref, 0, RefusedDecision(0, RecordedDecision("", None, ""), None, None, refusal, ())
        )
    return CandidateTrial(candidate, ruleset.ref, walked.legal, walked.difference)


def _reason(trial: CandidateTrial) -> str:
    return str(trial.difference.refusal) if trial.difference is not None else ""


def _has(ruleset: typed.Ruleset, settings: tuple[tuple[str, str], ...]) -> bool:
    """Whether a ruleset has these settings, with these values as non-default ones."""
    for name, value in settings:
        setting = ruleset.settings.get(name)
        if setting is None or taken(setting, value) is None or value == setting.default:
            return False
    return True


def _smaller(candidate: RulesCandidate) -> Iterator[RulesCandidate]:
    """The candidates with one departure fewer."""
    for overlay in candidate.overlays:
        yield RulesCandidate(tuple(o for o in candidate.overlays if o != overlay), candidate.settings)
    for setting in candidate.settings:
        yield RulesCandidate(candidate.overlays, tuple(s for s in candidate.settings if s != setting))


def _setting_only(base: typed.Ruleset, laid_over: typed.Ruleset, seats: int) -> tuple[str, str] | None:
    """The setting and value equivalent to an overlay; None if it changes more than a setting's default."""
    if base.settings.keys() != laid_over.settings.keys():
        return None
    changed = [o for o in laid_over.settings.values() if o.default != base.settings[o.name].default]
    if len(changed) != 1 or not base.players[0] <= seats <= base.players[1] or base.players != laid_over.players:
        return None
    settings = check_settings(laid_over, {})
    try:
        same = machine(base, seats, settings, "interpreter").p == machine(laid_over, seats, settings, "interpreter").p
    except (DiagnosticsError, RecursionError):
        return None
    return (changed[0].name, changed[0].default) if same else None
