"""The reference backend: what a program means, said as plainly as possible. Other backends must agree with it."""

from __future__ import annotations

from collections.abc import Iterator

from engine import program as ir
from engine.build import MAX_NUMBER, apply_op

MAX_VALUES = 100_000
"""Numbers that a parameter of an option may range over."""
MAX_STEPS = 1_000_000
"""Blocks between two decisions. The checker's bounds on loops multiply; this one ends what they let through."""

State = list[int]


class ProgramFault(Exception):
    """Something the rules forbid themselves: a payment without money, a value out of its range, a division by zero."""

    def __init__(self, site: int, detail: str = "") -> None:
        super().__init__(detail)
        self.site = site
        self.detail = detail


def evaluate(p: ir.Program, e: ir.Expr, state: State, slots: State) -> int:
    """The value of an expression. `slots` hold the variables that are bound inside expressions."""
    if isinstance(e, ir.Const):
        return e.value
    if isinstance(e, ir.Cell):
        return state[e.base + evaluate(p, e.index, state, slots)]
    if isinstance(e, ir.Local):
        return slots[e.slot]
    if isinstance(e, ir.Op):
        value = apply_op(e.op, [evaluate(p, a, state, slots) for a in e.args])
        if value is None:
            raise ProgramFault(e.site)
        return value
    if isinstance(e, ir.Row):
        return p.arrays[e.array][evaluate(p, e.index, state, slots)]
    if isinstance(e, ir.Lookup):
        key = evaluate(p, e.key, state, slots)
        if key not in p.tables[e.table]:
            raise ProgramFault(e.site)
        return p.tables[e.table][key]
    if isinstance(e, ir.Logic) and e.op == "??":
        found = evaluate(p, e.args[0], state, slots)
        return found if found >= 0 else evaluate(p, e.args[1], state, slots)
    if isinstance(e, ir.Logic):
        stop = 0 if e.op == "and" else 1
        for a in e.args:
            if evaluate(p, a, state, slots) == stop:
                return stop
        return 1 - stop
    if isinstance(e, ir.If):
        return evaluate(p, e.then if evaluate(p, e.condition, state, slots) else e.other, state, slots)
    if isinstance(e, ir.Call):
        function = p.functions[e.function]
        inner = [evaluate(p, a, state, slots) for a in e.args] + [0] * (p.slots + 1)
        for slot, value_of in function.lets:
            inner[slot] = evaluate(p, value_of, state, inner)
        return evaluate(p, function.body, state, inner)
    if isinstance(e, ir.Closure):
        found = 0
        fresh = evaluate(p, e.start, state, slots)
        while fresh:
            found |= fresh
            reached = 0
            for slots[e.slot] in members(fresh, 0):
                reached |= evaluate(p, e.step, state, slots)
            fresh = reached & ~found
        return found
    assert isinstance(e, ir.Fold)
    return _fold(p, e, state, slots)


def _fold(p: ir.Program, e: ir.Fold, state: State, slots: State) -> int:
    source = evaluate(p, e.source, state, slots)
    start = evaluate(p, e.start, state, slots) if e.start is not None else 0
    values: list[int] = []
    for member in members(source, start):
        slots[e.slot] = member
        if e.where is not None and not evaluate(p, e.where, state, slots):
            continue
        if e.op == "any":
            return 1
        if e.op == "first":
            return member
        value = evaluate(p, e.body, state, slots) if e.body is not None else member
        if e.op == "all" and not value:
            return 0
        values.append(value)
    if e.op == "count":
        return len(values)
    if e.op == "sum":
        return sum(values)
    if e.op in ("set", "union"):
        mask = 0
        for value in values:
            mask |= value if e.op == "union" else 1 << value
        return mask
    if e.op in ("min", "max"):
        if not values:
            assert e.default is not None
            return evaluate(p, e.default, state, slots)
        return min(values) if e.op == "min" else max(values)
    return {"any": 0, "all": 1, "first": -1}[e.op]


def members(mask: int, start: int) -> Iterator[int]:
    """The members of a set in cyclic order from `start` on."""
    ahead = mask >> start << start
    for part in (ahead, mask & ~ahead):
        while part:
            low = part & -part
            yield low.bit_length() - 1
            part ^= low


def numbers(low: int, high: int) -> Iterator[int]:
    """The numbers from `low` to `high`, both included."""
    if high - low >= MAX_VALUES:
        raise ProgramFault(-1, f"a parameter ranges over more than {MAX_VALUES:,} numbers")
    return iter(range(low, high + 1))


