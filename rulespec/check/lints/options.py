"""Options that are legal in no position."""

from __future__ import annotations

from rulespec.check.context import Context
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.typed import nodes as typed
from rulespec.typed.traversal import walk

_COMPARISONS = frozenset(["==", "!=", "<", "<=", ">", ">="])


def check_options(c: Context) -> None:
    """Warns of options with a condition that holds in no position, or without any arguments."""
    for procedure in c.rules.procedures.values():
        for s in walk(procedure.body):
            for option in s.options if isinstance(s, typed.Decide) else ():
                span = _never(option)
                if span is not None:
                    notes = [Label(option.span, "the option")]
                    message = f"the option `{option.name}` is never legal: this holds in no position"
                    help_ = "take the option out, or fix the condition"
                    c.report.warning("RS412", message, span, notes=notes, help=help_)


def _never(option: typed.OptionDef) -> Span | None:
    """Place of the condition or the empty range that makes an option impossible; None if there is none."""
    for p in option.params:
        if isinstance(p.low, typed.Lit) and isinstance(p.high, typed.Lit) and p.low.value > p.high.value:
            return p.span
        if p.high is None and isinstance(p.low, typed.KindSet) and not p.low.kind.is_player and not p.low.kind.entities:
            return p.span
        if p.where is not None and _settled(p.where) is False:
            return p.where.span
    return next((r.condition.span for r in option.requires if _settled(r.condition) is False), None)


def _settled(e: typed.Expr) -> bool | None:
    """Value of a condition that is constant; None if it depends on the game."""
    if isinstance(e, typed.Lit):
        return bool(e.value)
    if not isinstance(e, typed.Op):
        return None
    if e.op in ("and", "or", "not"):
        known = [_settled(a) for a in e.args]
        if e.op == "not":
            return None if known[0] is None else not known[0]
        stop = e.op == "or"
        return stop if stop in known else None if None in known else not stop
    values = [a.value for a in e.args if isinstance(a, typed.Lit)]
    if e.op not in _COMPARISONS or len(values) < 2:
        return None
    a, b = values
    return {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[e.op]
