"""The reference backend: what a program means, said as plainly as possible. Other backends must agree with it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from rulespec.engine.program import ir
from rulespec.engine.program.builder import MAX_NUMBER, apply_op
from rulespec.errors import RulespecError

MAX_VALUES = 100_000
"""Numbers that a parameter of an option may range over."""
MAX_STEPS = 1_000_000
"""Blocks between two decisions. The checker's bounds on loops multiply; this one ends what they let through."""

LONG_JOURNAL = 200_000
LOOK_EVERY = 10_000
"""Blocks after which the length of the journal is looked at."""

State = list[int]
Journal = list[int]
"""What has been written over: a cell, what it held, another, what it held, and so on."""
Listed = tuple[int, tuple[int, ...], int]
"""A legal option: its number among the choices, its arguments, and who takes it (-1: the decider, or chance)."""


class ProgramFaultError(RulespecError):
    """Something the rules forbid themselves: a payment without money, a value out of its range, a division by zero."""

    def __init__(self, site: int, detail: str = "") -> None:
        super().__init__(detail)
        self.site = site
        self.detail = detail


def members(mask: int, start: int) -> Iterator[int]:
    """The members of a set in cyclic order from `start` on."""
    ahead = mask >> start << start
    for part in (ahead, mask & ~ahead):
        while part:
            low = part & -part
            yield low.bit_length() - 1
            part ^= low


def numbers(low: int, high: int) -> range:
    """The numbers from `low` to `high`, both included."""
    if high - low >= MAX_VALUES:
        raise ProgramFaultError(-1, f"a parameter ranges over more than {MAX_VALUES:,} numbers")
    return range(low, high + 1)


def too_many() -> None:
    """Ends the listing of options that take too many numbers."""
    raise ProgramFaultError(-1, f"parameters of options range over more than {MAX_STEPS:,} numbers together")


def restore(state: State, journal: Journal) -> None:
    """Writes back what a journal has kept, the last first."""
    for i in range(len(journal) - 2, -1, -2):
        state[journal[i]] = journal[i + 1]


def first_kept(journal: Journal) -> dict[int, int]:
    """Each cell that a journal knows, with what it held at the beginning."""
    # Of several the last counts, which was the first.
    return dict(zip(journal[-2::-2], journal[::-2], strict=True))


def shorten(journal: Journal) -> None:
    """Keeps each cell once: in a long loop a journal would grow without end."""
    if len(journal) > LONG_JOURNAL:
        journal[:] = [x for kept in first_kept(journal).items() for x in kept]


