"""`rulespec replay --under`: judgements of recorded games under other rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from rulespec.cli import output
from rulespec.cli.words import words_of
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.text_files import is_folder
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.replay.answers import Answer
from rulespec.engine.replay.judge import Judgement, Outcome, judge_file
from rulespec.engine.replay.replay import Load
from rulespec.engine.replay.tally import Tally, logs_in
from rulespec.engine.replay.walk import Difference
from rulespec.engine.words.words import Names, Words

_RULESETS = 16  # in memory
_MAX_REASONS = 20
_WINNERS = {"same": "the same winners", "other": "other winners", "open": "not over"}


class JudgementRequest(Struct, frozen=True):
    """The rules that logs are judged under, and what goes with them: see `judge_file`."""

    under: str
    rules: str | None
    dialect: str | None
    backend: Backend
    usual: bool

    def judge(self, path: Path, report: Report, load: Load) -> Judgement:
        """Judges a log."""
        return judge_file(
            path,
            self.under,
            rules=self.rules,
            dialect=self.dialect,
            backend=self.backend,
            usual=self.usual,
            report=report,
            load=load,
        )


def judge_logs(
    logs: tuple[Path, ...], request: JudgementRequest, format_: str, wording: tuple[str | None, Names]
) -> int:
    """Judges logs, and folders of logs, under other rules, and prints the judgements; returns the exit code.

    `wording` is the language of words, and whether titles or ids are shown.
    """
    from rulespec.load import load_ruleset

    load = lru_cache(_RULESETS)(load_ruleset)
    if not request.under.startswith("+"):
        load(request.under)  # its errors are reported once, not for every log
    many = len(logs) > 1 or is_folder(logs[0])
    tally, codes = Tally(), []
    printed: list[dict[str, Any]] = []
    for path in [file for log in logs for file in (logs_in(log) if is_folder(log) else [log])]:
        report, judgement = Report(), None
        try:
            judgement = request.judge(path, report, load)
        except DiagnosticsError as error:
            report.extend(error.diagnostics)
        except RulesetFaultError as fault:
            report.add(fault.diagnostic)
        tally.add(judgement)
        codes.append(_code(judgement))
        error_text = next((d.message for d in report.diagnostics if d.severity == "error"), "")
        if not many:
            output.show(report.diagnostics)
        if format_ == "json":
            printed.append(judgement.to_json() if judgement else {"log": str(path), "error": error_text})
        elif many:
            words = words_of(judgement.under, *wording) if judgement is not None else None
            output.echo(_line(path, judgement, words, error_text))
        elif judgement is not None:
            _show(judgement, words_of(judgement.under, *wording))
    if format_ == "json":
        output.echo_json({"under": request.under, "logs": printed, "totals": tally.to_json()})
    elif many:
        _totals(tally)
    return max(codes)


def _code(judgement: Judgement | None) -> int:
    if judgement is None:
        return output.UNUSABLE
    return output.OK if judgement.unchanged else output.PROBLEMS


def _line(path: Path, judgement: Judgement | None, words: Words | None, error: str) -> str:
    if judgement is None or words is None:
        return f"{path}: {output.style('cannot be judged', fg='red')}: {error}"
    log = f"{path} (recorded {judgement.carried})" if judgement.carried else str(path)
    if judgement.difference is not None:
        where = f"after {judgement.legal:,} of {output.counted(judgement.decisions, 'decision')}"
        reason = judgement.difference.refusal.reason
        return f"{log}: {output.style('not legal', fg='red')} {where}: {reason[:300]}"
    answered = f" with {output.counted(len(judgement.answers), 'answer')} put in" if judgement.answers else ""
    return f"{log}: {output.style('legal', fg='green')}{answered}, {_ending(judgement, words)}"


def _named(judgement: Judgement, outcome: Outcome) -> str:
    """The names of the winners."""
    return ", ".join(judgement.names[seat] for seat in outcome.winners) or "nobody"


def _ending(judgement: Judgement, words: Words) -> str:
    """The outcome of a legal game, compared with the log."""
    outcome = judgement.outcome
    if outcome.ended is None:
        open_too = judgement.recorded.ended is None
        return "goes on, as in the log" if open_too else "but the game is not over"
    text = f"ended ({words.ending(outcome.ended)}), won by {_named(judgement, outcome)}"
    if judgement.winners == "other":
        text += f" instead of {_named(judgement, judgement.recorded)}"
    if judgement.ends_earlier:
        text += f", earlier: after {judgement.legal:,} of {output.counted(judgement.decisions, 'decision')}"
    return text


def _totals(tally: Tally) -> None:
    data = tally.to_json()
    output.echo()
    parts = [f"{data[key]:,} {word}" for key, word in (("legal", "legal"), ("illegal", "not legal")) if data[key]]
    if tally.unreadable:
        parts.append(f"{tally.unreadable:,} not judged")
    output.echo(f"{output.counted(data['logs'], 'log')}: {', '.join(parts)}")
    winners = [f"{n:,} {_WINNERS[key]}" for key, n in data["winners"].items() if n]
    if winners:
        output.echo(f"legal: {', '.join(winners)}")
    reasons = list(tally.reasons())
    if reasons:
        output.echo("not legal, by the rule that is broken first:")
        rows = [(n, ", ".join(rules) or "-", text[:200]) for rules, text, n in reasons[:_MAX_REASONS]]
        for line in output.table(rows, right=(0,)):
            output.echo(f"  {line}")
    if len(reasons) > _MAX_REASONS:
        output.echo(f"  … and {len(reasons) - _MAX_REASONS} more reasons")


def _show(judgement: Judgement, words: Words) -> None:
    output.echo(f"{output.style(judgement.log, bold=True)} · {judgement.ruleset} · under {judgement.under.ref}")
    if judgement.carried:
        output.echo(f"recorded {judgement.carried}")
    output.echo()
    difference = judgement.difference
    rows: list[tuple[str, str]] = []
    for number, text in enumerate(judgement.dropped):
        rows.append(("dropped" if number == 0 else "", text))
    if judgement.forced:
        count = output.counted(judgement.forced, "decision")
        rows.append(("forced", f"{count} that the log lacks, each with one way to go on"))
    for number, (answer, times) in enumerate(_answers(judgement.answers)):
        rows.append(("answered" if number == 0 else "", f"{output.counted(times, 'question')} {answer}"))
    if judgement.skipped:
        rows.append(("skipped", f"{output.counted(judgement.skipped, 'decision')} that these rules never ask for"))
    if difference is not None:
        where = f"after {judgement.legal:,} of {output.counted(judgement.decisions, 'decision')}"
        rows += [("not legal", where), *_rows(difference)]
    elif judgement.ends_earlier:
        where = f"after {judgement.legal:,} of {output.counted(judgement.decisions, 'decision')}"
        rows.append(("ends earlier", where))
    else:
        rows.append(("legal", output.counted(judgement.decisions, "decision")))
    for line in output.table(rows):
        output.echo(output.style(line, fg="red") if line.startswith(("not legal", "reason")) else line)
    output.echo()
    for line in _results(judgement, words):
        output.echo(line)


def _answers(answers: Sequence[Answer]) -> list[tuple[str, int]]:
    """The answers that were put in, the most frequent first."""
    why = {"state": "after which the state is as recorded", "usual": "which is the usual answer"}
    texts = Counter(f"`{a.decision}` that the log lacks: `{a.option}`, {why[a.why]}" for a in answers)
    return texts.most_common()


def _rows(difference: Difference) -> list[tuple[str, str]]:
    recorded = difference.recorded
    action = f"{recorded.by or 'chance'}: {recorded.option} (decision `{recorded.decision}`)"
    return output.refused(action, difference.refusal, difference.open, difference.open_by, difference.nearest)


def _results(judgement: Judgement, words: Words) -> list[str]:
    """A table of points, winners and endings, as recorded and under the other rules."""
    before, after, won = judgement.recorded, judgement.outcome, words.word("won")
    rows: list[tuple[object, ...]] = []
    for seat in sorted(before.scores, key=lambda s: -before.scores[s]):
        was, now = before.scores[seat], after.scores.get(seat, "-")
        rows.append(
            (
                words.seat(seat, judgement.names),
                was,
                won if seat in before.winners else "",
                now,
                won if seat in after.winners else "",
            )
        )
    stands = "still_open" if judgement.difference is None else "stops"
    ended, now_ended = (words.ending(of.ended) if of.ended else "" for of in (before, after))
    rows.append((words.word("ending"), ended or words.word("still_open"), "", now_ended or words.word(stands), ""))
    now_head = words.word("now" if judgement.difference is None else "there")
    return output.table(rows, (words.word("seat"), words.word("recorded"), "", now_head, ""), right=(1, 3))
