"""Judgement of a recorded game under other rules: the first illegal decision, or the change in the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rulespec.bundles.place import is_carried, whose
from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.option import Option, RulesetFaultError, TakenBack
from rulespec.engine.game.state_json import scores
from rulespec.engine.replay.answers import InsertedAnswer
from rulespec.engine.replay.recorded_walk import RefusedDecision
from rulespec.engine.replay.replay import Load, ReplayRequest
from rulespec.engine.replay.walk_under import walk_under
from rulespec.load import load_ruleset
from rulespec.records import Brief
from rulespec.references import parts_of
from rulespec.typed import nodes as typed
from rulespec.typed.settings import taken


@dataclass(frozen=True, slots=True)
class JudgedOutcome:
    """The outcome of a game: ending (None if the game is unfinished), points by seat, and winners."""

    ended: str | None
    scores: Mapping[str, int]
    winners: tuple[str, ...]

    @classmethod
    def of(cls, game: Game) -> JudgedOutcome:
        """The current outcome of a game."""
        result = game.result
        if result is None:
            return cls(None, scores(game), ())
        return cls(result.ending, result.scores, tuple(result.winners))

    def to_json(self) -> dict[str, Any]:
        """The outcome as plain data; see under.schema.json."""
        return {"ended": self.ended, "scores": dict(self.scores), "winners": list(self.winners)}


@dataclass(frozen=True, slots=True, repr=False)
class Judgement(Brief):
    """The judgement of a recorded game under other rules.

    Attributes:
        log: the log file.
        ruleset: the reference of the log's own rules, as ids.
        under: the other rules.
        decisions: the number of recorded decisions.
        legal: the number of leading decisions that stay legal.
        forced: the number of additional decisions at which only one option lets the log continue.
        answers: the answers chosen at other additional decisions.
        skipped: the number of recorded decisions that the other rules never ask for.
        dropped: the settings that the other rules do not know, as texts.
        difference: the first illegal decision; None if all are legal.
        recorded: the recorded outcome.
        outcome: the outcome under the other rules, or the state before the first illegal decision.
        names: seat → displayed name.
        carried: the note that the log was replayed under its embedded rules, or "".
    """

    log: str
    ruleset: str
    under: typed.Ruleset
    decisions: int
    legal: int
    forced: int
    answers: tuple[InsertedAnswer, ...]
    skipped: int
    dropped: tuple[str, ...]
    difference: RefusedDecision | None
    recorded: JudgedOutcome
    outcome: JudgedOutcome
    names: Mapping[str, str]
    carried: str = ""

    @property
    def ends_earlier(self) -> bool:
        """Whether, under the other rules, the game ends before its log does."""
        return self.difference is None and self.legal + self.skipped < self.decisions

    @property
    def winners(self) -> str | None:
        """The effect on the winners: `same`, `other`, or `open` if the game is unfinished; None if a decision is
        illegal.
        """
        if self.difference is not None:
            return None
        if self.outcome.ended is None:
            return "open"
        return "same" if self.outcome.winners == self.recorded.winners else "other"

    @property
    def unchanged(self) -> bool:
        """Whether all decisions stay legal, and the winners stay the same or the game stays unfinished."""
        return self.winners == "same" or (self.winners == "open" and self.recorded.ended is None)

    def to_json(self) -> dict[str, Any]:
        """The judgement as plain data; see under.schema.json."""
        return {
            "log": self.log,
            "ruleset": self.ruleset,
            **({"rules_in_log": True} if self.carried else {}),
            "under": self.under.ref,
            "decisions": self.decisions,
            "legal": self.legal,
            "forced": self.forced,
            "answers": [answer.to_json() for answer in self.answers],
            "skipped": self.skipped,
            "dropped": list(self.dropped),
            "difference": self.difference.to_json() if self.difference else None,
            "recorded": self.recorded.to_json(),
            "outcome": self.outcome.to_json(),
            "ends_earlier": self.ends_earlier,
            "winners": self.winners,
        }


def judge_file(
    path: Path,
    under: str,
    *,
    rules: str | None = None,
    dialect: str | None = None,
    backend: Backend = "auto",
    usual: bool = False,
    report: Report | None = None,
    load: Load = load_ruleset,
) -> Judgement:
    """The judgement of a log, from replaying it first under its own rules and then under the others.

    Args:
        path: the log, native or foreign.
        under: the reference of the other rules; with a leading `+`, overlays on the log's own rules.
        rules: the log's own rules, if they differ from the rules that it names.
        dialect: the id of the dialect, for a foreign log; by default, the log is recognised.
        backend: the machine for the rules.
        usual: whether to insert usual answers to questions that only the other rules ask; see `Answers`.
        report: the report that receives warnings.
        load: a function that loads a ruleset; pass a cached one for many logs.

    Raises:
        DiagnosticsError: if the log or a ruleset is unreadable, or they do not match; RS821 if the log is illegal under
            its own rules.
    """
    result = ReplayRequest(
        path, rules=rules, dialect=dialect, backend=backend, report=report or Report(), load=load
    ).replay()
    game = result.game
    if result.divergence is not None:
        at, reason = result.divergence.index, result.divergence.refusal.reason
        message = f"the log breaks its own rules after {at:,} decisions: {reason}"
        help_ = "replay it without --under to see where"
        raise DiagnosticsError([Diagnostic("RS821", Severity.ERROR, message, Span(result.log, 1, 1, 1, 2), help=help_)])
    return judge(result.log, game, rules_under(result.log, game, under, load), backend, result.moves, usual=usual)


def rules_under(log: str, game: Game, under: str, load: Load = load_ruleset) -> typed.Ruleset:
    """The rules for judging a game; `+…` adds overlays to the game's own.

    Raises:
        DiagnosticsError: if the rules are unreadable; RS624 if they do not match the game's own.
    """
    if not under.startswith("+"):
        return load(under)
    if is_carried(game.ruleset) and not _is_at_hand(game.ruleset, load):
        message = f"this log was made under its own rules, which are not available: `{under}` cannot be applied to them"
        help_ = f"name the whole ruleset: `--under {game.ruleset.ref}{under}`"
        raise DiagnosticsError([Diagnostic("RS624", Severity.ERROR, message, Span(log, 1, 1, 1, 2), help=help_)])
    own = game.ruleset.ref if is_carried(game.ruleset) else game.ruleset.reference
    return _laid_over(log, own, under, load)


def _is_at_hand(carried: typed.Ruleset, load: Load) -> bool:
    """Whether the reference of a log's embedded ruleset leads to the same rules on this machine."""
    try:
        return load(carried.ref).hash == carried.hash
    except DiagnosticsError:
        return False


