"""How a log ends: the result of its game, or the rule that it breaks."""

from __future__ import annotations

from typing import Any

from rulespec.engine.game.game import Game
from rulespec.engine.game.inspected import TABLE
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.replay.replay import Divergence, ReplayResult
from rulespec.engine.words.words import Words
from rulespec.typed.teams import won_by

_MAX_TEXT = 500
"""Characters of what a log says where it breaks a rule."""

Rows = list[tuple[str, str]]
"""Names and texts, for people."""


def ending(game: Game, words: Words) -> Rows:
    """How the game stands at the end of the log."""
    try:
        decision, result = game.decision, game.result
    except RulesetFaultError as fault:
        return [("Fault", str(fault))]
    if result is not None:
        rows = [("Ended", words.ending(result.ending)), ("Won by", won_by(game.teams, game.seats, result.winners))]
        if result.scores:
            rows.append(("Points", ", ".join(f"{seat} {n}" for seat, n in result.scores.items())))
        return rows
    assert decision is not None
    return [("Goes on", f"{words.decision(decision.name)}, for {decision.by or words.word('chance')}")]


def stop(result: ReplayResult, seat: str | None) -> dict[str, Any] | None:
    """Where the log breaks a rule; None if it is legal to its end. What is not seen is not told."""
    found = result.divergence
    if found is None:
        return None
    where = f"entry {found.foreign_index}" if found.foreign_index is not None else f"line {found.line}"
    if seat != TABLE:
        rows = [("Reason", "it may tell what not all see: with `--for table` the page has it")]
        return {"text": f"The log breaks a rule at {where}", "rows": rows}
    return {"text": f"The log breaks a rule at {where}: {_action(found)}", "rows": _reason(found)}


def _action(found: Divergence) -> str:
    action = found.action
    if isinstance(action, dict) and set(action) == {"decision", "by", "option"}:
        action = f"{action['by'] or 'chance'}: {action['option']}"
    text = action if isinstance(action, str) else repr(action)
    return text if len(text) <= _MAX_TEXT else text[:_MAX_TEXT] + "…"


def _reason(found: Divergence) -> Rows:
    refusal = found.refusal
    rows = [("Reason", refusal.reason)]
    if refusal.rules:
        rows.append(("Rules", ", ".join(refusal.rules)))
    if refusal.condition:
        rows.append(("Condition", refusal.condition))
    rows += [("Value", f"{name} = {value}") for name, value in refusal.values.items()]
    if refusal.span is not None:
        rows.append(("Written at", str(refusal.span)))
    return rows + [("Legal", option) for option in found.nearest]
