"""Conditions without effect: always true, never true, or implied by earlier requirements.

Implied conditions that contain a constant or a fact are skipped, since an overlay may change its value.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from msgspec import Struct

from rulespec.check.context import Context
from rulespec.check.origins import constants_at, inside
from rulespec.check.ranges import Range, Ranges
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.language.operators import COMPARISONS
from rulespec.typed import nodes as typed
from rulespec.typed.meaning import FOR_PEOPLE, PLACES
from rulespec.typed.rule_traversal import walk
from rulespec.types import may_be_none

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}
_LEFT_OUT = FOR_PEOPLE | PLACES


def check_idle(c: Context) -> None:
    """Warns of redundant conditions in options, guards and branches."""
    references = c.declarations.references.items()
    changing = sorted(at for at, of in references if isinstance(of, typed.ConstantDecl | typed.FactDecl))
    for guard in c.rules.guards.values():
        _check_head(c, guard.head, changing)
    for procedure in c.rules.procedures.values():
        for s in walk(procedure.body):
            if isinstance(s, typed.Decide):
                for option in s.options:
                    _check_head(c, option.head, changing)
            elif isinstance(s, typed.If):
                _check_branches(c, s, changing)


def _check_head(c: Context, head: tuple[typed.HeadPart, ...], changing: Sequence[Span]) -> None:
    known: list[typed.Expr] = []
    for part in head:
        if not isinstance(part, typed.Requirement):
            continue
        for each in _conjuncts(part.condition):
            if each.span not in c.named and not _depends(each, changing):
                before = next((k for k in known if _implies(k, each, c.ranges)), None)
                if c.ranges.settled(each):
                    _warn(c, each, "this condition has no effect: it is true in every position")
                elif before is not None:
                    label = Label(before.span, "required here")
                    _warn(c, each, "this condition has no effect: an earlier requirement implies it", label)
            known.append(each)


def _check_branches(c: Context, s: typed.If, changing: Sequence[Span]) -> None:
    for condition, _ in s.branches:
        if condition is None or condition.span in c.named or _depends(condition, changing):
            continue
        settled = c.ranges.settled(condition)
        if settled is not None:
            _warn(c, condition, f"this condition has no effect: it is true in {'every' if settled else 'no'} position")


def _depends(e: typed.Expr, changing: Sequence[Span]) -> bool:
    """Whether a condition contains a constant or a fact, which overlays may change; `changing` are all their places."""
    following = bisect_left(changing, Span(e.span.file, e.span.line, e.span.column, 0, 0))
    return following < len(changing) and inside(changing[following], e.span)


def _warn(c: Context, e: typed.Expr, message: str, *labels: Label) -> None:
    c.named.add(e.span)
    c.report.warning("RS417", message, e.span, notes=labels, help="remove or correct the condition")


def _conjuncts(e: typed.Expr) -> Iterator[typed.Expr]:
    if isinstance(e, typed.Op) and e.op == "and":
        for each in e.args:
            yield from _conjuncts(each)
    else:
        yield e


def _implies(known: typed.Expr, e: typed.Expr, ranges: Ranges) -> bool:
    """Whether a known condition implies another one, judged by their structure."""
    if _same(known, e):
        return True
    one, other = _bounds(known, ranges), _bounds(e, ranges)
    if one is None or other is None or not _same(one.of, other.of):
        return False
    low = other.low is None or (one.low is not None and one.low >= other.low)
    return low and (other.high is None or (one.high is not None and one.high <= other.high))


class _Bounds(Struct):
    """The minimum and maximum of a number implied by a comparison; None means unbounded."""

    of: typed.Expr
    low: int | None = None
    high: int | None = None


def _bounds(e: typed.Expr, ranges: Ranges) -> _Bounds | None:
    """The bounds implied by a comparison with a constant number; None for other conditions."""
    if not isinstance(e, typed.Op) or e.op not in COMPARISONS or e.op == "!=":
        return None
    op, (left, right) = e.op, e.args
    if ranges.of(left).low == ranges.of(left).high:
        op, left, right = _TURNED[op], right, left
    number = ranges.of(right)
    if number.low is None or number.low != number.high or number.of:
        return None
    value = number.low
    low = value + (op == ">") if op in (">", ">=", "==") else None
    high = value - (op == "<") if op in ("<", "<=", "==") else None
    return _Bounds(left, low, high)


def _same(a: object, b: object) -> bool:
    """Whether two typed expressions are equal, ignoring places and optional types."""
    if type(a) is not type(b):
        return False
    if isinstance(a, Struct):
        if not a.__struct_config__.frozen:
            return a is b
        names = [n for n in a.__struct_fields__ if n not in _LEFT_OUT and (n != "type" or isinstance(a, typed.Lit))]
        return all(_same(getattr(a, n), getattr(b, n)) for n in names)
    if isinstance(a, tuple):
        assert isinstance(b, tuple)
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    return a == b


def check_dead_options(c: Context) -> None:
    """Warns of options whose condition cannot be satisfied, or which have no possible arguments."""
    for procedure in c.rules.procedures.values():
        for s in walk(procedure.body):
            for option in s.options if isinstance(s, typed.Decide) else ():
                span = _never(option, c.ranges)
                if span is not None:
                    c.named.add(span)
                    notes = [Label(option.span, "the option"), *constants_at(span, c.declarations)]
                    message = f"the option `{option.name}` is never legal: this is false in every position"
                    help_ = "remove the option (in an overlay: `remove option … of …`), or correct the condition"
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


def check_comparisons(c: Context) -> None:
    """Warns of comparisons between ranged state and numbers outside its range."""
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
    message = f"this {answer}: given the range of {names}, one side is between {state.low} and {state.high}"
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
