"""Replays of a corpus: a plan as plain data, and the row of each log, computed in this process or in a worker."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from rulespec.bundles.packed_bundle import Bundle
from rulespec.bundles.rules import bundle_of, is_everywhere, ruleset_in
from rulespec.diagnostics.diagnostic import Severity
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.versions import RULESPEC
from rulespec.engine.corpus.log_rows import FirstRefusal, LogRow, Reading, Under, readings, under_of
from rulespec.engine.corpus.logs import Log, Manifest
from rulespec.engine.corpus.ruleset_words import ruleset_words
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.seating import seat_names
from rulespec.engine.logs.carried import carried_bundle
from rulespec.engine.logs.log_text import MAX_NATIVE_BYTES, log_text
from rulespec.engine.logs.native import is_native, parse_log
from rulespec.engine.replay.divergence import Divergence
from rulespec.engine.replay.judge import JudgedOutcome, judge, rules_under
from rulespec.engine.replay.other_result import recorded_result
from rulespec.engine.replay.positions import measured
from rulespec.engine.replay.replay import Load, ReplayRequest, ReplayResult
from rulespec.engine.simulate.game_plans import place_in
from rulespec.engine.simulate.workers import ClusterError, on_workers, ruleset_of
from rulespec.load import load_ruleset
from rulespec.references import is_path, parts_of
from rulespec.typed import nodes as typed

BATCH = 200
"""The number of logs per batch on a cluster that cannot return rows one by one; a batch includes its logs' bytes."""
_T = TypeVar("_T")
_RULESETS = 16
COLLECTED = 40
"""The number of logs between garbage collections: games form reference cycles, and commands rarely collect.

Only young objects are collected, as rules and machines are old and would take most of the time.
"""
_replayed = count()

_load = lru_cache(_RULESETS)(load_ruleset)


class WorkerRules(Struct, frozen=True):
    """A ruleset in the form sent to workers.

    Attributes:
        name: the reference in the plan or a log.
        reference: the reference from which the worker loads the ruleset.
        sources_hash: the hash of the rules' texts.
        bundle: the rules' files, if workers may lack them.
    """

    name: str
    reference: str
    sources_hash: str
    bundle: Bundle | None = None

    @classmethod
    def of(cls, name: str, ruleset: typed.Ruleset, *, away: bool) -> WorkerRules:
        """Converts a loaded ruleset to the form sent to workers; `away` says that workers may lack its files.

        Raises:
            DiagnosticsError: RS657 if the rules are too large for a bundle.
        """
        if not away:
            return cls(name, name, ruleset.sources_hash)
        bundle = None if is_everywhere(ruleset) else bundle_of(ruleset)
        return cls(name, ruleset.ref, ruleset.sources_hash, bundle)

    def load(self) -> typed.Ruleset:
        """Loads the ruleset.

        Raises:
            ClusterError: if its sources do not match the hash.
        """
        return ruleset_in(self.bundle) if self.bundle is not None else ruleset_of(self.reference, self.sources_hash)


class ReplayPlan(Struct, frozen=True):
    """The inputs that, together with a log, determine the log's row.

    Attributes:
        rules: the rules for all logs; None means each log's own.
        under: the rules under which to judge the logs; `+OVERLAY` adds an overlay to each log's own rules.
        known: the rules that `rules` and `under` name.
        dialect: the dialect of foreign logs; None means to recognise it automatically.
        past: whether replays continue past known faults of foreign systems.
        usual: whether to insert usual answers; see `judge`.
        every: the number of decisions between measurements; 0 means to measure only the last position.
        backend: the machine, which does not affect the rows.
        version: the version of the program.
    """

    rules: str | None = None
    under: str | None = None
    known: tuple[WorkerRules, ...] = ()
    dialect: str | None = None
    past: bool = False
    usual: bool = False
    every: int = 0
    backend: Backend = "auto"
    version: str = RULESPEC

    def header(self, manifest: Manifest) -> dict[str, Any]:
        """The header of the rows of a corpus."""
        hashes = {rules.name: rules.load().hash for rules in self.known}
        return {
            "rulespec": self.version,
            "logs": manifest.logs,
            "digest": manifest.digest,
            "rules": self.rules,
            "under": self.under,
            "hashes": hashes,
            "dialect": self.dialect,
            "past_known_faults": self.past,
            "usual": self.usual,
            "over_time": self.every,
        }

    @property
    def machine(self) -> Backend:
        """The machine for replays. The default is Python: wasm would take memory for each table but save little time,
        since most of it goes to parsing.
        """
        return "python" if self.backend == "auto" else self.backend


