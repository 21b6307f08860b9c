"""`rulespec diff --play`: a comparison of how two rulesets play the same positions."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rulespec.cli import output
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.text_files import is_file
from rulespec.engine.behaviour.comparison_report import WORDS, Comparison, Example, Group
from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.option import Option, RulesetFaultError
from rulespec.engine.logs.carried import carried_ruleset
from rulespec.engine.logs.native import read_log
from rulespec.engine.replay.replay import ReplayRequest
from rulespec.engine.verify.suite import log_files
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

if TYPE_CHECKING:
    from rulespec.engine.behaviour.walks import Effort

MAX_LOGS = 60
"""Maximum number of recorded games compared."""
_SHOWN = 8
"""Maximum number of decisions of a game, and of option names, that are printed."""


def compared(old: str, new: str, decisions: int | None) -> Comparison:
    """Compares two references; the first may be a log with embedded rules.

    Args:
        old: the first reference, or the path of a log with embedded rules.
        new: the other reference.
        decisions: the maximum number of decisions; None means the default, with a time limit.

    Raises:
        DiagnosticsError: if a ruleset has errors.
    """
    from rulespec.engine.behaviour.compare import DECISIONS, SECONDS, compare
    from rulespec.engine.behaviour.walks import Effort

    path = Path(old)
    before = carried_ruleset(read_log(path, lenient=True)) if is_file(path) else load_ruleset(old)
    assert before is not None  # `diff` has read its sources
    after = load_ruleset(new)
    logs = [path] if is_file(path) else []
    with_bar = sys.stderr.isatty()
    most, seconds = (DECISIONS, SECONDS) if decisions is None else (decisions, None)
    if not with_bar:
        return compare(before, after, Effort(most, seconds), recorded_games(before, logs))
    from tqdm import tqdm

    with tqdm(total=most, unit="decision", file=sys.stderr, leave=False, dynamic_ncols=True) as bar:
        effort: Effort = Effort(most, seconds, bar.update)
        return compare(before, after, effort, recorded_games(before, logs))


def recorded_games(ruleset: typed.Ruleset, logs: Sequence[Path] = ()) -> list[tuple[Game, list[Option]]]:
    """The legal parts of a ruleset's recorded games: for each, the game at its start, and its decisions without undone
    ones.

    Args:
        ruleset: the ruleset.
        logs: logs to use instead of the logs in the ruleset's folder.
    """
    results = []
    for path in (list(logs) or log_files(ruleset))[:MAX_LOGS]:
        try:
            request = ReplayRequest(path, report=Report(), load=lambda _: ruleset, carried=False, lenient=True)
            game = request.replay().game
        except (DiagnosticsError, RulesetFaultError):  # `rulespec test` reports its error
            continue
        results.append((restarted(game), game.history))
    return results


def lines(comparison: Comparison) -> Iterator[str]:
    """The text of the comparison."""
    yield ""
    yield output.style("Play", bold=True)
    if comparison.same:
        yield "  the rules have the same meaning: they play alike"
        return
    for group in comparison.groups:
        yield from _group(group, comparison)
    yield f"  {_summary(comparison)}"
    for text in comparison.left_out:
        yield f"  not compared: {text}"


def _positions(count: int, comparison: Comparison) -> str:
    return ("at least " if comparison.at_least else "") + output.counted(count, "position")


def _group(group: Group, comparison: Comparison) -> Iterator[str]:
    rule, options = group.rule, list(group.options)
    yield "  " + " · ".join(filter(None, (output.style(rule.name, bold=True), ", ".join(rule.ids), rule.place)))
    names = ", ".join(options[:_SHOWN]) + (f" and {len(options) - _SHOWN} more" if len(options) > _SHOWN else "")
    subject = f"{names}: " if names else ""
    yield f"    {subject}{WORDS[group.kind]}, at {_positions(group.positions, comparison)}"
    yield f"      {game_text(group.example)}"
    yield from (f"      {line}" for line in group.example.lines)
    yield ""


def game_text(example: Example) -> str:
    """One line about an example: its number of players and its last decisions, ending with the one that differs."""
    moves = [f"{move.by or 'chance'}: {move}" for move in example.moves]
    if example.option:
        moves.append(f"{example.by or 'chance'}: {example.option}")
    head = f"with {output.counted(len(example.seats), 'player')}"
    if not moves:
        return f"{head}, at the start"
    before = f"after {len(moves) - _SHOWN} decisions, " if len(moves) > _SHOWN else ""
    return f"{head}, {before}{' · '.join(moves[-_SHOWN:])}"


def _summary(comparison: Comparison) -> str:
    parts = [
        _positions(comparison.positions, comparison),
        output.counted(comparison.decisions, "decision"),
        output.counted(comparison.games, "game"),
    ]
    if comparison.complete:
        parts.append(f"every position with {', '.join(map(str, comparison.complete))} players")
    if comparison.stopped:
        parts.append("stopped at the time limit: with --decisions N there is none")
    head = "" if comparison.groups else "no difference found: "
    return f"{head}compared {' · '.join(parts)}"
