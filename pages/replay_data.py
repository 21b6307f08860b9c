"""What the page of a replay holds: its moves, their rules, the measures, the end of the log; all as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulespec.diagnostics.report import failure
from rulespec.engine.game.game import Game, TakenBack
from rulespec.engine.game.inspected import TABLE
from rulespec.engine.game.option import Option, Refusal, RulesetFaultError
from rulespec.engine.replay.replay import Divergence, ReplayResult
from rulespec.pages.curves import Curves
from rulespec.pages.move_rules import MoveRules, move_rules
from rulespec.pages.move_words import Move, told_moves
from rulespec.typed.teams import won_by

MAX_MOVES = 20_000
"""Of a page; the longest recorded game that ships has 1,142."""
_MAX_TEXT = 500
"""Characters of what a log says where it breaks a rule."""

Rows = list[tuple[str, str]]
"""Names and texts, for people."""


def replay_data(result: ReplayResult, seat: str | None) -> dict[str, Any]:
    """The data of the page of a replay.

    Args:
        result: a replayed log.
        seat: who looks (None: everybody); `TABLE` sees all that there is.

    Raises:
        DiagnosticsError: RS574 if there are too many moves.
    """
    game = result.game
    seat = seat if game.watcher.secretive else TABLE
    moves: Sequence[Option | TakenBack] = result.moves if seat == TABLE else game.history
    if len(moves) > MAX_MOVES:
        message = f"this log has {len(moves):,} moves, and a page holds {MAX_MOVES:,} at most"
        raise failure("RS574", message, None, help=f"show its begin: --until {MAX_MOVES}")
    curves = Curves(game.ruleset.declarations.measures)
    numbers: dict[str, int] = {}
    rows = []
    for move, rules in zip(told_moves(game, moves, seat, curves), move_rules(game, moves), strict=True):
        rows.append(_row(move, rules if seat == TABLE else _public(move, rules), numbers))
    stop = _stop(result, seat)
    listed = game.ruleset.listed
    return {
        "title": game.ruleset.title,
        "about": _about(result, seat),
        "moves": rows,
        "rules": [[id_, listed[id_].text if id_ in listed else ""] for id_ in numbers],
        "measures": curves.to_json(),
        "ending": _ending(game),
        "stop": stop,
        "begin": len(rows) + 1 if stop else 0,
    }


def _row(move: Move, rules: MoveRules, numbers: dict[str, int]) -> dict[str, Any]:
    """A move; rules are named by numbers, each id once."""
    row: dict[str, Any] = {"text": move.text}
    for name, ids in (("own", rules.own), ("ran", rules.ran)):
        if ids:
            row[name] = [numbers.setdefault(id_, len(numbers)) for id_ in ids]
    if move.changes:
        row["changes"] = move.changes
    if move.chance:
        row["chance"] = 1
    return row


def _public(move: Move, rules: MoveRules) -> MoveRules:
    """The rules that say nothing of what is hidden: which procedures run may follow from it."""
    return MoveRules(rules.own) if move.shown else MoveRules()


def _about(result: ReplayResult, seat: str | None) -> str:
    game = result.game
    parts = [game.ruleset.ref, result.log.replace("\\", "/").rpartition("/")[2], ", ".join(game.seats)]
    if game.watcher.secretive:
        parts.append("everything" if seat == TABLE else f"as {seat or 'all'} saw it")
    return " · ".join(parts)


def _ending(game: Game) -> Rows:
    """How the game stands at the end of the log."""
    try:
        decision, result = game.decision, game.result
    except RulesetFaultError as fault:
        return [("Fault", str(fault))]
    if result is not None:
        rows = [("Ended", result.ending), ("Won by", won_by(game.teams, game.seats, result.winners))]
        if result.scores:
            rows.append(("Points", ", ".join(f"{seat} {n}" for seat, n in result.scores.items())))
        return rows
    assert decision is not None
    return [("Goes on", f"{decision.name}, for {decision.by or 'chance'}")]


def _stop(result: ReplayResult, seat: str | None) -> dict[str, Any] | None:
    """Where the log breaks a rule; None if it is legal to its end. What is not seen is not told."""
    found = result.divergence
    if found is None:
        return None
    where = f"entry {found.foreign_index}" if found.foreign_index is not None else f"line {found.line}"
    if seat != TABLE:
        rows = [("Reason", "it depends on what not all see; with `--for table` the page says which rule it breaks")]
        return {"text": f"The log breaks a rule at {where}", "rows": rows}
    return {"text": f"The log breaks a rule at {where}: {_action(found)}", "rows": _reason(found.refusal, found)}


def _action(found: Divergence) -> str:
    action = found.action
    if isinstance(action, dict) and set(action) == {"decision", "by", "option"}:
        action = f"{action['by'] or 'chance'}: {action['option']}"
    text = action if isinstance(action, str) else repr(action)
    return text if len(text) <= _MAX_TEXT else text[:_MAX_TEXT] + "…"


def _reason(refusal: Refusal, found: Divergence) -> Rows:
    rows = [("Reason", refusal.reason)]
    if refusal.rules:
        rows.append(("Rules", ", ".join(refusal.rules)))
    if refusal.condition:
        rows.append(("Condition", refusal.condition))
    rows += [("Value", f"{name} = {value}") for name, value in refusal.values.items()]
    if refusal.span is not None:
        rows.append(("Written at", str(refusal.span)))
    return rows + [("Legal", option) for option in found.nearest]
