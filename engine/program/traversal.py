"""Traversal, rewriting and analysis of expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import is_
from typing import Any

from msgspec.structs import replace

from rulespec.engine.program import ir
from rulespec.language.operators import OPERATORS, Fault


class _Parts(dict[type, Callable[..., tuple[ir.Expr, ...]]]):
    """Class of an expression → function that returns its parts; subclasses created by observers inherit it."""

    def __missing__(self, kind: type) -> Callable[..., tuple[ir.Expr, ...]]:
        assert kind.__base__ is not None
        self[kind] = result = self[kind.__base__]
        return result


_PARTS = _Parts()
_PARTS |= {
    ir.Op: lambda e: e.args,
    ir.Logic: lambda e: e.args,
    ir.Call: lambda e: e.args,
    ir.Cell: lambda e: (e.index,),
    ir.Row: lambda e: (e.index,),
    ir.Positive: lambda e: (e.index,),
    ir.Total: lambda e: (e.index,),
    ir.Inverse: lambda e: (e.value,),
    ir.Held: lambda e: (e.value,),
    ir.Lookup: lambda e: (e.key,),
    ir.If: lambda e: (e.condition, e.then, e.other),
    ir.Fold: lambda e: tuple([x for x in (e.source, e.start, e.where, e.body, e.default) if x is not None]),
    ir.Closure: lambda e: (e.start, e.step),
    ir.Ranked: lambda e: (*(x for x in (e.source, e.start, e.where) if x is not None), *e.keys),
    ir.Spread: lambda e: tuple(
        [x for x in (e.start, e.limit, e.until, e.near, e.where, e.cost, e.default) if x is not None]
    ),
    ir.PathSearch: lambda e: (
        *(x for x in (e.start, e.reachable, e.within, e.onward, e.cost, e.where, e.worth, e.default) if x is not None),
        *e.uses,
    ),
    ir.Suppose: lambda e: (*e.args, e.body),
    ir.Const: lambda e: (),
    ir.Local: lambda e: (),
}
LEAVES = frozenset({ir.Const, ir.Local})
# Tested by `type(…) in`, because a negative `isinstance` is slow for classes created in C.
_MAY_FAULT = frozenset({ir.Lookup, ir.Spread, ir.Suppose, ir.PathSearch})
_FAULTS = {name: each.fault for name, each in OPERATORS.items() if each.fault is not None}
_OF_STATE = frozenset({ir.Cell, ir.Positive, ir.Total, ir.Held, ir.Suppose})
Binding = ir.Fold | ir.Closure | ir.Ranked | ir.Spread | ir.PathSearch
"""An expression that binds slots."""
Elsewhere = ir.Call | ir.Suppose
"""An expression whose value depends on code outside it."""
_OUTSIDE = ("source", "start", "limit", "default", "within", "reachable")
"""The fields of binding expressions that are outside the binding."""
_FIELDS: dict[type, tuple[str, ...]] = {
    ir.Fold: ("source", "start", "where", "body", "default"),
    ir.Closure: ("start", "step"),
    ir.Ranked: ("source", "start", "where"),
    ir.Spread: ("start", "limit", "until", "near", "where", "cost", "default"),
    ir.PathSearch: ("start", "reachable", "within", "onward", "cost", "where", "worth", "default"),
}


def _may_be_at_fault(e: ir.Op, fault: Fault) -> bool:
    """Whether an operator may fault: its decisive operands are not all constant, or are invalid."""
    deciding = [e.args[i] for i in fault.operands]
    values = [x.value for x in deciding if isinstance(x, ir.Const)]
    return len(values) < len(deciding) or fault.when(*values)


def parts(e: ir.Expr) -> tuple[ir.Expr, ...]:
    """The direct parts of an expression, in the order of their first evaluation."""
    return _PARTS[type(e)](e)


def alternatives(e: ir.Expr) -> tuple[ir.Expr, ...]:
    """The parts that may yield the value of the whole expression, such as the branches of a conditional."""
    if type(e) is ir.If:
        return e.then, e.other
    if type(e) is ir.Logic and e.op in ("??", "?number"):
        return e.args
    return (e.body,) if type(e) is ir.Suppose else ()


def changed(e: ir.Expr, change: Callable[[ir.Expr], ir.Expr]) -> ir.Expr:
    """The expression with `change` applied to each direct part; the same object if no part changes."""
    before = parts(e)
    if not before:
        return e
    after = [change(part) for part in before]
    if all(map(is_, before, after)):
        return e
    if isinstance(e, ir.Op | ir.Logic | ir.Call):
        return replace(e, args=tuple(after))
    if isinstance(e, ir.Cell | ir.Row | ir.Positive | ir.Total):
        return replace(e, index=after[0])
    if isinstance(e, ir.Inverse | ir.Held):
        return replace(e, value=after[0])
    if isinstance(e, ir.Lookup):
        return replace(e, key=after[0])
    if isinstance(e, ir.If):
        return ir.If(*after)
    if isinstance(e, ir.Suppose):
        return replace(e, args=tuple(after[:-1]), body=after[-1])
    assert isinstance(e, Binding)
    new = iter(after)
    return _rebound(e, lambda part: next(new), lambda part: next(new))


def _rebound(
    e: Binding, outside: Callable[[ir.Expr], ir.Expr], inside: Callable[[ir.Expr], ir.Expr], by: int = 0
) -> ir.Expr:
    """A binding expression with its parts mapped by `outside` and `inside` the binding, and its slots shifted."""
    fields: dict[str, Any] = {}
    for name in _FIELDS[type(e)]:
        part = getattr(e, name)
        if part is not None:
            fields[name] = (outside if name in _OUTSIDE else inside)(part)
    if isinstance(e, ir.Ranked):
        fields["keys"] = tuple([inside(key) for key in e.keys])
    if isinstance(e, ir.PathSearch):
        fields["uses"] = tuple([inside(mark) for mark in e.uses])
    if isinstance(e, ir.Spread):
        fields["to"] = e.to + by
    return replace(e, **fields, slot=e.slot + by)


def walk(e: ir.Expr) -> Iterator[ir.Expr]:
    """The expression and all its parts, parents first."""
    left = [e]
    while left:
        e = left.pop()
        yield e
        if result := parts(e):
            left += result[::-1]


def binds(e: Binding) -> tuple[int, ...]:
    """The slots that a binding expression binds."""
    if isinstance(e, ir.PathSearch):
        return (e.slot, e.at, e.to, e.left, *e.used)
    return (e.slot, e.to) if isinstance(e, ir.Spread) else (e.slot,)


def inside(e: Binding) -> list[ir.Expr]:
    """The parts of a binding expression within the scope of the binding."""
    results = [getattr(e, name) for name in _FIELDS[type(e)] if name not in _OUTSIDE]
    more = e.keys if isinstance(e, ir.Ranked) else e.uses if isinstance(e, ir.PathSearch) else ()
    return [x for x in (*results, *more) if x is not None]


def at_hand(e: ir.Expr) -> tuple[ir.Expr, ...]:
    """The parts of an expression that are evaluated in the same state as the expression."""
    return e.args if isinstance(e, ir.Suppose) else parts(e)


def free(e: ir.Expr | None) -> frozenset[int]:
    """The slots that an expression reads but does not bind."""
    if e is None:
        return frozenset()
    if isinstance(e, ir.Local):
        return frozenset((e.slot,))
    if isinstance(e, Binding):
        bound = frozenset().union(*map(free, inside(e))).difference(binds(e))
        return bound.union(*(free(getattr(e, name, None)) for name in _OUTSIDE))
    return frozenset().union(*(free(part) for part in parts(e)))


def highest(e: ir.Expr) -> int:
    """The highest slot read or bound by an expression; -1 if there is none."""
    result = -1
    left = [e]
    while left:
        x = left.pop()
        if type(x) is ir.Local:
            result = max(result, x.slot)
        elif type(x) in _FIELDS:
            assert isinstance(x, Binding)
            result = max(result, *binds(x))
        left += parts(x)
    return result


def substituted(e: ir.Expr, values: dict[int, ir.Expr]) -> ir.Expr:
    """The expression with slots replaced by `values`, which must not read a slot that the expression binds."""
    if isinstance(e, ir.Local):
        return values.get(e.slot, e)
    if isinstance(e, Binding) and not values.keys().isdisjoint(binds(e)):
        inner = {slot: value for slot, value in values.items() if slot not in binds(e)}
        return _rebound(e, lambda part: substituted(part, values), lambda part: substituted(part, inner))
    return changed(e, lambda part: substituted(part, values))


def moved(e: ir.Expr, by: int, bound: frozenset[int] = frozenset()) -> ir.Expr:
    """The expression with its bound slots shifted up by a number, to avoid clashes."""
    if isinstance(e, ir.Local):
        return ir.Local(e.slot + by) if e.slot in bound else e
    if isinstance(e, Binding):
        inner = bound.union(binds(e))
        return _rebound(e, lambda part: moved(part, by, bound), lambda part: moved(part, by, inner), by)
    return changed(e, lambda part: moved(part, by, bound))


def span(c: ir.Cell) -> range:
    """The cells that a cell expression may address."""
    if isinstance(c.index, ir.Const):
        return range(c.base + c.index.value, c.base + c.index.value + 1)
    return range(c.base, c.base + c.size)


def targets(i: ir.Instruction) -> list[range]:
    """The cells that an instruction may write."""
    if isinstance(i, ir.Store):
        return [span(i.target)]
    if isinstance(i, ir.Transfer):
        return [span(i.source), span(i.target)]
    if isinstance(i, ir.Check):
        return []
    assert isinstance(i, ir.Clear)
    return [range(i.base, i.base + i.size)]


def meet(one: range, other: range) -> bool:
    """Whether two ranges of cells overlap."""
    return one.start < other.stop and other.start < one.stop


class Facts:
    """Memoised facts about expressions: whether they read the state, may fault, or count their own steps."""

    def __init__(self, p: ir.Program) -> None:
        self.p = p
        self._faults: dict[int, bool] = {}
        self._counts: dict[int, bool] = {}
        self._reads: dict[int, bool] = {}

    def may_fault(self, e: ir.Expr) -> bool:
        """Whether evaluation may fault, in which case it must not move before its guards."""
        if type(e) in _MAY_FAULT:
            return True
        if type(e) is ir.Call:
            if e.function not in self._faults:
                f = self.p.functions[e.function]
                self._faults[e.function] = self.counts(e) or any(
                    self.may_fault(x) for x in (*(v for _, v in f.lets), f.body)
                )
            if self._faults[e.function]:
                return True
        if type(e) is ir.Op and e.op in _FAULTS and _may_be_at_fault(e, _FAULTS[e.op]):
            return True
        return any(map(self.may_fault, parts(e)))

    def counts(self, e: ir.Expr) -> bool:
        """Whether any part counts its own steps."""
        if type(e) is ir.Call:
            if e.function not in self._counts:
                f = self.p.functions[e.function]
                inner = (*(v for _, v in f.lets), f.body)
                self._counts[e.function] = f.steps is not None or any(map(self.counts, inner))
            if self._counts[e.function]:
                return True
        if (type(e) is ir.Suppose and e.counted) or (type(e) is ir.PathSearch and e.steps):
            return True
        return any(map(self.counts, parts(e)))

    def reads_state(self, e: ir.Expr) -> bool:
        """Whether the value depends on the state rather than only on slots."""
        if type(e) in _OF_STATE:
            return True
        if isinstance(e, ir.Call):
            if e.function not in self._reads:
                f = self.p.functions[e.function]
                self._reads[e.function] = any(self.reads_state(x) for x in (*(v for _, v in f.lets), f.body))
            if self._reads[e.function]:
                return True
        return any(self.reads_state(part) for part in parts(e))

    def worth_memo(self, whole: tuple[ir.Expr, ...], params: int) -> bool:
        """Whether expressions are worth memoising: they have parameters, depend on nothing else, and take longer to
        evaluate than a look-up.
        """
        if not params or any(self.reads_state(e) for e in whole):
            return False
        return any(isinstance(x, Binding | ir.Call) for e in whole for x in walk(e))
