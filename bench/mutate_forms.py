"""Mutants of specific language forms: deciders, keys, orders, costs of paths, steps on boards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import expressions
from rulespec.types import INT, Ent, Order, SetOf

Change = tuple[str, Any, str]
"""A change: the operator, the new node, and the new text."""
Source = Callable[[Any], str]
"""A function from a span to its source text."""


def of_expression(e: typed.Expr, source: Source) -> Iterator[Change]:
    """The replacements of an expression."""
    if isinstance(e, typed.Each):
        yield from _ranked(e, source)
    elif isinstance(e, typed.Reach):
        yield "reach dropped", e.start, source(e.start.span)
    elif isinstance(e, typed.Ways):
        yield from _ways(e, source)
    elif isinstance(e, typed.PathDomain):
        yield from _path(e, source)
    elif isinstance(e, typed.BoardOp):
        yield from _on_board(e, source)
    elif isinstance(e, typed.Cases):
        yield from _cases(e, source)
    elif isinstance(e, typed.IfSome) and e.var.name and not _reads(e.then, e.var):
        yield "branches swapped", replace(e, then=e.other, other=e.then), f"{source(e.other.span)} if …"
    elif isinstance(e, typed.IfSome) and e.var.name:
        yield "never some", e.other, source(e.other.span)


def _ranked(e: typed.Each, source: Source) -> Iterator[Change]:
    """`best` replaced by its set, and a `first` with a single key by one without a key."""
    unranked = replace(e.binder, keys=())
    head = source(e.binder.var.span.to(e.binder.source.span))
    if e.op == "best":
        yield "best dropped", replace(e, op="set", binder=unranked), f"{{{head} …}}"
    elif e.op == "first" and len(e.binder.keys) == 1:
        yield "key dropped", replace(e, binder=unranked), f"first({head} …)"


def _reads(e: typed.Expr, var: typed.Var) -> bool:
    return any(isinstance(part, typed.Local) and part.var is var for part in expressions(e))


def _cases(e: typed.Cases, source: Source) -> Iterator[Change]:
    """The values of two adjacent cases swapped."""
    for i, ((one, then), (other, instead)) in enumerate(pairwise(e.cases)):
        cases = (*e.cases[:i], (one, instead), (other, then), *e.cases[i + 2 :])
        yield "cases swapped", replace(e, cases=cases), f"case {source(e.places[i])}: {source(instead.span)}"
    if e.cases and e.other is not None:
        *first, (last, value) = e.cases
        changed = replace(e, cases=(*first, (last, e.other)), other=value)
        yield "cases swapped", changed, f"case {source(e.places[-1])}: {source(e.other.span)}"


def _path(e: typed.PathDomain, source: Source) -> Iterator[Change]:
    """A path with another bound, with a `once` dropped, or with the end condition toggled."""
    shown = source(e.near.var.span)
    for sign in ("+", "-"):
        within = typed.Op(e.within.type, e.within.span, sign, (e.within, typed.Lit(e.within.type, e.within.span, 1)))
        yield "bound of a path", replace(e, within=within), f"within {source(e.within.span)} {sign} 1"
    for number, use in enumerate(e.uses):
        uses = (*e.uses[:number], *e.uses[number + 1 :])
        yield "use dropped", replace(e, uses=uses), f"to {shown} without once {source(use.span)}"
    yield "end of a path", replace(e, whole=not e.whole), f"to {shown} {'without' if e.whole else 'with'} until none"


def _ways(e: typed.Ways, source: Source) -> Iterator[Change]:
    one = typed.Lit(e.cost.type, e.cost.span, 1)
    if not isinstance(e.cost, typed.Lit):
        yield "cost of a step", replace(e, cost=one), "costs 1"
    if e.op == "reach" and not isinstance(e.bound, typed.Lit):
        for sign in ("+", "-"):
            bound = typed.Op(e.bound.type, e.bound.span, sign, (e.bound, replace(one, type=e.bound.type)))
            yield "bound", replace(e, bound=bound), f"within {source(e.bound.span)} {sign} 1"


def _on_board(e: typed.BoardOp, source: Source) -> Iterator[Change]:
    """A single step replaced by two steps, and a ray by one step."""
    if e.op not in ("to", "ray"):
        return
    space, direction = (source(a.span) for a in e.args[:2])
    if e.op == "to" and len(e.args) == 2:
        yield "two steps", replace(e, args=(*e.args, typed.Lit(INT, e.span, 2))), f"{space}.to({direction}, 2)"
    elif e.op == "ray":
        assert isinstance(e.type, SetOf)
        step = typed.BoardOp(Ent(e.type.kind, optional=True), e.span, "to", e.board, e.args[:2])
        yield "ray shortened", typed.Op(e.type, e.span, "set", (step,)), f"{{{space}.to({direction})}}"


def of_statement(s: typed.Stmt, source: Source) -> Iterator[Change]:
    """The replacements of a statement."""
    if isinstance(s, typed.Decide) and s.form == "decide" and s.by is not None:
        yield from _decider(s, s.by, source)
    elif isinstance(s, typed.For) and len(s.binder.keys) == 1:
        text = f"for {source(s.binder.var.span.to(s.binder.source.span))} …"
        yield "key dropped", replace(s, binder=replace(s.binder, keys=())), text
    elif isinstance(s, typed.Assign) and isinstance(s.value.type, Order) and isinstance(s.value, typed.Op):
        word, _, rest = source(s.span).partition(" ")
        if word == "add":
            member, _, order = rest.partition(" to ")
            yield "add/take", replace(s, value=replace(s.value, op="without")), f"take {member} from {order}"
        elif word == "take":
            member, _, order = rest.partition(" from ")
            yield "add/take", replace(s, value=replace(s.value, op="append")), f"add {member} to {order}"


def _decider(s: typed.Decide, by: typed.Expr, source: Source) -> Iterator[Change]:
    if isinstance(by.type, SetOf):
        alone = s.lead or typed.Op(Ent(by.type.kind), by.span, "first", (by,))
        yield "any of dropped", replace(s, by=alone, lead=None), f"by {source(alone.span)} alone"
        if s.lead is not None:
            yield "lead dropped", replace(s, lead=None), f"any of {source(by.span)}"
    else:
        assert isinstance(by.type, Ent)
        after = typed.Op(Ent(by.type.kind), by.span, "next", (by,))
        yield "another decider", replace(s, by=after), f"by next({source(by.span)})"