class Interpreter:
    """The reference backend. What others look at, such as coverage, goes through the public methods.

    `left` counts down the expressions that it is willing to evaluate: for rules that are only tried out, not played.
    """

    def __init__(self, program: ir.Program, patience: int = sys.maxsize) -> None:
        self.p = program
        self.left = patience
        self._numbers = 0

    @cached_property
    def asked(self) -> dict[int, int]:
        """The blocks in which a game waits, each with the number of its decision."""
        return {i: b.exit.decision for i, b in enumerate(self.p.blocks) if isinstance(b.exit, ir.Ask)}

    @cached_property
    def _filled(self) -> dict[int, tuple[int, ...]]:
        return self.p.arguments()

    def start(self) -> State:
        """The state before the first block has run. A backend may have cells of its own behind those of the program."""
        return list(self.p.start)

    def write(self, state: State, values: Mapping[int, int]) -> Journal:
        """Puts values into cells, and gives what has been written over."""
        journal = [x for at in values for x in (at, state[at])]
        for at, value in values.items():
            state[at] = value
        return journal

    def evaluate(self, e: ir.Expr, state: State, slots: State) -> int:
        """The value of an expression. `slots` hold the variables that are bound inside expressions."""
        self.left -= 1
        if self.left < 0:
            raise ProgramFaultError(-1, "it takes too long")
        # `type(…) is`, because `isinstance` says no slowly where classes are made in C.
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
                value = apply_op(e.op, (self.evaluate(left, state, slots), self.evaluate(right, state, slots)))
            else:
                value = apply_op(e.op, [self.evaluate(a, state, slots) for a in e.args])
            if value is None:
                raise ProgramFaultError(e.site)
            return value
        if type(e) is ir.Row:
            return self.p.arrays[e.array][self.evaluate(e.index, state, slots)]
        if type(e) is ir.Lookup:
            key = self.evaluate(e.key, state, slots)
            if key not in self.p.tables[e.table]:
                raise ProgramFaultError(e.site)
            return self.p.tables[e.table][key]
        if type(e) is ir.Logic and e.op == "??":
            found = self.evaluate(e.args[0], state, slots)
            return found if found >= 0 else self.evaluate(e.args[1], state, slots)
        if type(e) is ir.Logic:
            stop = 0 if e.op == "and" else 1
            for a in e.args:
                if self.evaluate(a, state, slots) == stop:
                    return stop
            return 1 - stop
        if type(e) is ir.Fold:
            return self._fold(e, state, slots)
        if type(e) is ir.Call:
            return self.call(e, state, slots)
        if isinstance(e, ir.If):
            return self.choose(e, state, slots)
        if isinstance(e, ir.Positive):
            first = e.base + self.evaluate(e.index, state, slots)
            return sum(1 << i for i in range(e.count) if state[first + i * e.stride] > 0)
        if isinstance(e, ir.Total):
            first = e.base + self.evaluate(e.index, state, slots)
            return sum(state[first : first + e.count * e.stride : e.stride])
        if isinstance(e, ir.Inverse):
            wanted = self.evaluate(e.value, state, slots)
            return sum(1 << i for i, v in enumerate(self.p.arrays[e.array]) if v == wanted)
        assert isinstance(e, ir.Closure)
        found = 0
        fresh = self.evaluate(e.start, state, slots)
        while fresh:
            found |= fresh
            reached = 0
            for slots[e.slot] in members(fresh, 0):
                reached |= self.evaluate(e.step, state, slots)
            fresh = reached & ~found
        return found

    def choose(self, e: ir.If, state: State, slots: State) -> int:
        """The value of a choice."""
        return self.evaluate(e.then if self.evaluate(e.condition, state, slots) else e.other, state, slots)

    def call(self, e: ir.Call, state: State, slots: State) -> int:
        """The value of a definition for some arguments."""
        function = self.p.functions[e.function]
        inner = [self.evaluate(a, state, slots) for a in e.args] + [0] * (self.p.slots + 1)
        for slot, value_of in function.lets:
            inner[slot] = self.evaluate(value_of, state, inner)
        return self.evaluate(function.body, state, inner)

    def _fold(self, e: ir.Fold, state: State, slots: State) -> int:
        source = self.evaluate(e.source, state, slots)
        start = self.evaluate(e.start, state, slots) if e.start is not None else 0
        values: list[int] = []
        for member in members(source, start):
            slots[e.slot] = member
            if e.where is not None and not self.evaluate(e.where, state, slots):
                continue
            if e.op == "any":
                return 1
            if e.op == "first":
                return member
            value = self.evaluate(e.body, state, slots) if e.body is not None else member
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
                return self.evaluate(e.default, state, slots)
            return min(values) if e.op == "min" else max(values)
        return {"any": 0, "all": 1, "first": -1}[e.op]

    def run(self, state: State, block: int, args: tuple[int, ...] = ()) -> Journal:
        """Carries out blocks from the given one on until a decision is asked for or the game ends.

        Args:
            state: the position.
            block: where to begin.
            args: the arguments of the option that leads there.

        Returns:
            What has been written over, so that all can be taken back.

        Raises:
            ProgramFaultError: if the rules are at fault; the state is as it was before, then.
        """
        journal = self.write(state, dict(zip(self._filled.get(block, ()), args, strict=True)))
        try:
            self._run(state, block, journal)
        except ProgramFaultError:
            restore(state, journal)
            raise
        return journal

    def _run(self, state: State, block: int, journal: Journal) -> None:
        slots = [0] * (self.p.slots + 1)

        def at(cell: ir.Cell) -> int:
            return cell.base + self.evaluate(cell.index, state, slots)

        def write(cell: int, value: int) -> None:
            journal.extend((cell, state[cell]))
            state[cell] = value

        for step in range(MAX_STEPS):
            if step % LOOK_EVERY == 0:
                shorten(journal)
            here = self.p.blocks[block]
            for i in here.body:
                if isinstance(i, ir.Store):
                    value = self.evaluate(i.value, state, slots)
                    if (i.low is not None and value < i.low) or (i.high is not None and value > i.high):
                        raise ProgramFaultError(i.site, f"it would be {value}")
                    write(at(i.target), value)
                elif isinstance(i, ir.Transfer):
                    amount = self.evaluate(i.amount, state, slots)
                    source, target = at(i.source), at(i.target)
                    if amount < 0 or amount > (MAX_NUMBER if i.unlimited else state[source]):
                        raise ProgramFaultError(i.site, f"{amount} of {state[source]}")
                    write(source, state[source] - amount)
                    write(target, state[target] + amount)
                else:
                    assert isinstance(i, ir.Clear)
                    for cell in range(i.base, i.base + i.size):
                        write(cell, 0)
            exit_, before = here.exit, block
            if isinstance(exit_, ir.Goto):
                block = exit_.block
            elif isinstance(exit_, ir.Enter):
                block = exit_.block
                if not exit_.usual:
                    write(exit_.back, exit_.behind)
            elif isinstance(exit_, ir.Branch):
                block = exit_.yes if self.evaluate(exit_.condition, state, slots) else exit_.no
            elif isinstance(exit_, ir.Switch):
                block = dict(exit_.cases).get(self.evaluate(exit_.value, state, slots), exit_.other)
            elif isinstance(exit_, ir.Return):
                block = state[exit_.cell] or exit_.usual
                write(exit_.cell, 0)
            elif isinstance(exit_, ir.Ask):
                write(ir.PC, block)
                return
            else:
                assert isinstance(exit_, ir.End)
                write(ir.PC, block)
                write(ir.ENDING, exit_.ending + 1)
                write(ir.WINNERS, self.evaluate(exit_.winners, state, slots) if exit_.winners is not None else -1)
                return
            self.enter(block, before)
        raise ProgramFaultError(-1, f"no decision within {MAX_STEPS:,} steps")

    def enter(self, block: int, before: int) -> None:
        """Called when a block is about to be carried out after another one; to be overridden."""

    def value(self, e: ir.Expr, state: State, args: tuple[int, ...] = ()) -> int:
        """The value of an expression, with its first slots filled."""
        return self.evaluate(e, state, [*args, *[0] * (self.p.slots + 1)])

    def decider(self, state: State, decision: int) -> int:
        """The seat that decides; -1 for chance."""
        by = self.p.decisions[decision].by
        return -1 if by is None else self.value(by, state)

    def broken(self, state: State, since: Sequence[Journal] | None = None) -> list[int]:
        """The invariants that do not hold.

        Args:
            state: the position.
            since: what has been written since all of them held, if that is known: others than those that read what
                has changed need not be looked at.
        """
        slots = [0] * (self.p.slots + 1)
        return [i for i, v in enumerate(self.p.invariants) if not self.holds(v.condition, state, slots)]

    def own(self, state: State, decision: int) -> Iterator[Listed]:
        """The legal options of the decider, in order."""
        return self._listed(state, decision, interrupts=False)

    def interrupts(self, state: State, decision: int) -> Iterator[Listed]:
        """The legal options of others, in order."""
        return self._listed(state, decision, interrupts=True)

    def _listed(self, state: State, decision: int, *, interrupts: bool) -> Iterator[Listed]:
        self._numbers = MAX_STEPS
        for k, c in enumerate(self.p.decisions[decision].choices):
            if (c.by is not None) == interrupts:
                for args in self._arguments(state, c, 0, [0] * (self.p.slots + 1)):
                    yield k, args, self.actor(state, decision, k, args) if interrupts else -1

    def actor(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> int:
        """The seat that takes an interrupt."""
        c = self.p.decisions[decision].choices[choice]
        assert c.by is not None
        slots = [0] * (self.p.slots + 1)
        for param, value in zip(c.params, args, strict=True):
            slots[param.slot] = value
        return self.evaluate(c.by, state, slots)

    def _arguments(self, state: State, c: ir.Choice, depth: int, slots: State) -> Iterator[tuple[int, ...]]:
        if depth == len(c.params):
            if self._fits(state, c, slots):
                yield tuple(slots[param.slot] for param in c.params)
            return
        param = c.params[depth]
        for value in self.domain(state, param, slots):
            slots[param.slot] = value
            if param.where is None or self.holds(param.where, state, slots):
                yield from self._arguments(state, c, depth + 1, slots)

    def domain(self, state: State, param: ir.Param, slots: State) -> Iterable[int]:
        """The values a parameter ranges over, before its `where`."""
        low = self.evaluate(param.low, state, slots)
        if param.high is None:
            return members(low, 0)
        found = numbers(low, self.evaluate(param.high, state, slots))
        self._numbers -= len(found)
        if self._numbers < 0:
            too_many()
        return found

    def in_domain(self, state: State, param: ir.Param, value: int, slots: State) -> bool:
        """Whether a parameter ranges over a value, before its `where`."""
        low = self.evaluate(param.low, state, slots)
        if param.high is None:
            return value >= 0 and bool(low >> value & 1)
        return low <= value <= self.evaluate(param.high, state, slots)

    def holds(self, condition: ir.Condition, state: State, slots: State) -> bool:
        """Whether a condition holds."""
        return bool(self.evaluate(condition.expr, state, slots))

    def is_legal(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> bool:
        """Whether an option with these arguments may be taken."""
        c = self.p.decisions[decision].choices[choice]
        slots = [0] * (self.p.slots + 1)
        for param, value in zip(c.params, args, strict=True):
            if not self.in_domain(state, param, value, slots):
                return False
            slots[param.slot] = value
            if param.where is not None and not self.holds(param.where, state, slots):
                return False
        return self._fits(state, c, slots)

    def _fits(self, state: State, c: ir.Choice, slots: State) -> bool:
        """Whether all conditions hold, the parameters being in their slots."""
        return all(self.holds(r, state, slots) for r in c.requires) and (
            c.weight is None or self.evaluate(c.weight, state, slots) > 0
        )


def evaluate(p: ir.Program, e: ir.Expr, state: State, slots: State) -> int:
    """The value of an expression. `slots` hold the variables that are bound inside expressions."""
    return Interpreter(p).evaluate(e, state, slots)
