"""Comparisons of state with a number outside its range."""

from __future__ import annotations

from rulespec.check.context import Context
from rulespec.check.origins import constants_at
from rulespec.check.ranges import Range
from rulespec.diagnostics.diagnostic import Label
from rulespec.language.operators import COMPARISONS
from rulespec.typed import nodes as typed


def check_comparisons(c: Context) -> None:
    """Warns of comparisons of ranged state with numbers outside its range."""
    for group in c.expressions_by_rule:
        for e in group:
            if type(e) is typed.Op and e.op in COMPARISONS and e.span not in c.named:
                _compare(c, e)


def _compare(c: Context, e: typed.Op) -> None:
    left, right = (c.ranges.of(a) for a in e.args)
    state, number = (right, left) if left.low == left.high else (left, right)
    fields = [f for f in state.of if isinstance(f, typed.FieldDecl)]
    if len(fields) != len(state.of) or not fields or number.of or not _outside(number, state):
        return
    c.named.add(e.span)
    answer = "holds in every position" if c.ranges.settled(e) else "holds in no position"
    names = " and ".join(f"`{f.name}`" for f in fields)
    message = f"this {answer}: with the range of {names} it is between {state.low} and {state.high}"
    if isinstance(e.args[0] if state is left else e.args[1], typed.Field):
        message = f"this {answer}: {names} is between {state.low} and {state.high}"
    notes = [*constants_at(e.span, c.declarations), *(Label(f.type_span or f.span, "declared here") for f in fields)]
    help_ = "compare with a number in the range, or change the range"
    c.report.warning("RS244", message, e.span, notes=notes, help=help_)


def _outside(number: Range, state: Range) -> bool:
    """Whether a constant number is outside a range."""
    if number.low is None or number.low != number.high or state.low is None or state.high is None:
        return False
    return not state.low <= number.low <= state.high
