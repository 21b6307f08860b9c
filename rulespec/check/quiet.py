"""Procedures that `once` runs: they neither ask nor end the game."""

from __future__ import annotations

from collections.abc import Sequence

from rulespec.check.context import Context
from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.report import Report
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import walk


def check_quiet(c: Context) -> None:
    """Reports each `once` with a procedure that may ask, or end the game."""
    refuse_loud([e for group in c.expressions_by_rule for e in group if type(e) is typed.Once], c.report)


def refuse_loud(expressions: Sequence[typed.Once], report: Report) -> None:
    """Reports each `once` whose procedure, directly or indirectly, may ask or end the game."""
    loud: dict[typed.Procedure, typed.Decide | typed.EndGame | None] = {}
    for e in expressions:
        if (s := _loud(e.procedure, loud)) is not None:
            does = "may end the game" if isinstance(s, typed.EndGame) else "rolls" if s.form == "chance" else "asks"
            message = f"`once` asks what would hold after a quiet procedure, and `{e.procedure.name}` {does}"
            help_ = "name a procedure without a decision, chance or `end game`, also in what it calls"
            report.error("RS321", message, e.call, notes=[Label(s.span, "here")], help=help_)


def _loud(
    procedure: typed.Procedure, known: dict[typed.Procedure, typed.Decide | typed.EndGame | None]
) -> typed.Decide | typed.EndGame | None:
    """The first decision or end of the game in a procedure or in its callees. Rules must not be recursive."""
    if procedure not in known:
        known[procedure] = None
        for s in walk(procedure.body):
            if isinstance(s, typed.Decide | typed.EndGame):
                known[procedure] = s
            elif isinstance(s, typed.CallProcedure):
                known[procedure] = _loud(s.procedure, known)
            if known[procedure] is not None:
                break
    return known[procedure]
