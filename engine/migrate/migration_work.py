"""Migration of single logs, in this process or in workers."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.report import DiagnosticsError, Report, failure
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.logs.saved_game import SaveError
from rulespec.engine.migrate.migrate import Verdict, migrate
from rulespec.engine.replay.replay import ReplayRequest, ReplayResult
from rulespec.engine.simulate.workers import ruleset_of
from rulespec.load import load_ruleset

_load = lru_cache(16)(load_ruleset)


class MigrationPlan(Struct, frozen=True):
    """The parameters of a migration.

    Attributes:
        to: the reference to the changed rules.
        sources_hash: the hash of the changed rules' texts.
        own: the reference to the logs' rules; None for the rules that each log carries or names.
        out: the folder for migrated games; None to write nothing.
        numbers: whether to migrate games with the verdict `numbers` as well.
    """

    to: str
    sources_hash: str
    own: str | None = None
    out: str | None = None
    numbers: bool = False

    def carries(self, verdict: str) -> bool:
        """Whether games with this verdict are migrated."""
        return verdict == Verdict.FAITHFUL or (self.numbers and verdict == Verdict.NUMBERS)


class Carried(Struct, frozen=True):
    """The outcome for a log: an element of `games` as in migrate.schema.json, or an error."""

    log: str
    result: dict[str, Any] | None
    error: str = ""


def carried(plan: MigrationPlan, path: str) -> Carried:
    """Migrates a log and writes the result; returns the outcome.

    Raises:
        SaveError: if the output file already exists or cannot be written.
        ClusterError: if the rules that this worker loads differ from the sender's.
    """
    try:
        replay = legal_replay(plan, path)
        result = migrate(replay, ruleset_of(plan.to, plan.sources_hash))
    except DiagnosticsError as error:
        return Carried(path, None, error.diagnostics[0].message)
    except RulesetFaultError as fault:
        return Carried(path, None, fault.diagnostic.message)
    if plan.out is not None and plan.carries(result.verdict):
        name = Path(path).name
        for ending in (".gz", ".jsonl", ".json"):
            name = name.removesuffix(ending)
        target = Path(plan.out) / f"{name}.jsonl"
        if target.exists():
            raise SaveError(f"{target} already exists: name an empty folder")
        try:
            result.write(target, replay)
        except OSError as error:
            raise SaveError(f"{target} cannot be written: {error.strerror}") from None
    return Carried(path, result.to_json())


def legal_replay(plan: MigrationPlan, path: str) -> ReplayResult:
    """The replay of a log under its own rules.

    Raises:
        DiagnosticsError: if the log is unreadable; RS821 if it is illegal under its rules.
    """
    replay = ReplayRequest(Path(path), rules=plan.own, report=Report(), load=_load, single_use=True).replay()
    if replay.divergence is not None:
        at, reason = replay.divergence.index, replay.divergence.refusal.reason
        message = f"the log breaks its own rules after {at:,} decisions: {reason}"
        raise failure("RS821", message, None, "name the rules that it was played under: --from REF")
    return replay
