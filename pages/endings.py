"""The end of a log: the result of the game, or the illegal entry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rulespec.diagnostics.diagnostic import Span
from rulespec.documents.json_text import to_json_text
from rulespec.engine.game.game import Game, teams_of
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.replay.divergence import Divergence
from rulespec.engine.replay.replay import ReplayResult
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.score_terms import MOST, score_terms
from rulespec.engine.words.words import Words
from rulespec.typed.seat_kinds import ALL, won_by

_MAX_TEXT = 500
"""The maximum number of characters quoted from an illegal log entry."""

_NOT_TOLD = "the reason may disclose private information: use `--omniscient` to include it"

Rows = list[tuple[str, str]]
"""Names and texts for display."""


def ending(game: Game, seat: str | None, words: Words) -> Rows:
    """The visible outcome of the game or, if it is not over, the standing at the end of the log."""
    names = game.shown_names
    try:
        decision, result = game.decision, game.result
    except RulesetFaultError as fault:
        mistake = fault.diagnostic
        place = f"{_place(mistake.span)}: " if mistake.span is not None else ""
        return [("Fault", f"{place}{mistake.message}" if seat == OMNISCIENT else _NOT_TOLD)]
    if result is not None:
        rows = [(words.word("ended_head"), words.ending(result.ending))]
        won = won_by(teams_of(game), names, result.winners) if result.winners else words.word("nobody")
        rows.append((words.word("won_by"), words.word("all") if won == ALL else won))
        if result.scores:
            rows.append(
                (words.word("points_head"), ", ".join(f"{names[seat]} {n}" for seat, n in result.scores.items()))
            )
        return rows + (_sums(game, words, result.scores) if seat == OMNISCIENT else [])
    assert decision is not None
    actor = words.word("chance") if decision.by is None else names[decision.by]
    asked = Narrator(words, game, seat).decision(decision)
    return [(words.word("goes_on_head"), words.word("goes_on_with", decision=asked, actor=actor))]


def _sums(game: Game, words: Words, scores: Mapping[str, int]) -> Rows:
    """The points of each seat in terms of a sum, if they are one."""
    rows = []
    for seat, terms in score_terms(game, words).items():
        more = [("…", 0)] if len(terms) > MOST else []
        parts = [f"{title} {value}" if value else title for title, value in terms[:MOST] + more]
        rows.append((game.shown_names[seat], f"{scores[seat]} = {' + '.join(parts)}"))
    return rows


def stop(result: ReplayResult, seat: str | None, words: Words) -> dict[str, Any] | None:
    """The location of the first illegal entry, not counting hidden moves; None if there is none.

    The reason is in English, as in diagnostics.
    """
    outcome = result.divergence
    if outcome is None:
        return None
    entry = outcome.foreign_index
    line = outcome.line if seat == OMNISCIENT or entry is not None else outcome.seen_line
    places = [words.word(name, number) for name, number in (("entry", entry), ("line", line)) if number is not None]
    where = words.word("breaks", where=", ".join(places) or words.word("decisions", outcome.index))
    if seat != OMNISCIENT:
        return {"text": where, "rows": [("Reason", _NOT_TOLD)]}
    return {"text": f"{where}: {_action(outcome, result.game.shown_names)}", "rows": _reason(outcome)}


def _action(divergence: Divergence, names: Mapping[str, str]) -> str:
    action = divergence.action
    if isinstance(action, dict) and set(action) == {"decision", "by", "option"}:
        action = f"{names.get(action['by'], action['by']) or 'chance'}: {action['option']}"
    text = action if isinstance(action, str) else to_json_text(action)
    return text if len(text) <= _MAX_TEXT else text[:_MAX_TEXT] + "…"


def _place(span: Span) -> str:
    """A location by file name alone, so that a shared page reveals no local path."""
    file = span.file.replace("\\", "/").rpartition("/")[2]
    return f"{file}:{span.line}"


def _reason(divergence: Divergence) -> Rows:
    refusal = divergence.refusal
    rows = [("Reason", refusal.reason)]
    if refusal.rules:
        rows.append(("Rules", ", ".join(refusal.rules)))
    if refusal.condition:
        rows.append(("Condition", refusal.condition))
    rows += [("Value", f"{name} = {value}") for name, value in refusal.values.items()]
    if refusal.span is not None:
        rows.append(("Written at", _place(refusal.span)))
    return rows + [("Legal", option) for option in divergence.nearest]