def run(p: ir.Program, state: State, block: int) -> None:
    """Carries out blocks from the given one on until a decision is asked for or the game ends."""
    slots = [0] * (p.slots + 1)

    def at(cell: ir.Cell) -> int:
        return cell.base + evaluate(p, cell.index, state, slots)

    for _ in range(MAX_STEPS):
        here = p.blocks[block]
        for i in here.body:
            if isinstance(i, ir.Store):
                value = evaluate(p, i.value, state, slots)
                if (i.low is not None and value < i.low) or (i.high is not None and value > i.high):
                    raise ProgramFault(i.site, f"it would be {value}")
                state[at(i.target)] = value
            elif isinstance(i, ir.Transfer):
                amount = evaluate(p, i.amount, state, slots)
                source, target = at(i.source), at(i.target)
                if amount < 0 or amount > (MAX_NUMBER if i.unlimited else state[source]):
                    raise ProgramFault(i.site, f"{amount} of {state[source]}")
                state[source] -= amount
                state[target] += amount
            else:
                assert isinstance(i, ir.Clear)
                state[i.base : i.base + i.size] = [0] * i.size
        exit_ = here.exit
        if isinstance(exit_, ir.Goto):
            block = exit_.block
        elif isinstance(exit_, ir.Branch):
            block = exit_.yes if evaluate(p, exit_.condition, state, slots) else exit_.no
        elif isinstance(exit_, ir.Switch):
            block = dict(exit_.cases).get(evaluate(p, exit_.value, state, slots), exit_.other)
        elif isinstance(exit_, ir.Return):
            block, state[exit_.cell] = state[exit_.cell], 0
        elif isinstance(exit_, ir.Ask):
            state[ir.PC] = block
            return
        else:
            assert isinstance(exit_, ir.End)
            state[ir.PC] = block
            state[ir.ENDING] = exit_.ending + 1
            state[ir.WINNERS] = evaluate(p, exit_.winners, state, slots) if exit_.winners is not None else -1
            return
    raise ProgramFault(-1, f"no decision within {MAX_STEPS:,} steps")


class Interpreter:
    """The backend over `evaluate` and `run`."""

    def __init__(self, program: ir.Program) -> None:
        self.p = program

    def run(self, state: State, block: int) -> None:
        """Runs from a block to the next decision or the end."""
        run(self.p, state, block)

    def value(self, e: ir.Expr, state: State, args: tuple[int, ...] = ()) -> int:
        """The value of an expression, with its first slots filled."""
        return evaluate(self.p, e, state, [*args, *[0] * (self.p.slots + 1)])

    def decider(self, state: State, decision: int) -> int:
        """The seat that decides; -1 for chance."""
        by = self.p.decisions[decision].by
        return -1 if by is None else self.value(by, state)

    def broken(self, state: State) -> list[int]:
        """The invariants that do not hold."""
        return [i for i, v in enumerate(self.p.invariants) if not self.value(v.condition.expr, state)]

    def legal(self, state: State, decision: int, choice: int) -> Iterator[tuple[int, ...]]:
        """The argument tuples with which an option of a decision is legal, in order."""
        c = self.p.decisions[decision].choices[choice]
        slots = [0] * (self.p.slots + 1)
        yield from self._arguments(state, c, 0, slots)

    def _arguments(self, state: State, c: ir.Choice, depth: int, slots: State) -> Iterator[tuple[int, ...]]:
        if depth == len(c.params):
            if self._fits(state, c, slots):
                yield tuple(slots[param.slot] for param in c.params)
            return
        param = c.params[depth]
        for value in self.domain(state, param, slots):
            slots[param.slot] = value
            if param.where is None or evaluate(self.p, param.where.expr, state, slots):
                yield from self._arguments(state, c, depth + 1, slots)

    def domain(self, state: State, param: ir.Param, slots: State) -> Iterator[int]:
        """The values a parameter ranges over, before its `where`."""
        low = evaluate(self.p, param.low, state, slots)
        if param.high is None:
            return members(low, 0)
        return numbers(low, evaluate(self.p, param.high, state, slots))

    def is_legal(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> bool:
        """Whether an option with these arguments may be taken."""
        c = self.p.decisions[decision].choices[choice]
        slots = [0] * (self.p.slots + 1)
        for param, value in zip(c.params, args, strict=True):
            low = evaluate(self.p, param.low, state, slots)
            if param.high is None:
                if value < 0 or not low >> value & 1:
                    return False
            elif not low <= value <= evaluate(self.p, param.high, state, slots):
                return False
            slots[param.slot] = value
            if param.where is not None and not evaluate(self.p, param.where.expr, state, slots):
                return False
        return self._fits(state, c, slots)

    def _fits(self, state: State, c: ir.Choice, slots: State) -> bool:
        """Whether all conditions hold, the parameters being in their slots."""
        return all(evaluate(self.p, r.expr, state, slots) for r in c.requires) and (
            c.weight is None or evaluate(self.p, c.weight, state, slots) > 0
        )
