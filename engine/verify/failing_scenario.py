"""A game that reveals a fault of the rules, as a scenario that fails until the fault is fixed."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.engine.logs.native import LogHeader

SHOWN_BY = frozenset(["RS703", "RS704", "RS711", "RS712"])
"""Codes of mistakes that a scenario can reveal: at a position, or in the decision that leads to it."""
_STEP = 1_000
"""Decisions per step; a scenario file may have at most twice as many in a step."""


def failing_scenario(game: Game, header: LogHeader, fault: Option | None, wrong: Diagnostic) -> str:
    """The scenario as a YAML file; "" if no scenario can reveal the mistake.

    Args:
        game: the game, up to the mistake.
        header: the seats and settings.
        fault: the faulting option, if the mistake is a fault.
        wrong: the mistake.
    """
    if wrong.code not in SHOWN_BY:
        return ""
    ruleset = game.ruleset
    defaults = {s.name: s.default for s in ruleset.settings.values()}
    settings = {name: value for name, value in header.settings.items() if value != defaults[name]}
    moves = [f"{o.by or 'chance'}: {o}" for o in [*game.history, *([fault] if fault is not None else [])]]
    id_ = f"{wrong.code}-{wrong.span.line}" if wrong.span is not None else wrong.code
    folder = f"scenarios/{ruleset.overlays[-1]}" if ruleset.overlays else "scenarios"
    lines = [
        f"# in {folder}/{id_.lower()}.yaml: `rulespec test {ruleset.ref}` fails until it is fixed",
        "scenarios:",
        f"  - id: {id_}",
        f"    title: {_text(wrong.message)}",
        f"    seats: [{', '.join(map(_text, header.seats))}]",
    ]
    if settings:
        lines.append(f"    settings: {{{', '.join(f'{name}: {_text(value)}' for name, value in settings.items())}}}")
    first, *more = [moves[at : at + _STEP] for at in range(0, len(moves), _STEP)] or [[]]
    lines += _when("    ", first)
    if more:
        lines.append("    steps:")
    for part in more:
        head, *rest = _when("        ", part)
        lines += [f"      - {head.lstrip()}", *rest]
    return "\n".join(lines) + "\n"


def _when(indent: str, moves: Sequence[str]) -> list[str]:
    return [f"{indent}when:", *(f"{indent}  - {_text(move)}" for move in moves)] if moves else []


def _text(text: str) -> str:
    """A text in quotes, valid in JSON and YAML."""
    return json.dumps(text, ensure_ascii=False)
