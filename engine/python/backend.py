"""The default backend: a program as generated Python source, after the passes of `rulespec.engine.passes.passes`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import compress
from math import prod
from operator import ne
from typing import Any

from rulespec.engine.passes.passes import PASSES, membership, optimized
from rulespec.engine.program import ir
from rulespec.engine.program.builder import MAX_NUMBER
from rulespec.engine.program.interpreter import (
    LOOK_EVERY,
    MAX_STEPS,
    Interpreter,
    Journal,
    Listed,
    ProgramFaultError,
    State,
    members,
    numbers,
    restore,
    shorten,
    too_many,
)
from rulespec.engine.program.traversal import free, walk
from rulespec.engine.python.blocks import BlockWriter
from rulespec.engine.python.expressions import ExpressionWriter
from rulespec.engine.python.invariants import Invariants, split
from rulespec.engine.python.occupancy import KeptSets, with_kept_sets

IN_SOURCE = ("remember", "share", "hoist", "early", "meet", "loops", "slices", "variables", "keep", "split")
"""Passes that show in the source only.

remember: values of definitions that depend on their arguments alone are kept. share: what several options ask for is
asked for once. hoist: what a loop asks for with each member, and is the same for all, is worked out once. early: the
numbers of a parameter are found before the loops that they do not depend on. meet: branches that meet again stay in one
function. loops: loops over sets are Python's. slices: some of them assign to many cells at once. variables: procedures
that are called keep theirs in Python's. keep: the sets of places where something is are cells of the state. split:
invariants are looked at again for those members only for which something has changed.
"""
ALL_PASSES = (*PASSES, *IN_SOURCE)
_MEMO_LIMIT = 50_000
_TUPLES_LIMIT = 10_000
_PART = 2_000
"""Lines of source that are compiled at once."""
_DEAR = (ir.Fold, ir.Closure, ir.Call, ir.Positive)


def check_all(*columns: tuple[list[int], int, int, int]) -> None:
    """Reports the first number outside its bounds, row by row; a column is numbers, low, high and site."""
    for row in zip(*(column for column, _, _, _ in columns), strict=True):
        for number, (_, low, high, site) in zip(row, columns, strict=True):
            if not low <= number <= high:
                outside(number, site)


def divide(a: int, b: int, site: int) -> int:
    """Division that rounds down and reports its place."""
    if b == 0:
        raise ProgramFaultError(site)
    return a // b


def modulo(a: int, b: int, site: int) -> int:
    """The remainder that goes with `divide`."""
    if b == 0:
        raise ProgramFaultError(site)
    return a % b


def product(a: int, b: int, site: int) -> int:
    """A product that may not grow without end."""
    value = a * b
    if not -MAX_NUMBER <= value <= MAX_NUMBER:
        raise ProgramFaultError(site)
    return value


def held(member: int, mask: int) -> int:
    """Whether what may be none is a member of a set."""
    return mask >> member & 1 if member >= 0 else 0


def pick(mask: int, start: int) -> int:
    """The first member of a set from `start` on, cyclic; -1 if there is none."""
    if not mask:
        return -1
    chosen = mask >> start << start or mask
    return (chosen & -chosen).bit_length() - 1


def lowest(mask: int) -> int:
    """The first member of a set; -1 if there is none."""
    return (mask & -mask).bit_length() - 1


def lookup(table: dict[int, int], key: int, site: int) -> int:
    """A row of a table."""
    if key not in table:
        raise ProgramFaultError(site)
    return table[key]


def outside(value: int, site: int) -> None:
    """Reports a value that does not fit its cell."""
    raise ProgramFaultError(site, f"it would be {value}")


def too_much(amount: int, there: int, site: int) -> None:
    """Reports a payment or a move of less than nothing, or of more than there is."""
    raise ProgramFaultError(site, f"{amount} of {there}")


_BEFORE_LOOKING = range(LOOK_EVERY)


class _Memo(dict[Any, Any]):
    """Key → value, worked out when it is first asked for; forgotten as a whole when there are too many."""

    def __init__(self, value: Callable[[Any], Any], limit: int = _MEMO_LIMIT) -> None:
        super().__init__()
        self._value = value
        self._limit = limit

    def __missing__(self, key: Any) -> Any:
        if len(self) >= self._limit:
            self.clear()
        found = self[key] = self._value(key)
        return found


def _members(mask: int) -> tuple[int, ...]:
    """The members of a set, in order."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return tuple(found)