def plan_of(plan: ReplayPlan, *, away: bool) -> ReplayPlan:
    """The plan, completed by the rules that it names; `away` says that workers may lack their files.

    Raises:
        DiagnosticsError: if the rules are unreadable, or cannot be bundled.
        ClusterError: if custom overlays cannot be sent.
    """
    names = [name for name in (plan.rules, plan.under) if name is not None and not name.startswith("+")]
    overlays = parts_of(plan.under)[1:] if plan.under is not None and plan.under.startswith("+") else []
    if away and any(map(is_path, overlays)):
        raise ClusterError("workers of a cluster may lack the overlay's file: name the whole ruleset, REF+./OVERLAY")
    known = tuple(WorkerRules.of(name, _load(name), away=away) for name in dict.fromkeys(names))
    return ReplayPlan(
        plan.rules, plan.under, known, plan.dialect, plan.past, plan.usual, plan.every, plan.backend, plan.version
    )


def words_of_rulesets(rulesets: Mapping[str, str]) -> dict[str, Any]:
    """The title, unit of scores and measures of each ruleset, by reference; `rulesets` maps references to hashes.

    Embedded rules, and rules that have changed in the meantime, are left out.
    """
    results = {}
    for reference, hash_ in rulesets.items():
        try:
            ruleset = _load(reference)
        except DiagnosticsError:
            continue
        if ruleset.hash == hash_:
            results[reference] = ruleset_words(ruleset)
    return results


def replayed(plan: ReplayPlan, logs: Iterable[Log], jobs: int = 1, cluster: str = "") -> Iterator[LogRow]:
    """The rows of logs, in order; see `on_workers` for the arguments.

    Raises:
        ClusterError: if workers cannot be started or reached, end too early, or have different rules.
    """
    return done_with(row_of, plan, logs, jobs, cluster)


def done_with(
    work: Callable[[ReplayPlan, Log, WorkerRules | None], _T],
    plan: ReplayPlan,
    logs: Iterable[Log],
    jobs: int = 1,
    cluster: str = "",
) -> Iterator[_T]:
    """The result of a function such as `row_of` for each log; see `replayed`."""
    if jobs == 1 and not cluster:
        return (work(plan, log, None) for log in logs)
    tasks = ((plan, log, _sent_along(plan, log) if cluster else None) for log in logs)
    return on_workers(work, tasks, jobs, cluster, BATCH)


def _sent_along(plan: ReplayPlan, log: Log) -> WorkerRules | None:
    """The rules of a native log that cluster workers may lack: those that it names, or those beside it."""
    try:
        text, whole = log_text(log.data, log.name, MAX_NATIVE_BYTES)
        if plan.rules is not None or not is_native(text):
            return None
        native = parse_log(text, log.name, whole)
        if native.header.bundle is not None:
            return None
        name = native.header.ruleset
        if (bundle := carried_bundle(native)) is not None:
            return WorkerRules(name, name, bundle.sources, bundle)
        rules = WorkerRules.of(name, _load(name), away=True)
    except DiagnosticsError:
        return None  # the worker will report it
    return rules if rules.bundle is not None else None


def row_of(plan: ReplayPlan, log: Log, own: WorkerRules | None = None) -> LogRow:
    """The row of a log; `own` contains the log's rules if the worker may lack them.

    Raises:
        ClusterError: if this worker has a different version of the program, or different rules.
    """
    return row_and_result(plan, log, own)[0]


def row_and_result(plan: ReplayPlan, log: Log, own: WorkerRules | None = None) -> tuple[LogRow, ReplayResult | None]:
    """The row of a log, and its replay if the log is readable. Takes the same arguments and raises the same errors as
    `row_of`.
    """
    if plan.version != RULESPEC:
        raise ClusterError(f"a worker has Rulespec {RULESPEC}, not {plan.version}: install the same version there")
    if log.refusal:
        return LogRow(log.game, log.name, log.sha256, "unreadable", ": ".join(log.refusal)), None
    if next(_replayed) % COLLECTED == 0:
        gc.collect(1)
    load = _loader((*plan.known, *([own] if own is not None else [])))
    try:
        result = ReplayRequest(
            Path(log.name),
            rules=plan.rules,
            dialect=plan.dialect,
            backend=plan.machine,
            load=load,
            past_known_faults=plan.past,
            data=log.data,
            skipped=log.skipped,
            warns=False,  # rows have none
        ).replay()
        return _Rows(plan, log, result).row(load), result
    except DiagnosticsError as error:
        wrong = next(d for d in error.diagnostics if d.severity is Severity.ERROR)
    except RulesetFaultError as fault:
        wrong = fault.diagnostic
    return LogRow(log.game, log.name, log.sha256, "unreadable", f"{wrong.code}: {wrong.message}"), None


