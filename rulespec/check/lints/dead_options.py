"""Options that are never legal."""

from __future__ import annotations

from rulespec.check.context import Context
from rulespec.check.origins import constants_at
from rulespec.check.ranges import Ranges
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import walk
from rulespec.types import may_be_none


def check_dead_options(c: Context) -> None:
    """Warns of options with an unsatisfiable condition, or without possible arguments."""
    for procedure in c.rules.procedures.values():
        for s in walk(procedure.body):
            for option in s.options if isinstance(s, typed.Decide) else ():
                span = _never(option, c.ranges)
                if span is not None:
                    c.named.add(span)
                    notes = [Label(option.span, "the option"), *constants_at(span, c.declarations)]
                    message = f"the option `{option.name}` is never legal: this is false in every position"
                    help_ = "remove the option (in an overlay: `remove option … of …`), or fix the condition"
                    c.report.warning("RS412", message, span, notes=notes, help=help_)


def _never(option: typed.OptionDef, ranges: Ranges) -> Span | None:
    """The place of the condition or empty range that makes an option impossible, or None."""
    for p in option.params:
        if may_be_none(p.var.type):
            continue
        if isinstance(p.low, typed.Lit) and isinstance(p.high, typed.Lit) and p.low.value > p.high.value:
            return p.span
        if p.high is None and isinstance(p.low, typed.KindSet) and not p.low.kind.by_seat and not p.low.kind.entities:
            return p.span
        if p.where is not None and ranges.settled(p.where) is False:
            return p.where.span
    requires = (r for r in option.head if isinstance(r, typed.Requirement))
    return next((r.condition.span for r in requires if ranges.settled(r.condition) is False), None)
