"""Judging a recorded game under other rules: the first decision that is no longer legal, or how the result changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

from rulespec.diagnostics.diagnostic import Diagnostic, DiagnosticsError, Report, Severity, Span
from rulespec.engine.game.game import Game, TakenBack
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.option import Option, Refusal, RulesetFaultError
from rulespec.engine.game.refusal import refused
from rulespec.engine.logs.recorded import RecordedDecision, nearest, take
from rulespec.engine.replay.replay import Load, replay_file
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

MAX_LOGS = 1_000
"""Logs of one folder."""
MAX_SILENT = 200
"""Questions in a row that only the other rules ask, and that have one answer."""

_SUFFIXES = (".jsonl", ".json", ".jsonl.gz", ".json.gz")


@dataclass(frozen=True, slots=True)
class Difference:
    """The first decision of a game that other rules refuse.

    `index` is the number of decisions before it; `asked` and `asks` are the decision that the other rules have open
    there and who takes it (both empty or None if their game is over or by chance); `nearest` the legal options most
    like what was taken.
    """

    index: int
    taken: RecordedDecision
    asked: str | None
    asks: str | None
    refusal: Refusal
    nearest: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """As plain data; see under.schema.json."""
        return {
            "index": self.index,
            "decision": self.taken.decision,
            "by": self.taken.by,
            "option": self.taken.option,
            "open": self.asked,
            "open_by": self.asks,
            "reason": self.refusal.reason,
            "rule": list(self.refusal.rules),
            "values": self.refusal.values,
            "nearest": list(self.nearest),
        }


@dataclass(frozen=True, slots=True)
class Outcome:
    """Where a game stands: the name of its ending (None: it goes on), points by seat, and who has won."""

    ended: str | None
    scores: Mapping[str, int]
    winners: tuple[str, ...]

    @classmethod
    def of(cls, game: Game) -> Outcome:
        """The outcome of a game as it stands."""
        result = game.result
        if result is None:
            return cls(None, game.scores(), ())
        return cls(result.ending, result.scores, tuple(result.winners))

    def to_json(self) -> dict[str, Any]:
        """As plain data; see under.schema.json."""
        return {"ended": self.ended, "scores": dict(self.scores), "winners": list(self.winners)}


@dataclass(frozen=True, slots=True)
class Judgement:
    """What other rules make of a recorded game.

    Attributes:
        log: the file.
        ruleset: the reference of the rules it was played under.
        under: that of the other rules.
        decisions: how many were recorded.
        legal: how many of them stay legal, one after the other.
        forced: questions that only the other rules ask, answered because they have one answer.
        dropped: what the table had chosen and the other rules do not know, a text each.
        difference: the first decision that is not legal; None if there is none.
        recorded: how the game came out.
        outcome: how it comes out under the other rules, or stands where it is no longer legal.
    """

    log: str
    ruleset: str
    under: str
    decisions: int
    legal: int
    forced: int
    dropped: tuple[str, ...]
    difference: Difference | None
    recorded: Outcome
    outcome: Outcome

    @property
    def ends_earlier(self) -> bool:
        """Whether the game is over under the other rules before the log is."""
        return self.difference is None and self.legal < self.decisions

    @property
    def winners(self) -> str | None:
        """Who wins: `same`, `other`, `open` if the game goes on under the other rules; None if it is not legal."""
        if self.difference is not None:
            return None
        if self.outcome.ended is None:
            return "open"
        return "same" if self.outcome.winners == self.recorded.winners else "other"

    @property
    def unchanged(self) -> bool:
        """Whether all decisions stay legal and the same seats win; of an unfinished game, that it stays unfinished."""
        return self.winners == "same" or (self.winners == "open" and self.recorded.ended is None)

    def to_json(self) -> dict[str, Any]:
        """As plain data; see under.schema.json."""
        return {
            "log": self.log,
            "ruleset": self.ruleset,
            "under": self.under,
            "decisions": self.decisions,
            "legal": self.legal,
            "forced": self.forced,
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
    backend: Backend = "python",
    report: Report | None = None,
    load: Load = load_ruleset,
) -> Judgement:
    """Replays a log under its own rules, and then its decisions under others.

    Args:
        path: the log, native or foreign.
        under: the reference of the other rules; if it begins with `+`, overlays on the log's own.
        rules: the log's own rules, if they are not to be those that it names.
        dialect: the id of the dialect, for a foreign log; if not given, the log is recognised.
        backend: how the rules are run.
        report: takes warnings.
        load: how rulesets are loaded; somebody who judges many logs keeps them.

    Raises:
        DiagnosticsError: if the log or a ruleset cannot be read, or do not go together; RS821 if the log is not legal
            under its own rules.
    """
    result = replay_file(path, rules=rules, dialect=dialect, backend=backend, report=report, load=load)
    game = result.game
    if result.divergence is not None:
        at, reason = result.divergence.index, result.divergence.refusal.reason
        message = f"the log is not legal under its own rules, after {at:,} decisions: {reason}"
        help_ = "see it with `rulespec replay`, without --under"
        raise DiagnosticsError([Diagnostic("RS821", Severity.ERROR, message, Span(result.log, 1, 1, 1, 2), help=help_)])
    ruleset = load(f"{rules or game.ruleset.ref}{under}" if under.startswith("+") else under)
    return judge(result.log, game, ruleset, backend, result.moves)


def judge(
    log: str,
    game: Game,
    ruleset: typed.Ruleset,
    backend: Backend = "python",
    moves: Sequence[Option | TakenBack] | None = None,
) -> Judgement:
    """What a ruleset makes of the decisions of a game.

    Args:
        log: what the game is called.
        game: the game, at its end.
        ruleset: the other rules.
        backend: how the rules are run.
        moves: the decisions as they were taken, and taken back; if not given, those of the game that stand.

    Raises:
        DiagnosticsError: if the ruleset is not for so many seats.
    """
    settings, dropped = transferred_settings(game, ruleset)
    other = Game(ruleset, game.seats, settings, backend)
    walk = take_all(other, [_as_text(move) for move in (game.history if moves is None else moves)], answer_forced=True)
    try:
        outcome = Outcome.of(other)
    except RulesetFaultError as fault:
        raise DiagnosticsError([fault.diagnostic]) from None
    return Judgement(
        log=log,
        ruleset=game.ruleset.ref,
        under=ruleset.ref,
        decisions=walk.decisions,
        legal=walk.legal,
        forced=walk.forced,
        dropped=dropped,
        difference=walk.difference,
        recorded=Outcome.of(game),
        outcome=outcome,
    )


def transferred_settings(game: Game, ruleset: typed.Ruleset) -> tuple[dict[str, str], tuple[str, ...]]:
    """What the table of a game had chosen, as far as another ruleset knows it; and what it does not know, as texts.

    An option that had its default was not chosen: it gets the default of the other ruleset, which may be another.
    """
    kept: dict[str, str] = {}
    dropped: list[str] = []
    for name, value in game.settings.items():
        if value == game.ruleset.settings[name].default:
            continue
        option = ruleset.settings.get(name)
        if option is None:
            dropped.append(f"{name}={value}: `{ruleset.ref}` has no such option")
        elif value not in (option.values or ("true", "false")):
            dropped.append(f"{name}={value}: `{ruleset.ref}` has no such value of it")
        else:
            kept[name] = value
    return kept, tuple(dropped)


# --- following what is written down --------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Walk:
    """How far written decisions could be followed: `legal` of all `decisions`, those taken back later included.

    If `difference` is None and not all are legal, the game was over before.
    """

    decisions: int
    legal: int
    forced: int
    difference: Difference | None


def take_all(game: Game, moves: Sequence[RecordedDecision | TakenBack], *, answer_forced: bool = False) -> Walk:
    """Takes written decisions one after the other, up to the first that is not legal or the end of the game.

    With `answer_forced`, questions that are not written down are answered where there is one answer. Otherwise they are
    a difference, and so is what is decided when the game is over.
    """
    decisions = sum(isinstance(move, RecordedDecision) for move in moves)
    legal = forced = 0
    begun: list[int] = []  # for each decision that stands, how many the game held before it and what was forced
    for move in moves:
        if isinstance(move, TakenBack):
            ply = begun[-move.decisions] if move.decisions <= len(begun) else -1
            try:
                game.take_back(TakenBack(game.ply - ply, move.keep))
            except (IndexError, ValueError) as error:
                refusal = refused(str(error))
                return Walk(decisions, legal, forced, differs(game, legal, RecordedDecision("", None, "undo"), refusal))
            del begun[-move.decisions :]
            continue
        begun.append(game.ply)
        if answer_forced:
            forced += _answer_forced(game, move)
            if _is_over(game):
                break
        found = take(game, move)
        if isinstance(found, Refusal):
            return Walk(decisions, legal, forced, differs(game, legal, move, found))
        legal += 1
    return Walk(decisions, legal, forced, None)


def _is_over(game: Game) -> bool:
    try:
        return game.is_over
    except RulesetFaultError:  # `take` reports it
        return False


def _as_text(move: Option | TakenBack) -> RecordedDecision | TakenBack:
    return move if isinstance(move, TakenBack) else RecordedDecision(move.decision, move.by, str(move))


def differs(game: Game, index: int, taken: RecordedDecision, refusal: Refusal) -> Difference:
    """The report on a decision that a game has refused."""
    try:
        now = game.decision
    except RulesetFaultError:  # the refusal says so already
        now = None
    by = now.by if now else None
    return Difference(index, taken, now.name if now else None, by, refusal, nearest(game, taken.option))


def _answer_forced(game: Game, taken: RecordedDecision) -> int:
    """Answers what is asked before the question that is written down, while there is one answer; says how often."""
    answered = 0
    try:
        while answered < MAX_SILENT and not game.is_over and not _asks_for(game, taken):
            own = list(islice(takewhile(lambda option: not option.interrupt, game.options), 2))
            if len(own) != 1:
                break
            game.apply(own[0])
            answered += 1
    except RulesetFaultError:  # where it stands, `take` finds it too
        pass
    return answered


def _asks_for(game: Game, taken: RecordedDecision) -> bool:
    """Whether the open decision is the one that is written down: of its name, and for the same to decide."""
    now = game.decision
    if now is None or now.name != taken.decision:
        return False
    if now.by == taken.by:
        return True
    try:
        option: Option = game.parse(taken.option)
    except ValueError:
        return True
    return option.interrupt


# --- many logs -----------------------------------------------------------------------------


def logs_in(folder: Path) -> list[Path]:
    """The logs that lie directly in a folder, by name.

    Raises:
        DiagnosticsError: RS601 if the folder cannot be read or has none, RS602 if there are more than `MAX_LOGS`.
    """
    try:
        found = sorted(p for p in folder.iterdir() if p.name.endswith(_SUFFIXES) and p.is_file())
    except OSError as error:
        message = f"`{folder}` cannot be read: {error.strerror}"
        raise DiagnosticsError([Diagnostic("RS601", Severity.ERROR, message, None)]) from None
    if not found:
        help_ = f"logs are files ending in {', '.join(_SUFFIXES)}"
        raise DiagnosticsError([Diagnostic("RS601", Severity.ERROR, f"`{folder}` holds no log", None, help=help_)])
    if len(found) > MAX_LOGS:
        message = f"`{folder}` holds {len(found):,} logs; at most {MAX_LOGS:,} are judged at a time"
        raise DiagnosticsError(
            [Diagnostic("RS602", Severity.ERROR, message, None, help="put them into several folders")]
        )
    return found


class Tally:
    """What the judgements of many games come to."""

    def __init__(self) -> None:
        self.legal = self.illegal = self.unreadable = 0
        self.winners: Counter[str] = Counter()
        self.broken: Counter[tuple[tuple[str, ...], str]] = Counter()

    def add(self, judgement: Judgement | None) -> None:
        """Counts one in; None is a log that cannot be judged."""
        if judgement is None:
            self.unreadable += 1
        elif judgement.difference is not None:
            self.illegal += 1
            refusal = judgement.difference.refusal
            self.broken[refusal.rules, refusal.reason] += 1
        else:
            self.legal += 1
            self.winners[judgement.winners or ""] += 1

    def reasons(self) -> Iterable[tuple[tuple[str, ...], str, int]]:
        """Rule ids, the text of the reason, and how many games break it first; the most frequent first."""
        ranked = sorted(self.broken.items(), key=lambda item: (-item[1], item[0]))
        return [(rules, reason, count) for (rules, reason), count in ranked]

    def to_json(self) -> dict[str, Any]:
        """As plain data; see under.schema.json."""
        return {
            "logs": self.legal + self.illegal + self.unreadable,
            "legal": self.legal,
            "illegal": self.illegal,
            "unreadable": self.unreadable,
            "winners": {key: self.winners[key] for key in ("same", "other", "open")},
            "broken": [{"rule": list(rules), "reason": text, "logs": n} for rules, text, n in self.reasons()],
        }
