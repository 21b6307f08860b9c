"""Reference semantics of expressions."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from heapq import heappop, heappush
from operator import itemgetter

from rulespec.engine.program import ir
from rulespec.engine.program.builder import apply_op
from rulespec.engine.program.cells import Journal, State, restore
from rulespec.engine.program.domains import members, searched
from rulespec.engine.program.execution import Execution, Observer
from rulespec.engine.program.faults import ProgramFaultError, below_nothing, fault_of
from rulespec.engine.program.limits import MAX_NUMBER, NO_NUMBER
from rulespec.engine.program.traversal import highest
from rulespec.language.orders import packed


class Evaluator(Execution):
    """A tree-walking evaluator of a program's expressions.

    Args:
        program: the program of the expressions, which may still grow.
        patience: the step limit; `left` counts down from it, by one step for each evaluated expression.
        observer: an observer notified of every evaluation.
    """

    def __init__(self, program: ir.Program, patience: int = sys.maxsize, observer: Observer | None = None) -> None:
        super().__init__(program, patience, observer)
        self._slots: dict[int, int] = {}

    def evaluate(self, e: ir.Expr, state: State, slots: State) -> int:
        """The value of an expression.

        Args:
            e: the expression.
            state: the cells.
            slots: the variables bound inside expressions; slots bound by `e` are overwritten.

        Raises:
            ProgramFaultError: if the rules fault, or the step limit is reached.
        """
        self.left -= 1
        if self.left < 0:
            raise ProgramFaultError(-1, "the step limit is exceeded")
        # `type(…) is`, because a negative `isinstance` is slow for classes created in C.
        if type(e) is ir.Const:
            return e.value
        if type(e) is ir.Cell:
            at = e.index
            return state[e.base + (at.value if type(at) is ir.Const else self.evaluate(at, state, slots))]
        if type(e) is ir.Local:
            return slots[e.slot]
        if type(e) is ir.Op:
            if len(e.args) == 2:
                left, right = e.args
                args: Sequence[int] = (self.evaluate(left, state, slots), self.evaluate(right, state, slots))
            else:
                args = [self.evaluate(a, state, slots) for a in e.args]
            if (value := apply_op(e.op, args)) is None:
                raise fault_of(e, args)
            return value
        if type(e) is ir.Row:
            return self.p.arrays[e.array][self.evaluate(e.index, state, slots)]
        if type(e) is ir.Lookup:
            key = self.evaluate(e.key, state, slots)
            if key not in self.p.tables[e.table]:
                raise ProgramFaultError(e.site)
            return self.p.tables[e.table][key]
        if type(e) is ir.Logic and e.op == "??":
            result = self.evaluate(e.args[0], state, slots)
            return result if result >= 0 else self.evaluate(e.args[1], state, slots)
        if type(e) is ir.Logic and e.op == "?number":
            result = self.evaluate(e.args[0], state, slots)
            return result if result != NO_NUMBER else self.evaluate(e.args[1], state, slots)
        if type(e) is ir.Logic:
            stop = 0 if e.op == "and" else 1
            for a in e.args:
                if self.evaluate(a, state, slots) == stop:
                    return stop
            return 1 - stop
        if type(e) is ir.Fold:
            return self._fold(e, state, slots)
        if type(e) is ir.Call:
            return self._call(e, state, slots)
        if isinstance(e, ir.If):
            return self._choose(e, state, slots)
        if isinstance(e, ir.Closure):
            return self._closure(e, state, slots)
        return self._seldom(e, state, slots)

    def _seldom(self, e: ir.Expr, state: State, slots: State) -> int:
        if isinstance(e, ir.Ranked):
            return self._ranked(e, state, slots)
        if isinstance(e, ir.Spread):
            return self._spread(e, state, slots)
        if isinstance(e, ir.Suppose):
            return self._suppose(e, state, slots)
        if isinstance(e, ir.PathSearch):
            return searched(e, slots, lambda part: self.evaluate(part, state, slots))
        return self._made_by_passes(e, state, slots)

    def _choose(self, e: ir.If, state: State, slots: State) -> int:
        value = self.evaluate(e.then if self.evaluate(e.condition, state, slots) else e.other, state, slots)
        if self.observer is not None:
            self.observer.chosen(e, value)
        return value

    def _call(self, e: ir.Call, state: State, slots: State) -> int:
        if self.observer is not None:
            self.observer.called(e.function)
        function = self.p.functions[e.function]
        if e.function not in self._slots:  # the whole program may need many more
            self._slots[e.function] = 1 + max(map(highest, (*(x for _, x in function.lets), function.body)))
            self._slots[e.function] = max(self._slots[e.function], 1 + max([0, *(slot for slot, _ in function.lets)]))
        inner = [self.evaluate(a, state, slots) for a in e.args] + [0] * self._slots[e.function]
        for slot, value_of in function.lets:
            inner[slot] = self.evaluate(value_of, state, inner)
        return self.evaluate(function.body, state, inner)

    def _fold(self, e: ir.Fold, state: State, slots: State) -> int:
        source = self.evaluate(e.source, state, slots)
        start = self.evaluate(e.start, state, slots) if e.start is not None else 0
        values: list[int] = []
        op, slot, where, body = e.op, e.slot, e.where, e.body
        for member in members(source, start):
            slots[slot] = member
            if where is not None and not self.evaluate(where, state, slots):
                continue
            if op == "any":
                return 1
            if op == "first":
                return member
            value = self.evaluate(body, state, slots) if body is not None else member
            if op == "all" and not value:
                return 0
            values.append(value)
        if op == "count":
            return len(values)
        if op == "sum":
            return sum(values)
        if op in ("set", "union"):
            mask = 0
            for value in values:
                mask |= value if op == "union" else 1 << value
            return mask
        if op in ("min", "max"):
            if not values:
                assert e.default is not None
                return self.evaluate(e.default, state, slots)
            return min(values) if op == "min" else max(values)
        return {"any": 0, "all": 1, "first": -1}[op]

    def _closure(self, e: ir.Closure, state: State, slots: State) -> int:
        result = 0
        fresh = self.evaluate(e.start, state, slots)
        while fresh:
            result |= fresh
            reached = 0
            for slots[e.slot] in members(fresh, 0):
                reached |= self.evaluate(e.step, state, slots)
            fresh = reached & ~result
        return result

    def _ranked(self, e: ir.Ranked, state: State, slots: State) -> int:
        source = self.evaluate(e.source, state, slots)
        start = self.evaluate(e.start, state, slots) if e.start is not None else 0
        results: list[tuple[list[int], int]] = []
        for member in members(source, start):
            slots[e.slot] = member
            if e.where is None or self.evaluate(e.where, state, slots):
                results.append(([self.evaluate(key, state, slots) for key in e.keys], member))
        results.sort(key=itemgetter(0))  # stable for equal keys
        if e.op == "order":
            return packed([member for _, member in results], e.bits)
        if e.op == "first":
            return results[0][1] if results else -1
        return sum(1 << member for keys, member in results if keys == results[-1][0])

    def _spread(self, e: ir.Spread, state: State, slots: State) -> int:
        start = self.evaluate(e.start, state, slots)
        limit = self.evaluate(e.limit, state, slots) if e.limit is not None else None
        sums = {member: 0 for member in members(start, 0) if limit is None or limit >= 0}
        ahead = [(0, member) for member in sums]
        settled = 0
        while ahead:
            total, member = heappop(ahead)
            if settled >> member & 1:
                continue  # already settled at a lower cost
            settled |= 1 << member
            slots[e.to] = member
            if e.until is not None and self.evaluate(e.until, state, slots):
                return total
            slots[e.slot] = member
            for other in members(self.evaluate(e.near, state, slots), 0):
                slots[e.to] = other
                if e.where is not None and not self.evaluate(e.where, state, slots):
                    continue
                cost = self.evaluate(e.cost, state, slots)
                if cost < 0:
                    below_nothing(cost, e.below)
                if limit is None and total + cost > MAX_NUMBER:
                    raise ProgramFaultError(e.above)
                if (limit is None or total + cost <= limit) and (other not in sums or total + cost < sums[other]):
                    sums[other] = total + cost
                    heappush(ahead, (sums[other], other))
        return settled if e.default is None else self.evaluate(e.default, state, slots)

    def _suppose(self, e: ir.Suppose, state: State, slots: State) -> int:
        args = [self.evaluate(a, state, slots) for a in e.args]
        journal: Journal = []
        try:
            self.carry_out(e, args, state, journal)
            return self.evaluate(e.body, state, slots)
        finally:
            try:
                restore(state, journal)
            except BaseException:  # interrupted: start again
                restore(state, journal)
                raise

    def _made_by_passes(self, e: ir.Expr, state: State, slots: State) -> int:
        if isinstance(e, ir.Positive):
            first = e.base + self.evaluate(e.index, state, slots)
            return sum(1 << i for i in range(e.count) if state[first + i * e.stride] > 0)
        if isinstance(e, ir.Total):
            first = e.base + self.evaluate(e.index, state, slots)
            return sum(state[first : first + e.count * e.stride : e.stride])
        if isinstance(e, ir.Held):
            array, value = self.p.arrays[e.array], self.evaluate(e.value, state, slots)
            return sum(1 << i for i in range(e.count) if array[state[e.base + i]] == value)
        assert isinstance(e, ir.Inverse)
        wanted = self.evaluate(e.value, state, slots)
        return sum(1 << i for i, v in enumerate(self.p.arrays[e.array]) if v == wanted)

    def value(self, e: ir.Expr, state: State, args: tuple[int, ...] = ()) -> int:
        """The value of an expression evaluated on its own, with `args` in its first slots."""
        if self.observer is not None:
            self.observer.asked(e)
        slots = [*args, *[0] * (self.p.slots + 1)]
        return self.alone(lambda: self.evaluate(e, state, slots), "an expression")


def evaluate(p: ir.Program, e: ir.Expr, state: State, slots: State) -> int:
    """The value of an expression evaluated on its own; see `Evaluator.evaluate`."""
    evaluator = Evaluator(p)
    return evaluator.alone(lambda: evaluator.evaluate(e, state, slots), "an expression")
