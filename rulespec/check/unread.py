"""Unread variables beside unknown names, because one is often a misspelling of the other."""

from __future__ import annotations

from collections import Counter

from rulespec.check.context import Context
from rulespec.diagnostics.diagnostic import Diagnostic, Label, Span
from rulespec.typed import nodes as typed

_MOST = 2


def check_unread(c: Context) -> None:
    """Adds notes on the unread variables of a rule to the unknown names in it."""
    lost = [d for d in c.report.diagnostics if d.code == "RS221" and d.span is not None]
    if not lost:
        return
    named = [(span, of) for span, of in c.declarations.references.items() if isinstance(of, typed.Var)]
    times = Counter(id(var) for _, var in named)
    unread = [(span, var.name) for span, var in named if times[id(var)] == 1 and span == var.span]
    rules = [item.span for item in c.source.items.values()]
    for d in lost:
        rule = next((r for r in rules if _within(d, r)), None)
        lines = {note.span for note in d.notes}
        notes = [Label(span, f"nothing reads `{name}`") for span, name in unread if rule and _holds(rule, span)]
        c.report.note(d, [n for n in notes if n.span not in lines][:_MOST])


def _within(d: Diagnostic, rule: Span) -> bool:
    return d.span is not None and _holds(rule, d.span)


def _holds(rule: Span, span: Span) -> bool:
    start, end = (rule.line, rule.column), (rule.end_line, rule.end_column)
    return span.file == rule.file and start <= (span.line, span.column) <= end
