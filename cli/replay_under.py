"""`rulespec replay --under` for a single log: the judgement of a recorded game under other rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from msgspec import Struct

from rulespec.cli import output
from rulespec.cli.flags import words_of
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.replay.answers import InsertedAnswer
from rulespec.engine.replay.judge import Judgement, judge_file
from rulespec.engine.replay.recorded_walk import RefusedDecision
from rulespec.engine.words.words import Names, Words


class JudgementRequest(Struct, frozen=True):
    """The parameters of a judgement under other rules; see `judge_file`."""

    log: Path
    under: str
    rules: str | None
    dialect: str | None
    backend: Backend
    usual: bool


def judge_log(request: JudgementRequest, format_: str, wording: tuple[str | None, Names]) -> int:
    """Judges a log under other rules, prints the judgement, and returns the exit code.

    `wording` is the language, and the choice between titles and ids.
    """
    from rulespec.load import load_ruleset

    r, report, judgement = request, Report(), None
    load = cache(load_ruleset)  # the other rules may be the log's own
    try:
        judgement = judge_file(
            r.log, r.under, rules=r.rules, dialect=r.dialect, backend=r.backend, usual=r.usual, report=report, load=load
        )
    except DiagnosticsError as error:
        report.extend(error.diagnostics)
    except RulesetFaultError as fault:
        report.add(fault.diagnostic)
    output.show(report.diagnostics)
    if format_ == "json":
        wrong = next((d.message for d in report.diagnostics if d.severity == "error"), "")
        judged = judgement.to_json() if judgement is not None else {"log": str(r.log), "error": wrong}
        output.echo_json({"under": r.under, "logs": [judged]})
    elif judgement is not None:
        _show(judgement, words_of(judgement.under, *wording))
    if judgement is None:
        return output.UNUSABLE
    return output.OK if judgement.unchanged else output.PROBLEMS


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
        rows.append(("forced", f"{count} missing from the log, each with only one possible continuation"))
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


def _answers(answers: Sequence[InsertedAnswer]) -> list[tuple[str, int]]:
    """The inserted answers, most frequent first."""
    why = {"state": "after which the state is as recorded", "usual": "which is the usual answer"}
    texts = Counter(f"`{a.decision}` missing from the log: `{a.option}`, {why[a.why]}" for a in answers)
    return texts.most_common()


def _rows(difference: RefusedDecision) -> list[tuple[str, str]]:
    recorded = difference.recorded
    action = f"{recorded.by or 'chance'}: {recorded.option} (decision `{recorded.decision}`)"
    return output.refused(action, difference.refusal, difference.open, difference.open_by, difference.nearest)


def _results(judgement: Judgement, words: Words) -> list[str]:
    """The table of points, winners and endings, as recorded and under the other rules."""
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
