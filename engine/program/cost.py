"""Step bounds: the maximum number of interpreter steps for an expression or a block.

A step is an evaluated expression, an entered block, a cleared cell, or a case of a `match`. The actual number depends
on the state; the maximum depends only on the sizes of sets.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from typing import NamedTuple

from rulespec.engine.program import ir
from rulespec.engine.program.builder import op
from rulespec.engine.program.control_flow import Flow
from rulespec.engine.program.limits import MAX_ONCE_STEPS
from rulespec.engine.program.rounds import Rounds
from rulespec.engine.program.traversal import parts
from rulespec.language.operators import OPERATORS
from rulespec.language.paths import MAX_PATHS

FEW_TESTS = 10_000
"""Threshold: if testing a parameter's values takes at most this many steps, a bound is counted once instead of steps
per value.
"""


class Listing(NamedTuple):
    """The step bound for listing an option's legal arguments.

    Attributes:
        fixed: the steps that do not depend on the ranges of parameters.
        params: for each parameter, the steps per value, and whether these include the test of the value.
    """

    fixed: int
    params: tuple[tuple[int, bool], ...]


class Costs:
    """Step bounds of a program's expressions and blocks; definitions that count their own steps are excluded.

    Args:
        p: the program.
        whole: the costs of the program before definitions counted their own steps; None if `p` is that program.

    Attributes:
        whole: the argument or, if it is None, this object itself.
    """

    def __init__(self, p: ir.Program, whole: Costs | None = None) -> None:
        self.p = p
        self.whole = whole or self
        self.largest = max(p.sizes.values(), default=1)
        self._blocks: dict[int, int] = {}
        self._functions: dict[int, int] = {}
        self._results: dict[int, int] = {}
        self._rows: dict[int, int] = {}
        self._procedures: dict[int, int] = {}
        self._flow = Flow(p)

    def block(self, number: int) -> int:
        """The step bound of a block, up to the start of the next one."""
        if number not in self._blocks:
            self._blocks[number] = self._block(self.p.blocks[number])
        return self._blocks[number]

    def _block(self, block: ir.Block) -> int:
        steps = 1
        for i in block.body:
            if isinstance(i, ir.Store):
                steps += self.of(i.target.index) + self.of(i.value)
            elif isinstance(i, ir.Transfer):
                steps += self.of(i.source.index) + self.of(i.target.index) + self.of(i.amount)
            elif isinstance(i, ir.Check):
                steps += self.of(i.condition)
            elif isinstance(i, ir.Clear):
                steps += i.size
        exit_ = block.exit
        if isinstance(exit_, ir.Branch):
            steps += self.of(exit_.condition)
        elif isinstance(exit_, ir.Switch):
            steps += len(exit_.cases) + self.of(exit_.value)
        elif isinstance(exit_, ir.End) and exit_.winners is not None:
            steps += self.of(exit_.winners)
        return steps

    def listing(self, c: ir.Choice, depths: Sequence[int], *, counted: bool) -> Listing:
        """The step bound for listing the legal arguments of an option.

        Args:
            c: the option.
            depths: for each condition, the number of parameters bound at its test (see `option_tests`).
            counted: whether steps are counted per value for all large domains, not only for ranges of numbers.
        """
        tests = [0] * (len(c.params) + 1)
        tests[-1] = self.of(c.by) if c.by is not None else 0
        conditions = [sum(map(self.of, (*(value for _, value in r.lets), r.expr))) for r in c.requires]
        conditions += [2 + self.of(c.weight)] if c.weight is not None else []
        for depth, steps in zip(depths, conditions, strict=True):
            tests[depth] += steps
        params: list[tuple[int, bool]] = []
        rest = 0
        for q, tested in zip(reversed(c.params), reversed(tests[1:]), strict=True):
            tested += 1 + (self.of(q.where.expr) if q.where is not None else 0)
            values = max(1, self.members(q.low)) + (q.none is not None)
            domain = sum(map(self.of, q.domain))
            if q.walk is not None:
                params.append((tested + rest + self.beginning(q.walk), True))
                rest = domain
            elif len(q.domain) > 1 or (counted and values * tested > FEW_TESTS):
                params.append((tested + rest, True))
                rest = domain
            elif counted and values * rest > FEW_TESTS:
                params.append((rest, False))
                rest = domain + values * tested
            else:
                params.append((0, False))
                rest = domain + values * (tested + rest)
        return Listing(tests[0] + rest, tuple(params[::-1]))

    def legal(self, d: ir.Decision) -> int:
        """The step bound for testing whether the decider has a legal option, excluding steps counted by the listing."""
        own = [c for c in d.choices if c.by is None]
        return sum(c.steps for c in own) - fixed_steps(own)

    def of(self, e: ir.Expr) -> int:
        """The step bound for one evaluation of an expression."""
        kind = type(e)
        if kind is ir.Const or kind is ir.Local:
            return 1
        if type(e) is ir.Cell and type(e.index) is ir.Const:  # the most frequent case
            return 2
        if kind is ir.Fold:
            assert isinstance(e, ir.Fold)
            steps = 1 + self.of(e.source) + sum(self.of(x) for x in (e.start, e.default) if x is not None)
            each = sum(self.of(x) for x in (e.where, e.body) if x is not None)
            return steps + self.members(e.source) * each
        if kind is ir.Ranked:
            assert isinstance(e, ir.Ranked)
            steps = 1 + self.of(e.source) + (self.of(e.start) if e.start is not None else 0)
            each = sum(self.of(x) for x in (e.where, *e.keys) if x is not None)
            return steps + self.members(e.source) * each
        if kind is ir.Spread:
            assert isinstance(e, ir.Spread)
            single = sum(self.of(x) for x in (e.start, e.limit, e.default) if x is not None)
            if e.counted:  # except for the last member, at which the search ends
                return 1 + single + (self.of(e.until) if e.until is not None else 0)
            each, step = self.settling(e)
            return 1 + single + e.size * (each + self.members(e.near) * step)
        if kind is ir.PathSearch:
            assert isinstance(e, ir.PathSearch)
            steps = 1 + sum(self.of(x) for x in (e.start, e.within, e.reachable, e.default) if x is not None)
            return steps + (MAX_PATHS * self.beginning(e) if e.finds and not e.steps else 0)
        if kind is ir.Closure:
            assert isinstance(e, ir.Closure)
            return 1 + self.of(e.start) + self.largest * self.of(e.step)
        steps = 1
        for part in parts(e):
            steps += self.of(part)
        if kind is ir.Call:
            assert isinstance(e, ir.Call)
            steps += self._function(e.function)
        elif kind is ir.Suppose:
            assert isinstance(e, ir.Suppose)
            steps += min(self.whole.procedure(e.block), MAX_ONCE_STEPS) if not e.counted else 0
        return steps

    def settling(self, e: ir.Spread) -> tuple[int, int]:
        """The step bounds of a search: per settled entity, and per edge from it."""
        each = sum(self.of(x) for x in (e.until, e.near) if x is not None)
        return each, sum(self.of(x) for x in (e.where, e.cost) if x is not None)

    def beginning(self, e: ir.PathSearch) -> int:
        """The step bound per visited path prefix, in addition to `of`."""
        return sum(self.of(x) for x in (e.onward, e.cost, e.where, e.worth, *e.uses) if x is not None)

    def procedure(self, first: int) -> int:
        """The step bound of a procedure without decisions; more than `MAX_ONCE_STEPS` if it may take too many steps."""
        if first in self.p.frames:  # recursive: no static bound
            return MAX_ONCE_STEPS + 1
        if first not in self._procedures:
            rounds = Rounds(self._flow, first, self.size)
            steps = 0
            for block, times in rounds.of.items():
                exit_ = self.p.blocks[block].exit
                called = self.procedure(exit_.block) if isinstance(exit_, ir.Enter) else 0
                steps += times * (self.block(block) + called)
            self._procedures[first] = min(steps, MAX_ONCE_STEPS + 1)
        return self._procedures[first]

    def _function(self, number: int) -> int:
        if number not in self._functions:
            f = self.p.functions[number]
            if f.steps is not None:
                return 0
            self._functions[number] = sum(self.of(value) for _, value in f.lets) + self.of(f.body)
        return self._functions[number]

    def members(self, e: ir.Expr) -> int:
        """The maximum number of members of a set expression."""
        if isinstance(e, ir.Const):
            return int.bit_count(e.value)
        if isinstance(e, ir.Cell) and e.base < len(self.p.cells):
            return self.size(self.p.cells[e.base].type)
        if isinstance(e, ir.Row):
            if e.array not in self._rows:
                self._rows[e.array] = max(map(int.bit_count, self.p.arrays[e.array]), default=0)
            return self._rows[e.array]
        if isinstance(e, ir.Op) and (most := OPERATORS[e.op].members) is not None:
            return min(self.largest, most(*map(self.members, e.args)))
        if isinstance(e, ir.Op) and e.op == "members" and isinstance(e.args[1], ir.Const):
            return min(self.largest, (1 << e.args[1].value) - 1)
        if isinstance(e, ir.Fold | ir.Ranked) and e.op in ("set", "best"):
            return self.members(e.source)
        if isinstance(e, ir.Suppose):
            return self.members(e.body)
        if isinstance(e, ir.Fold) and e.op == "union" and e.body is not None:
            return min(self.largest, self.members(e.source) * self.members(e.body))
        if isinstance(e, ir.If):
            return max(min(self.members(e.then), _counted(e)), self.members(e.other))
        if isinstance(e, ir.Call):
            if e.function not in self._results:
                self._results[e.function] = self.members(self.p.functions[e.function].body)
            return self._results[e.function]
        return self.largest

    def size(self, type_: str) -> int:
        """The maximum number of members of a set type, such as `set town`."""
        return self.p.sizes.get(type_.removeprefix("set "), self.largest)


def _counted(e: ir.If) -> int:
    """The declared maximum number of members of a set, given the conditional that enforces it."""
    c = e.condition
    if isinstance(c, ir.Op) and c.op == "<=" and isinstance(c.args[1], ir.Const) and c.args[0] == op("count", e.then):
        return c.args[1].value
    return sys.maxsize


def fixed_steps(choices: Collection[ir.Choice]) -> int:
    """The steps that a listing of options counts at its beginning if it counts values of parameters; otherwise 0."""
    return sum(c.steps for c in choices) if any(q.steps for c in choices for q in c.params) else 0