def _loader(known: tuple[WorkerRules, ...]) -> Load:
    by_name = {rules.name: rules for rules in known}

    def load(reference: str) -> typed.Ruleset:
        rules = by_name.get(reference)
        return _load(reference) if rules is None else rules.load()

    return load


class _Rows:
    """The row of a replay, with the default ids of seats instead of names."""

    def __init__(self, plan: ReplayPlan, log: Log, result: ReplayResult) -> None:
        self._plan = plan
        self._log = log
        self._result = result
        game = result.game
        self._ids = dict(zip(game.seats, seat_names(len(game.seats), game.ruleset.seats), strict=True))
        names = {n for pair in game.names.items() for n in pair if len(n) > 1 and n not in self._ids.values()}
        self._by_name = {text: self._ids[seat] for seat, name in game.names.items() for text in (seat, name)}
        self._names = re.compile("|".join(rf"\b{re.escape(n)}\b" for n in sorted(names, key=len, reverse=True)))

    def row(self, load: Load) -> LogRow:
        """The row of the replayed log. Raises `DiagnosticsError` or `RulesetFaultError`."""
        result, game = self._result, self._result.game
        divergence = result.divergence
        verdict = "diverges" if divergence is not None else "other_end" if result.other_end is not None else "legal"
        cause = None
        if divergence is not None:
            cause = self._cause(divergence, game.ruleset)
        ended, winners, scores = self._outcome(JudgedOutcome.of(game))
        other = None if divergence is not None else recorded_result(game, result.notes.header, result.other_end)
        return LogRow(
            self._log.game,
            self._log.name,
            self._log.sha256,
            verdict,
            "",
            result.system,
            game.ruleset.ref,
            game.ruleset.hash,
            len(game.seats),
            dict(game.settings),
            game.ply,
            ended,
            winners,
            scores,
            game.hash,
            len(result.ignored),
            len(result.passed),
            cause,
            self._measures(),
            self._under(load) if self._plan.under is not None and divergence is None else None,
            other.renamed(self._ids, self._say) if other is not None else None,
        )

    def _measures(self) -> tuple[Reading, ...]:
        result, game = self._result, self._result.game
        last = readings(game.omniscient.measures(), game.ply, self._ids)
        if not self._plan.every:
            return last
        course = measured(game, result.moves, self._plan.every)
        return (*(r for ply, of in course if ply < game.ply for r in readings(of, ply, self._ids)), *last)

    def _under(self, load: Load) -> Under:
        result, game, under = self._result, self._result.game, self._plan.under or ""
        try:
            ruleset = rules_under(result.log, game, under, load)
            judged = judge(result.log, game, ruleset, self._plan.machine, result.moves, usual=self._plan.usual)
        except DiagnosticsError as error:
            wrong = next(d for d in error.diagnostics if d.severity is Severity.ERROR)
            return Under(f"{wrong.code}: {wrong.message}")
        return under_of(judged, self._say, self._by_name)

    def _say(self, reason: str) -> str:
        """A reason without people's names."""
        return self._names.sub(lambda match: self._by_name[match[0]], reason) if self._names.pattern else reason

    def _cause(self, divergence: Divergence, ruleset: typed.Ruleset) -> FirstRefusal:
        refusal = divergence.refusal
        written = place_in(ruleset, refusal.span)
        return FirstRefusal(divergence.index, divergence.place, self._say(refusal.reason), refusal.rules, written)

    def _outcome(self, outcome: JudgedOutcome) -> tuple[str | None, tuple[str, ...], Mapping[str, int]]:
        scores = {self._ids[seat]: points for seat, points in outcome.scores.items()}
        return outcome.ended, tuple(self._ids[seat] for seat in outcome.winners), scores
