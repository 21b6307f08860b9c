"""Expressions as nested Python functions: quick to make, and several times as fast as the evaluator.

For expressions that are evaluated too often to be interpreted, and not often enough to generate source for them. Loops
and the expressions that only passes make are left to the evaluator.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

from rulespec.engine.program import ir
from rulespec.engine.program.builder import OPERATORS, apply_op
from rulespec.engine.program.evaluator import Evaluator
from rulespec.engine.program.faults import fault_of
from rulespec.engine.program.journal import State
from rulespec.engine.program.limits import NO_NUMBER
from rulespec.engine.program.traversal import walk

Closure = Callable[[State, Sequence[int]], int]
"""The value of an expression for a state and slots; there are slots enough for what it binds itself."""
_DIVISIONS = {"/": operator.floordiv, "%": operator.mod}


class Closures:
    """Makes functions of the expressions of a program, which may still grow.

    Attributes:
        meter: counts the steps of loops and calls; what is between them is as long as its text.
    """

    def __init__(self, program: ir.Program) -> None:
        self.p = program
        self.meter = Evaluator(program)
        self._bodies: dict[int, Closure] = {}

    def compiled(self, e: ir.Expr) -> Closure:
        """The function of an expression. It raises what `evaluate` would."""
        if isinstance(e, ir.Const):
            constant = e.value
            return lambda s, v: constant
        if isinstance(e, ir.Local):
            slot = e.slot
            return lambda s, v: v[slot]
        if isinstance(e, ir.Cell):
            return self._cell(e)
        if isinstance(e, ir.Row):
            array, row = self.p.arrays[e.array], self.compiled(e.index)
            return lambda s, v: array[row(s, v)]
        if isinstance(e, ir.Op):
            return self._op(e)
        if isinstance(e, ir.Logic):
            return self._logic(e)
        if isinstance(e, ir.If):
            condition, then, other = self.compiled(e.condition), self.compiled(e.then), self.compiled(e.other)
            return lambda s, v: then(s, v) if condition(s, v) else other(s, v)
        if isinstance(e, ir.Call):
            return self._call(e)
        evaluate = self.meter.evaluate
        return lambda s, v: evaluate(e, s, [*v])

    def _cell(self, e: ir.Cell) -> Closure:
        if isinstance(e.index, ir.Const):
            at = e.base + e.index.value
            return lambda s, v: s[at]
        base, index = e.base, self.compiled(e.index)
        return lambda s, v: s[base + index(s, v)]

    def _op(self, e: ir.Op) -> Closure:
        args = [self.compiled(a) for a in e.args]
        divisor = e.args[1] if e.op in _DIVISIONS else None
        by_zero = divisor is not None and not (isinstance(divisor, ir.Const) and divisor.value)
        if by_zero or e.op in ("mul", "fit", "the"):
            return lambda s, v: self._checked(e, [a(s, v) for a in args])
        of = _DIVISIONS.get(e.op) or OPERATORS[e.op]
        if len(args) != 2:
            return lambda s, v: of(*[a(s, v) for a in args])
        one, two = args
        return lambda s, v: of(one(s, v), two(s, v))

    @staticmethod
    def _checked(e: ir.Op, args: list[int]) -> int:
        value = apply_op(e.op, args)
        if value is None:
            raise fault_of(e, args)
        return value

    def _logic(self, e: ir.Logic) -> Closure:
        args = [self.compiled(a) for a in e.args]
        if e.op == "??":
            one, two = args
            return lambda s, v: result if (result := one(s, v)) >= 0 else two(s, v)
        if e.op == "?number":
            one, two = args
            return lambda s, v: result if (result := one(s, v)) != NO_NUMBER else two(s, v)
        stop = 0 if e.op == "and" else 1

        def value(s: State, v: Sequence[int]) -> int:
            return stop if any(a(s, v) == stop for a in args) else 1 - stop

        return value

    def _call(self, e: ir.Call) -> Closure:
        args, bodies = [self.compiled(a) for a in e.args], self._bodies

        def value(s: State, v: Sequence[int]) -> int:
            if e.function not in bodies:  # when it is first called: definitions may call one another in a long row
                bodies[e.function] = self._body(self.p.functions[e.function])
            return bodies[e.function](s, [a(s, v) for a in args])

        return value

    def _body(self, f: ir.Function) -> Closure:
        """A definition, for a state and its arguments."""
        lets = [(slot, self.compiled(value)) for slot, value in f.lets]
        body, count = self.compiled(f.body), self.meter.count
        steps = sum(1 for e in (*(value for _, value in f.lets), f.body) for _ in walk(e))

        def value(s: State, args: Sequence[int]) -> int:
            count(steps)
            inner = [*args, *[0] * (self.p.slots + 1)]
            for slot, let in lets:
                inner[slot] = let(s, inner)
            return body(s, inner)

        return value
