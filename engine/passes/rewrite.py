"""Rewriting of all expressions of a program, and conversions between conditions and sets."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, logic, op
from rulespec.engine.program.traversal import highest, substituted

Change = Callable[[ir.Expr, int], ir.Expr]
"""A function that rewrites an expression, given the highest slot in use around it."""


def everywhere(p: ir.Program, change: Change, *, functions_too: bool = True) -> ir.Program:
    """A copy of a program with every expression rewritten; `functions_too` includes the expressions of definitions."""
    rewriting = _Rewriting(p.slots, change)
    functions = [rewriting.function(f) for f in p.functions] if functions_too else p.functions
    blocks = [rewriting.block(b) for b in p.blocks]
    decisions = [rewriting.decision(d) for d in p.decisions]
    invariants = [rewriting.invariant(v) for v in p.invariants]
    new = {"functions": functions, "blocks": blocks, "decisions": decisions, "invariants": invariants}
    if p.scoring is not None:
        new["scoring"] = rewriting.scoring(p.scoring)
    values = tuple(replace(v, value=rewriting.expr(v.value, 0)) for v in p.values)
    asides = tuple(replace(a, value=rewriting.expr(a.value, a.params - 1)) for a in p.asides)
    return replace(p, **new, values=values, asides=asides, slots=rewriting.slots)


def in_block(b: ir.Block, change: Change) -> ir.Block:
    """A block with every expression rewritten."""
    return _Rewriting(0, change).block(b)


def in_decision(d: ir.Decision, change: Change) -> ir.Decision:
    """A decision with every expression rewritten."""
    return _Rewriting(0, change).decision(d)


class _Rewriting:
    """One rewriting of a program; `slots` is the number of slots needed so far."""

    def __init__(self, slots: int, change: Change) -> None:
        self.slots = slots
        self._change = change

    def expr(self, e: ir.Expr, top: int = -1) -> ir.Expr:
        result = self._change(e, top)
        if result is not e:
            self.slots = max(self.slots, highest(result) + 1)
        return result

    def maybe(self, e: ir.Expr | None, top: int = -1) -> ir.Expr | None:
        return None if e is None else self.expr(e, top)

    def function(self, f: ir.Function) -> ir.Function:
        top = max([f.params - 1, *(slot for slot, _ in f.lets)])
        lets = tuple((slot, self.expr(value, top)) for slot, value in f.lets)
        return replace(f, lets=lets, body=self.expr(f.body, top))

    def cell(self, c: ir.Cell) -> ir.Cell:
        index = self.expr(c.index)
        return ir.Cell(c.base + index.value, FALSE, 1) if isinstance(index, ir.Const) else replace(c, index=index)

    def block(self, b: ir.Block) -> ir.Block:
        return ir.Block([self.instruction(i) for i in b.body], self.exit(b.exit))

    def instruction(self, i: ir.Instruction) -> ir.Instruction:
        if isinstance(i, ir.Store):
            return replace(i, target=self.cell(i.target), value=self.expr(i.value))
        if isinstance(i, ir.Transfer):
            return replace(i, source=self.cell(i.source), target=self.cell(i.target), amount=self.expr(i.amount))
        if isinstance(i, ir.Check):
            return replace(i, condition=self.expr(i.condition))
        return i

    def exit(self, e: ir.Exit | None) -> ir.Exit | None:
        if isinstance(e, ir.Branch):
            return replace(e, condition=self.expr(e.condition), within=self.maybe(e.within))
        if isinstance(e, ir.Switch):
            return replace(e, value=self.expr(e.value))
        if isinstance(e, ir.End):
            return replace(e, winners=self.maybe(e.winners))
        return e

    def condition(self, c: ir.Condition, top: int) -> ir.Condition:
        lets = tuple([(slot, self.expr(value, top)) for slot, value in c.lets])
        return replace(c, expr=self.expr(c.expr, top), lets=lets)

    def decision(self, d: ir.Decision) -> ir.Decision:
        choices = tuple(self.choice(c) for c in d.choices)
        return replace(d, by=self.maybe(d.by), among=self.maybe(d.among), choices=choices)

    def choice(self, c: ir.Choice) -> ir.Choice:
        lets = (slot for r in c.requires for slot, _ in r.lets)
        top = max((*(q.slot for q in c.params), *lets), default=-1)
        params = tuple(self.param(q, top) for q in c.params)
        requires = tuple(self.condition(r, top) for r in c.requires)
        by, weight = self.maybe(c.by, top), self.maybe(c.weight, top)
        return replace(c, params=params, by=by, weight=weight, requires=requires)

    def param(self, q: ir.Param, top: int) -> ir.Param:
        low, high = self.expr(q.low, top), self.maybe(q.high, top)
        several = None if q.several is None else (self.expr(q.several[0], top), self.expr(q.several[1], top))
        where = None if q.where is None else self.condition(q.where, top)
        return replace(q, low=low, high=high, several=several, where=where)

    def invariant(self, v: ir.Invariant) -> ir.Invariant:
        return replace(v, condition=self.condition(v.condition, v.each[0] if v.each else -1))

    def scoring(self, s: ir.Scoring) -> ir.Scoring:
        tiebreaks = tuple(
            replace(t, source=self.maybe(t.source, 0), key=self.maybe(t.key, t.slot), value=self.expr(t.value, t.slot))
            for t in s.tiebreaks
        )
        return replace(s, score=self.expr(s.score, 0), tiebreaks=tiebreaks)


def conjuncts(e: ir.Expr | None) -> tuple[ir.Expr, ...]:
    """The operands of a conjunction."""
    if e is None:
        return ()
    return e.args if isinstance(e, ir.Logic) and e.op == "and" else (e,)


def membership(member: ir.Local, of: ir.Expr) -> ir.Expr:
    """The condition that a set contains an entity, computed without building the set."""
    if isinstance(of, ir.Fold) and of.op == "set" and of.body is None and of.where is not None:
        return logic("and", [membership(member, of.source), substituted(of.where, {of.slot: member})])
    if isinstance(of, ir.Inverse):
        return op("==", ir.Row(of.array, member), of.value)
    if isinstance(of, ir.Positive):
        index = op("+", of.index, op("*", member, ir.Const(of.stride)))
        return op(">", ir.Cell(of.base, index, of.size), FALSE)
    if isinstance(of, ir.Held):
        return op("==", ir.Row(of.array, ir.Cell(of.base, member, of.count)), of.value)
    if isinstance(of, ir.Op) and of.op in ("&", "|", "diff"):
        one, other = (membership(member, part) for part in of.args)
        if of.op == "diff":
            other = op("not", other)
        return logic("or" if of.op == "|" else "and", [one, other])
    return op("in", member, of)