def _positive(cells: tuple[int, ...]) -> int:
    """The set of the places at which there is more than nothing."""
    found, bit = 0, 1
    for value in cells:
        if value > 0:
            found |= bit
        bit <<= 1
    return found


class _ChoiceWriter:
    """Writes how the options of decisions are listed (`own3`, `out3`), tested (`test3_1`) and who decides (`who3`)."""

    def __init__(self, writer: ExpressionWriter) -> None:
        self.w = writer

    def write(self) -> None:
        """Writes the functions of every decision."""
        for i, d in enumerate(self.w.p.decisions):
            if d.by is not None:
                self.w.function(f"who{i}", ["s"], [f"return {self.w.x(d.by)}"])
            for name, interrupts in (("own", False), ("out", True)):
                chosen = [(k, c) for k, c in enumerate(d.choices) if (c.by is not None) == interrupts]
                body = self._share([c for _, c in chosen]) if "share" in self.w.passes else []
                body += [line for k, c in chosen for line in self._listed(k, c)]
                self.w.shared = {}
                if any(param.high is not None for _, c in chosen for param in c.params):
                    body = [f"left[0] = {MAX_STEPS}", *body]
                self.w.function(f"{name}{i}", ["s"], body if chosen else ["return", "yield"])
            for k, c in enumerate(d.choices):
                self._test(f"{i}_{k}", c)

    def _share(self, choices: list[ir.Choice]) -> list[str]:
        """What several options of a decision ask for, and at least one of them always, is asked for once."""
        sure: list[ir.Expr] = []
        often: dict[ir.Expr, int] = {}
        for c in choices:
            asked = [x for q in c.params for x in (q.low, q.high, q.where.expr if q.where else None) if x is not None]
            for e in [*asked, *_conditions(c)]:
                for part in walk(e):
                    if isinstance(part, _DEAR) and not free(part):
                        often[part] = often.get(part, 0) + 1
            if c.params and not any(free(e) <= {-1} for e in _conditions(c)):
                sure += [e for e in walk(c.params[0].low) if isinstance(e, _DEAR) and not free(e)]
        lines: list[str] = []
        for e in dict.fromkeys(sure):
            if often[e] > 1 and not self.w.facts.may_fault(e):
                lines.append(f"d{len(lines)} = {self.w.x(e)}")
                self.w.shared[e] = f"d{len(lines) - 1}"
        return lines

    def _listed(self, number: int, c: ir.Choice) -> list[str]:
        """How the legal arguments of an option are gone through."""
        slots = [param.slot for param in c.params]
        may_fault = self.w.facts.may_fault
        tests: list[list[str]] = [[] for _ in range(len(slots) + 1)]
        # Nothing is tested before what may fault and comes first in the rules: all backends fault alike.
        pure = True
        faults = [param.high is not None or may_fault(param.low) for param in c.params]  # numbers may be too many
        wheres = [param.where.expr if param.where is not None else None for param in c.params]
        late = [d + 1 for d, e in enumerate(wheres) if e is not None and may_fault(e)]
        earliest = max([0, *late, *(d for d, may in enumerate(faults) if may)])
        for e in _conditions(c):
            pure = pure and not may_fault(e)
            depth = len(slots)
            if pure:  # as early as its parameters are known
                needed = free(e) & set(slots)
                depth = next(d for d in range(earliest, len(slots) + 1) if needed <= set(slots[:d]))
            tests[depth].append(self.w.x(e))
        early = self._early(c, faults, wheres, tests) if "early" in self.w.passes else {}
        body: list[str] = []
        pad = ""
        for depth in range(len(slots) + 1):
            where = wheres[depth - 1] if depth else None
            if where is not None:
                body.append(f"{pad}if {self.w.x(where)}:")
                pad += "    "
            for later in early.get(depth, ()):
                between = [q.low.value.bit_count() for q in c.params[depth:later] if isinstance(q.low, ir.Const)]
                body += [pad + line for line in self._counted(f"r{later}", c.params[later], prod(between))]
            if depth < len(slots) and faults[depth] and not any(depth in found for found in early.values()):
                body += [pad + line for line in self._counted(f"r{depth}", c.params[depth], 1)]
            if tests[depth]:
                body.append(f"{pad}if {' and '.join(tests[depth])}:")
                pad += "    "
            if depth < len(slots):
                source = f"r{depth}" if faults[depth] else self._domain(c.params[depth])
                body.append(f"{pad}for v{c.params[depth].slot} in {source}:")
                pad += "    "
        by = self.w.x(c.by) if c.by is not None else "-1"
        body.append(f"{pad}yield {number}, ({''.join(f'v{i}, ' for i in slots)}), {by}")
        return body

    def _early(
        self, c: ir.Choice, faults: list[bool], wheres: list[ir.Expr | None], tests: list[list[str]]
    ) -> dict[int, list[int]]:
        """Depth → the parameters whose numbers are found there: the loops between are sure to come to them."""
        found: dict[int, list[int]] = {}
        for at, param in enumerate(c.params):
            depth = at
            while depth and faults[at] and not tests[depth] and wheres[depth - 1] is None:
                before = c.params[depth - 1]
                sure = isinstance(before.low, ir.Const) and before.high is None and before.low.value
                if not sure or before.slot in free(param.low) | free(param.high):
                    break
                depth -= 1
            if depth < at:
                found.setdefault(depth, []).append(at)
        return found

    def _test(self, name: str, c: ir.Choice) -> None:
        """How one tuple of arguments is tested."""
        checks = []
        for param in c.params:
            v = f"v{param.slot}"
            if param.high is None:
                checks += [f"{v} >= 0", self.w.x(membership(ir.Local(param.slot), param.low))]
            else:
                checks.append(f"{self.w.x(param.low)} <= {v} <= {self.w.x(param.high)}")
            if param.where is not None:
                checks.append(self.w.x(param.where.expr))
        checks += [self.w.x(e) for e in _conditions(c)]
        params = ["s", *(f"v{param.slot}" for param in c.params)]
        self.w.function(f"test{name}", params, [f"return bool({' and '.join(checks) or 'True'})"])
        if c.by is not None:
            self.w.function(f"by{name}", params, [f"return {self.w.x(c.by)}"])

    def _counted(self, name: str, param: ir.Param, times: int) -> list[str]:
        """A domain in a variable; numbers are counted as often as they are gone through."""
        found = [f"{name} = {self._domain(param)}"]
        if param.high is not None:
            found += [f"left[0] -= len({name}) * {times}", "if left[0] < 0: too_many()"]
        return found

    def _domain(self, param: ir.Param) -> str:
        if param.high is None:
            return self.w.members_of(param.low)
        return f"numbers({self.w.x(param.low)}, {self.w.x(param.high)})"


