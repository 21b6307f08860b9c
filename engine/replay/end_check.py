"""Comparison of a replay's end with the end line of its log."""

from __future__ import annotations

from rulespec.diagnostics.report import Report
from rulespec.engine.game.game import Game
from rulespec.engine.logs.end_line import OtherEnd, other_end
from rulespec.engine.logs.log_lines import place_in
from rulespec.engine.logs.native import NativeLog


def check_end(game: Game, log: NativeLog, entries: int, report: Report) -> OtherEnd | None:
    """The discrepancy between a game and the end line that its log has after `entries` entries, or None.

    A discrepancy is also reported (RS643).
    """
    recorded = log.end
    if recorded is None or recorded.entries != entries or (other := other_end(game, recorded)) is None:
        return None
    header = log.header
    result = f"Rulespec {header.rulespec}, language {header.language}" if header.rulespec else "another program"
    message = f"the replay ends differently from its log: {other}"
    help_ = f"the log was written by {result}; if its rules have been corrected since, `--out FILE` records the new end"
    place = place_in(log.file, recorded.line, log.text.split("\n")[recorded.line - 1], "end")
    report.error("RS643", message, place, help=help_)
    return other
