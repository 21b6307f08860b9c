"""Procedures that `once` runs: they neither ask nor end the game."""

from __future__ import annotations

from rulespec.check.context import Context
from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.report import Report
from rulespec.typed import nodes as typed
from rulespec.typed.traversal import called, walk


def check_quiet(c: Context) -> None:
    """Reports each `once` with a procedure that may ask, or end the game."""
    for group in c.expressions_by_rule:
        for e in group:
            if type(e) is typed.Once:
                refuse_loud(e, c.report)


def refuse_loud(e: typed.Once, report: Report) -> None:
    """Reports a `once` whose procedure, or one that it calls, may ask or end the game."""
    for procedure in called(e.procedure):
        for s in walk(procedure.body):
            if isinstance(s, typed.Decide | typed.EndGame):
                does = "may end the game" if isinstance(s, typed.EndGame) else "rolls" if s.form == "chance" else "asks"
                message = f"`once` asks what would hold after a quiet procedure, and `{e.procedure.name}` {does}"
                help_ = "name a procedure without a decision, chance or `end game`, also in what it calls"
                report.error("RS321", message, e.call, notes=[Label(s.span, "here")], help=help_)
                return
