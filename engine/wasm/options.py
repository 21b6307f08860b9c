"""Options of decisions: the functions that list them into a buffer, with their tables.

A row of the buffer holds the program-wide number of the option, the seat of an interrupt (-1 if the decider acts), and
the arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TypeVar

from rulespec.engine.program import ir
from rulespec.engine.program.columns import Columns, value_bits
from rulespec.engine.program.cost import fixed_steps
from rulespec.engine.program.long_values import LongValues
from rulespec.engine.program.option_tests import Named, option_tests, same_for_all
from rulespec.engine.program.traversal import Facts
from rulespec.engine.wasm import wide_sets as sets
from rulespec.engine.wasm.alike import AlikeEmitter
from rulespec.engine.wasm.expressions import ExpressionEmitter
from rulespec.engine.wasm.loops import LoopEmitter
from rulespec.engine.wasm.paths import WalkEmitter
from rulespec.engine.wasm.wasm_format import I64, Code
from rulespec.engine.wasm.widths import ROW, words_of
from rulespec.language.bags import BITS

T = TypeVar("T")

_BEYOND = 1 << 40
"""A number greater than that of any member of a set."""


class OptionEmitter:
    """An emitter of the functions that list the options of decisions.

    Args:
        x: the emitter of expressions.
        loops: the emitter of loops.
        long: the values that only Python supports.

    Attributes:
        numbers: (decision, choice) → the program-wide number of the option.
    """

    def __init__(self, x: ExpressionEmitter, loops: LoopEmitter, long: LongValues) -> None:
        self.x = x
        self.loops = loops
        self._long = long
        self._alike = AlikeEmitter(x)
        self._walks = WalkEmitter(x)
        self._facts = Facts(x.p)
        every = [(i, k) for i, d in enumerate(x.p.decisions) for k in range(len(d.choices))]
        self.numbers = {one: number for number, one in enumerate(every)}

    def write(self) -> None:
        """Writes all functions."""
        x = self.x
        self._alike.write()
        decisions = x.p.decisions
        for i, d in enumerate(decisions):
            for name, interrupts in (("own", False), ("others", True)):
                code = x.begin(0)
                chosen = [(k, c) for k, c in enumerate(d.choices) if (c.by is not None) == interrupts]
                if steps := fixed_steps([c for _, c in chosen]):
                    code.const(steps)
                    code.call("charge")
                for e in same_for_all(d, [c for _, c in chosen], self._facts):
                    if (words := x.words(e)) != ROW:
                        x.memo[e] = (code.local(), code.locals(words))  # initially zero
                self._alike.find(i, d, interrupts=interrupts)
                for k, c in chosen:
                    self._listed(self.numbers[i, k], c)
                code.module.define(f"{name}{i}", code, 0)
        for name in ("own", "others"):
            code = x.begin(1)
            for i in cases(code, range(len(decisions))):
                code.call(f"{name}{i}")
            code.module.define(f"list_{name}", code, 1)
        self._write_who()
        self._write_weights()

    def _write_who(self) -> None:
        x = self.x
        code = x.begin(1)
        for number, d in cases(code, [*enumerate(x.p.decisions)]):
            if number in self._long.deciders:
                code.do("unreachable")
            if d.by is not None:
                x.value(d.by)
                code.do("return")
        code.const(-1)
        code.module.define("who", code, 1, I64, export=True)

    def _write_weights(self) -> None:
        """Writes the function for the weight of a listed option, in chance or in playouts."""
        x = self.x
        code = x.begin(2)
        code.get(1)
        code.do("wrap")
        code.load()
        code.set(0)
        options = [(i, k, c) for i, d in enumerate(x.p.decisions) for k, c in enumerate(d.choices)]
        for i, k, c in cases(code, options):
            if c.weight is None:
                code.const(c.policy)
                code.do("return")
                continue
            if (i, k) in self._long.tests:
                code.do("unreachable")
            with code.scope():
                # Names that conditions bind with `let` are unknown here, as for every machine.
                unknown = code.local()
                x.slots = dict.fromkeys(range(x.p.slots), unknown)
                x.known = x.widths.named(c)
                columns = Columns(c, x.p.sizes)
                for q, first, width in zip(c.params, columns.firsts, columns.widths, strict=True):
                    local = x.slots[q.slot] = code.locals(width)
                    for k in range(width):
                        code.get(1)
                        code.do("wrap")
                        code.load(8 * (first + k))
                        code.set(local + k)
                x.value(c.weight)
                code.do("return")
        code.const(1)
        code.module.define("weight", code, 2, I64)

    def _listed(self, number: int, c: ir.Choice) -> None:
        """Lists the legal arguments of an option."""
        x = self.x
        code = x.code
        order = option_tests(c, self._facts)
        x.known = x.widths.named(c)
        with code.scope():
            if any(words_of(value_bits(q.type, x.p.sizes)) == ROW for q in c.params if q.several is not None):
                code.do("unreachable")  # only Python lists numbers this large
                return
            again = code.block()
            loops = ExitStack()
            for depth in range(len(c.params) + 1):
                if depth and (where := order.wheres[depth - 1]) is not None:
                    self.loops.unless(where, again)
                if depth:
                    self._alike.unless_listed(c, depth - 1, again)
                param = c.params[depth] if depth < len(c.params) else None
                # As in Python, a domain that may fault or is counted is evaluated before the tests.
                early = param is not None and (order.faults[depth] or param.steps > 0)
                if param is not None and param.walk is not None and order.tests[depth]:
                    with self._walks.paths(param.walk, param.slot, param.steps):
                        pass  # the check whether they can be listed precedes the tests
                    early = False
                result = self._domain(param) if param is not None and param.walk is None and early else None
                for named in order.tests[depth]:
                    self._tested(named, again)
                if param is not None:
                    self._alike.begin(c, depth)
                    if param.walk is not None:
                        steps = 0 if order.tests[depth] else param.steps
                        _, again = loops.enter_context(self._walks.paths(param.walk, param.slot, steps))
                        continue
                    bounds = result or self._domain(param)
                    values = self._values if param.several is None else self._several
                    again = loops.enter_context(values(param, bounds))
            self._noted(number, c)
            self._alike.listed(c)
            loops.close()
            code.end()
        x.slots, x.known = {}, {}

    def _tested(self, named: Named, again: int) -> None:
        """Continues with the next arguments unless a condition holds; its bindings stay."""
        x = self.x
        lets, e = named
        for slot, value in lets.items():
            x.slots[slot] = x.held(value, max(1, x.known.get(slot, 1)))
        self.loops.unless(e, again)

    def _noted(self, number: int, c: ir.Choice) -> None:
        x, code = self.x, self.x.code
        row = code.local()
        constants = self.x.memory.constants
        code.at(constants["OPTIONS"])
        code.tee(row)
        code.at(constants["LISTED_END"])
        code.do("gt_s")
        code.if_()
        code.do("unreachable")  # too many
        code.end()
        code.const32(0)
        code.get(row)
        code.const(constants["STRIDE"])
        code.do("add")
        code.store(constants["OPTIONS"])
        code.get(row)
        code.do("wrap")
        code.const(number)
        code.store()
        code.get(row)
        code.do("wrap")
        if c.by is None:
            code.const(-1)
        else:
            x.value(c.by)
        code.store(8)
        columns = Columns(c, x.p.sizes)
        for q, first, width in zip(c.params, columns.firsts, columns.widths, strict=True):
            for k in range(width):
                code.get(row)
                code.do("wrap")
                code.get(x.slots[q.slot] + k)
                code.store(8 * (first + k))

    def _domain(self, q: ir.Param) -> tuple[int, int]:
        """Finds a parameter's domain: the locals of its set, or of its first and last number."""
        x, code = self.x, self.x.code
        if q.several is not None:
            return self._begun(q, q.several)
        words = x.words(q.low) if q.high is None else 1
        high = code.local()
        if words == ROW:
            x.address(q.low)
            code.set(high)  # the set
            at = code.local()
        else:
            at = x.held(q.low, words)
        if q.high is not None:
            x.value(q.high)
            code.set(high)
        if q.steps:
            self._counted(q, words, at, high)
        if words == ROW:
            code.const(0)
            code.set(at)
        return at, high

    def _begun(self, q: ir.Param, several: tuple[ir.Expr, ir.Expr]) -> tuple[int, int]:
        """Starts a loop over a parameter's possible sets or bags; returns their area's address, and their words."""
        x, code = self.x, self.x.code
        kind = q.type.partition(" ")[2]
        words = words_of(value_bits(q.type, x.p.sizes))
        area = x.memory.piles(x.p.sizes[kind])
        local = x.held(q.low, words)
        for k in range(words):
            code.const32(0)
            code.get(local + k)
            code.store(area + 40 + 8 * k)
        for number in (area, BITS if q.is_bag else 1, words):
            code.const(number)
        for bound in several:
            x.value(bound)
        code.call("several_begin")
        return area, words

    @contextmanager
    def _several(self, q: ir.Param, bounds: tuple[int, int]) -> Iterator[int]:
        """A loop over the sets or bags from `_begun`; its label continues with the next one."""
        x, code = self.x, self.x.code
        area, words = bounds
        local = x.slots[q.slot] = code.locals(words)
        outside, again = code.block(), code.loop()
        code.const(area)
        code.const(words)
        code.call("several_next")
        code.do("eqz")
        code.br_if(outside)
        for k in range(words):
            code.at(area + 40 + 8 * k)
            code.set(local + k)
        if q.steps:
            code.const(q.steps)
            code.call("charge")
        yield again
        code.br(again)
        code.end()
        code.end()

    @contextmanager
    def _values(self, q: ir.Param, bounds: tuple[int, int]) -> Iterator[int]:
        """A loop over a parameter's values from `_domain`; its label continues with the next one."""
        x, code = self.x, self.x.code
        local, none = code.local(), code.local()
        x.slots[q.slot] = local
        at, high = bounds
        if q.none is not None:
            code.const(1)
            code.set(none)
        outside, again = code.block(), code.loop()
        self._next(q, x.words(q.low) if q.high is None else 1, (local, at, high, none), outside)
        yield again
        code.br(again)
        code.end()
        code.end()

    def _counted(self, q: ir.Param, words: int, at: int, high: int) -> None:
        """Counts the values of a parameter."""
        code = self.x.code
        if q.values:
            code.const(q.values)
        elif words == ROW:
            code.get(high)
            code.call("wide_count")
        elif q.high is None:
            sets.push_count(code, sets.in_locals(code, at, words))
        else:
            code.get(at)
            code.get(high)
            code.call("values")
        code.const(1 if q.none is not None else 0)
        code.do("add")
        code.const(q.steps)
        code.do("mul")
        code.call("charge")

    def _next(self, q: ir.Param, words: int, locals_: Sequence[int], outside: int) -> None:
        """Puts the next value into its local, with none as the last one, and leaves the loop after it."""
        code = self.x.code
        local, at, high, none = locals_
        if words == ROW:
            code.get(high)
            code.get(at)
            code.call("wide_next")
            code.tee(at)
            code.const(0)
            code.do("lt_s")
        elif q.high is None:
            sets.push_union(code, sets.in_locals(code, at, words))
            code.do("eqz")
        else:
            code.get(at)
            code.get(high)
            code.do("gt_s")
        if q.none is None:
            code.br_if(outside)
            self._taken(q, words, local, at)
            return
        code.if_()
        code.get(none)
        code.do("eqz")
        code.br_if(outside)
        code.const(0)
        code.set(none)
        code.const(q.none)
        code.set(local)
        if words == ROW:
            code.const(_BEYOND)
            code.set(at)
        code.else_()
        self._taken(q, words, local, at)
        code.end()

    def _taken(self, q: ir.Param, words: int, local: int, at: int) -> None:
        """Puts a present value into its local, and advances to the next."""
        code = self.x.code
        if q.high is None and words < ROW:
            sets.take_lowest(code, at, words, local)
            return
        code.get(at)
        code.tee(local)
        code.const(1)
        code.do("add")
        code.set(at)


def cases(code: Code, of: Sequence[T]) -> Iterator[T]:
    """Opens one case per item, selected by the function's first parameter; the caller writes the body of each."""
    end = code.block()
    labels = [code.block() for _ in of][::-1]
    code.get(0)
    code.do("wrap")
    code.br_table(labels, end)
    for one in of:
        code.end()
        yield one
        code.br(end)
    code.end()