def _laid_over(log: str, own: str, overlays: str, load: Load) -> typed.Ruleset:
    """The log's own rules with further overlays.

    Raises:
        DiagnosticsError: RS501, RS502 for an unknown overlay; RS624 if it does not fit the log's own rules.
    """
    try:
        return load(own + overlays)
    except DiagnosticsError as error:
        first = next(d for d in error.diagnostics if d.severity is Severity.ERROR)
        if first.code in ("RS501", "RS502"):
            raise
        message = f"`{overlays}` cannot be applied to the log's own rules, `{own}`: {first.message}"
        base = parts_of(own)[0]
        help_ = f"list all problems with `rulespec validate {own}{overlays}`"
        help_ += f", or omit the log's overlays: `--under {base}{overlays}`"
        start = Span(log, 1, 1, 1, 2)
        raise DiagnosticsError([Diagnostic("RS624", Severity.ERROR, message, start, help=help_)]) from None


def judge(
    log: str,
    game: Game,
    ruleset: typed.Ruleset,
    backend: Backend = "auto",
    moves: Sequence[Option | TakenBack] | None = None,
    *,
    usual: bool = False,
) -> Judgement:
    """The judgement of a game under a ruleset.

    Args:
        log: the name of the game's log.
        game: the game, at its end.
        ruleset: the other rules.
        backend: the machine for the rules.
        moves: the decisions, including undos; by default, the game's history.
        usual: whether to insert usual answers to questions that only the other rules ask; see `Answers`.

    Raises:
        DiagnosticsError: if the ruleset does not support this number of seats.
    """
    settings, dropped = transferred_settings(game, ruleset)
    other = Game(ruleset, game.names, settings, backend)
    walked = walk_under(other, restarted(game), game.history if moves is None else moves, usual=usual)
    try:
        outcome = JudgedOutcome.of(other)
    except RulesetFaultError as fault:
        raise DiagnosticsError([fault.diagnostic]) from None
    return Judgement(
        log=log,
        ruleset=game.ruleset.ref,
        under=ruleset,
        decisions=walked.decisions,
        legal=walked.legal,
        forced=walked.forced,
        answers=walked.answers,
        skipped=walked.skipped,
        dropped=dropped,
        difference=walked.difference,
        recorded=JudgedOutcome.of(game),
        outcome=outcome,
        carried=whose(game.ruleset),
        names=game.shown_names,
    )


def transferred_settings(game: Game, ruleset: typed.Ruleset) -> tuple[dict[str, str], tuple[str, ...]]:
    """The settings of a game that another ruleset also has, and the remaining ones as texts.

    A setting at its default counts as not chosen; it takes the default of the other ruleset, which may be different.
    """
    transferred: dict[str, str] = {}
    dropped: list[str] = []
    for name, value in game.settings.items():
        if value == game.ruleset.settings[name].default:
            continue
        if name not in ruleset.settings:
            name = ruleset.declarations.was.settings.get(name, name)
        setting = ruleset.settings.get(name)
        if setting is None:
            dropped.append(f"{name}={value}: `{ruleset.ref}` has no such setting")
        elif taken(setting, value) is None:
            dropped.append(f"{name}={value}: `{ruleset.ref}` has no such value of this setting")
        else:
            transferred[name] = value
    return transferred, tuple(dropped)
