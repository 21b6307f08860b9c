"""Procedures under `once`, which must not have decisions, end the game, or be recursive."""

from __future__ import annotations

from collections.abc import Sequence

from rulespec.check.context import Context
from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.report import Report
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import called, walk


def check_quiet(c: Context) -> None:
    """Reports each `once` whose procedure may ask or end the game."""
    refuse_loud([e for group in c.expressions_by_rule for e in group if type(e) is typed.Once], c.report)


def refuse_loud(expressions: Sequence[typed.Once], report: Report) -> None:
    """Reports each `once` whose procedure, directly or indirectly, may ask, end the game or recurse."""
    for e in expressions:
        procedures = called([e.procedure])
        loud = (s for p in procedures for s in walk(p.body) if isinstance(s, typed.Decide | typed.EndGame))
        deep = next((p for p in procedures if p.deep is not None), None)
        if (s := next(loud, None)) is not None:
            does = "may end the game" if isinstance(s, typed.EndGame) else "rolls" if s.form == "chance" else "asks"
            message = f"`once` cannot run `{e.procedure.name}`, which {does}"
            help_ = "name a procedure without decision, chance or `end game`, which calls only such procedures"
            report.error("RS321", message, e.call, notes=[Label(s.span, "here")], help=help_)
        elif deep is not None:
            message = f"`once` cannot run a procedure that calls itself, as `{deep.name}` may"
            help_ = "name a procedure that neither declares `at most … deep` nor calls one that does"
            report.error("RS421", message, e.call, notes=[Label(deep.deep_span or deep.span, "here")], help=help_)
