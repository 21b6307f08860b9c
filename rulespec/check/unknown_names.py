"""Notes on unknown names, added once all rules are typed: the same name elsewhere, a roll, or unread variables."""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from rulespec.check.context import Context
from rulespec.diagnostics.diagnostic import Diagnostic, Label, Span
from rulespec.typed import nodes as typed

_MOST_UNREAD = 2  # notes at one unknown name
_UNKNOWN = "nothing is called `"


def check_unknown_names(c: Context) -> None:
    """Adds notes to reports of unknown names: a variable or roll with the same name elsewhere or, failing that, unread
    variables.

    A variable used out of its scope is not also reported as unused.
    """
    lost = [d for d in c.report.diagnostics if d.code == "RS221" and d.span is not None]
    if not lost:
        return
    named = [(span, of) for span, of in c.declarations.references.items() if isinstance(of, typed.Var)]
    times = Counter(id(var) for _, var in named)
    variables = [(span, var) for span, var in named if span == var.span]
    rules = [item.span for item in c.source.items.values()]
    for d in lost:
        rule = next((r for r in rules if d.span is not None and _holds(r, d.span)), None)
        if rule is None:
            continue
        if (other := _elsewhere(c, d, rule, [var for _, var in variables])) is not None:
            c.report.replace(d, other)
            continue
        lines = {note.span for note in d.notes}
        unread = [(span, var.name) for span, var in variables if times[id(var)] == 1 and _holds(rule, span)]
        notes = [Label(span, f"nothing reads `{name}`") for span, name in unread if span not in lines]
        c.report.replace(d, replace(d, notes=(*d.notes, *notes[:_MOST_UNREAD])))


def _elsewhere(c: Context, d: Diagnostic, rule: Span, variables: list[typed.Var]) -> Diagnostic | None:
    """The report, with a better help text, of an unknown name that a roll or an invisible variable has, or None."""
    if not d.message.startswith(_UNKNOWN) or (d.help and not d.help.startswith("did you mean")):
        return None
    name = d.message.removeprefix(_UNKNOWN).partition("`")[0]
    roll = c.statements.options_seen.get((name, name))
    if roll is not None and roll.params and _holds(rule, roll.span):
        values = " and ".join(f"`{p.var.name}`" for p in roll.params)
        return replace(d, help=f"this is the name of the question: its answer is {values}", notes=(_at(roll.span),))
    own = [var for var in variables if var.name == name and _holds(rule, var.span)]
    own = [var for var in own if d.span is not None and var.span <= d.span] or own
    if own:
        _drop_unused(c, own[-1])
        before = (
            f"declare another variable earlier with `let`, and `set … to {name}` there"
            if own[-1].table is None
            else "declare it earlier"
        )
        help_ = f"use it there; or {before}"
        return replace(d, help=help_, notes=(Label(own[-1].span, "known only to the end of its block or brackets"),))
    others = [var for var in variables if var.name == name]
    if not others:
        return None
    what, entry = ("variables", name) if others[0].table is None else ("tables", f"{name}[…]")
    help_ = f"each rule has its own {what}: give the value as an argument, `{entry}`"
    return replace(d, help=help_, notes=(Label(others[0].span, "known only in its rule"),))


def _at(span: Span) -> Label:
    return Label(span, "asked here")


def _drop_unused(c: Context, var: typed.Var) -> None:
    """Removes the warning that a variable is never used."""
    for d in c.report.diagnostics:
        if d.code == "RS405" and d.span == var.span:
            c.report.replace(d, None)


def _holds(rule: Span, span: Span) -> bool:
    start, end = (rule.line, rule.column), (rule.end_line, rule.end_column)
    return span.file == rule.file and start <= (span.line, span.column) <= end