def _conditions(c: ir.Choice) -> list[ir.Expr]:
    """What must hold of an option beside its parameters; chance never takes what has no weight."""
    weight = [] if c.weight is None else [ir.Op(">", (c.weight, ir.Const(0)))]
    return [e for e in (*(r.expr for r in c.requires), *weight) if e != ir.Const(1)]


class PythonBackend(Interpreter):
    """Runs a program through generated Python source.

    Args:
        program: what to run.
        passes: the passes that it goes through before.
    """

    def __init__(self, program: ir.Program, passes: Collection[str] = ALL_PASSES) -> None:
        super().__init__(program)
        asked = split(program) if "split" in passes else program
        fast = optimized(asked, passes)
        self._kept = KeptSets(fast)
        if "keep" in passes:
            fast, self._kept = with_kept_sets(fast)
        self._start = self._kept.start(program.start)
        writer = ExpressionWriter(fast, passes)
        for i, f in enumerate(fast.functions):
            writer.definition(i, f)
        _ChoiceWriter(writer).write()
        for i, v in enumerate(fast.invariants):
            writer.function(
                f"inv{i}", ["s", f"v{v.each[0]}" if v.each else "_"], [f"return {writer.x(v.condition.expr)}"]
            )
        for i, e in enumerate(_scored(fast)):
            writer.function(f"score{i}", ["s", "v0", "v1=0"], [f"return {writer.number(e)}"])
        blocks = BlockWriter(writer, {f.array for f in self._kept.families.values()})
        blocks.write()
        self.source = "\n".join(writer.lines) + "\n"
        self._left = [0, 0]
        names = self._names(fast, writer)
        for part in _parts(writer.lines):
            exec(compile(part, "<generated>", "exec"), names)  # noqa: S102 - holds numbers only
        for name, params in writer.remembered.items():
            names[name.upper()] = _remembered(names[name], params)
        self._blocks: dict[int, Callable[[State, Journal], int]] = {i: names[f"b{i}"] for i in blocks.done}
        count = range(len(fast.decisions))
        self._own = [names[f"own{i}"] for i in count]
        self._out = [names[f"out{i}"] for i in count]
        self._tests = [[names[f"test{i}_{k}"] for k in range(len(fast.decisions[i].choices))] for i in count]
        self._by: list[list[Any]] = [
            [names.get(f"by{i}_{k}") for k in range(len(fast.decisions[i].choices))] for i in count
        ]
        self._who: list[Callable[[State], int] | None] = [names.get(f"who{i}") for i in count]
        self._scored = {id(e): names[f"score{i}"] for i, e in enumerate(_scored(program))}
        self._invariants = Invariants(asked, [names[f"inv{i}"] for i in range(len(asked.invariants))])

    def _names(self, program: ir.Program, writer: ExpressionWriter) -> dict[str, Any]:
        """What the generated source may use, and nothing else."""
        names: dict[str, Any] = {
            "divide": divide,
            "modulo": modulo,
            "product": product,
            "pick": pick,
            "lowest": lowest,
            "held": held,
            "lookup": lookup,
            "too_much": too_much,
            "outside": outside,
            "K": tuple(self._kept.places.get(at, ()) for at in range(len(program.cells))),
            "check_all": check_all,
            "numbers": numbers,
            "bits": _Memo(_members),
            "around": _Memo(lambda key: tuple(members(*key)), _TUPLES_LIMIT),
            "positive": _Memo(_positive, _TUPLES_LIMIT),
            "left": self._left,
            "look": self._look,
            "too_many": too_many,
            "bisect_left": bisect_left,
            "compress": compress,
            "ne": ne,
            "__builtins__": {
                "min": min,
                "max": max,
                "abs": abs,
                "bool": bool,
                "tuple": tuple,
                "range": range,
                "map": map,
                "len": len,
                "sum": sum,
            },
        }
        for i, array in enumerate(program.arrays):
            names[f"A{i}"] = array
            if i in writer.member_arrays:
                names[f"M{i}"] = tuple(_members(mask) for mask in array)
            if i in writer.inverse_arrays:
                inverse = {value: sum(1 << k for k, v in enumerate(array) if v == value) for value in set(array)}
                names[f"I{i}"] = inverse
                names[f"J{i}"] = {value: _members(mask) for value, mask in inverse.items()}
        for i, table in enumerate(program.tables):
            names[f"T{i}"] = table
        return names

    def start(self) -> State:
        """The state before the first block, with the sets that are kept."""
        return self._start.copy()

    def write(self, state: State, values: Mapping[int, int]) -> Journal:
        """Puts values into cells, and brings the sets up to date that they belong to."""
        places = self._kept.places
        sets = dict.fromkeys(at for cell in values for at, _ in places.get(cell, ()))
        journal = [x for at in sets for x in (at, state[at])]
        journal += super().write(state, values)
        self._kept.renew(state, values)
        return journal

    def run(self, state: State, block: int, args: tuple[int, ...] = ()) -> Journal:
        """Runs from a block to the next decision or the end."""
        left, blocks = self._left, self._blocks
        left[0], left[1] = MAX_STEPS, MAX_STEPS - LOOK_EVERY
        journal: Journal = []
        asked = state[ir.PC]
        try:
            block = blocks[block](state, journal, *args)
            while block >= 0:
                for _ in _BEFORE_LOOKING:
                    block = blocks[block](state, journal)
                    if block < 0:
                        break
                else:
                    left[0] -= LOOK_EVERY
                    self._look(journal)
        except ProgramFaultError:
            restore(state, journal)
            raise
        if state[ir.PC] != asked:  # written last, so that no fault comes behind it
            journal += (ir.PC, asked)
        return journal

    def _look(self, journal: Journal) -> None:
        """From time to time: ends what does not come to a decision, and keeps the journal short."""
        if self._left[0] < 0:
            raise ProgramFaultError(-1, f"no decision within {MAX_STEPS:,} steps")
        self._left[1] = max(0, self._left[0] - LOOK_EVERY)
        shorten(journal)

    def decider(self, state: State, decision: int) -> int:
        """The seat that decides; -1 for chance."""
        who = self._who[decision]
        return -1 if who is None else who(state)

    def own(self, state: State, decision: int) -> Iterator[Listed]:
        """The legal options of the decider."""
        found: Iterator[Listed] = self._own[decision](state)
        return found

    def interrupts(self, state: State, decision: int) -> Iterator[Listed]:
        """The legal options of others."""
        found: Iterator[Listed] = self._out[decision](state)
        return found

    def is_legal(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> bool:
        """Whether an option with these arguments may be taken."""
        legal: bool = self._tests[decision][choice](state, *args)
        return legal

    def actor(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> int:
        """The seat that takes an interrupt."""
        by: int = self._by[decision][choice](state, *args)
        return by

    def value(self, e: ir.Expr, state: State, args: tuple[int, ...] = ()) -> int:
        """The value of an expression. Those of the scoring, which every game asks for, have functions."""
        if (function := self._scored.get(id(e))) is None:
            return super().value(e, state, args)
        value: int = function(state, *args)
        return value

    def broken(self, state: State, since: Sequence[Journal] | None = None) -> list[int]:
        """The invariants that do not hold; `since`: only those that read what has been written."""
        return self._invariants.broken(state, since)


def _parts(lines: list[str]) -> Iterator[str]:
    """Whole functions, so many at once that Python does not need much memory for them."""
    begun = 0
    for at, line in enumerate(lines):
        if at - begun > _PART and line.startswith("def "):
            yield "\n".join(lines[begun:at])
            begun = at
    yield "\n".join(lines[begun:])


def _scored(p: ir.Program) -> list[ir.Expr]:
    """The expressions of the scoring, with the player in slot 0 and what a tiebreak compares in slot 1."""
    if p.scoring is None:
        return []
    ties = [e for t in p.scoring.tiebreaks for e in (t.source, t.key, t.value) if e is not None]
    return [p.scoring.score, *ties]


def _remembered(function: Callable[..., int], params: int) -> _Memo:
    if params == 1:
        return _Memo(lambda key: function(None, key))
    return _Memo(lambda key: function(None, *key))
