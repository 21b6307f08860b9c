"""The default machine: a program as generated Python source."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from rulespec.engine.passes.pipeline import PASSES, Pass, optimized
from rulespec.engine.program import ir
from rulespec.engine.program.evaluator import Evaluator
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.journal import Journal, State, compact, overwrite, restore
from rulespec.engine.program.limits import CHECK_EVERY, MAX_STEPS
from rulespec.engine.program.machine import Listed
from rulespec.engine.python.choices import ChoiceWriter
from rulespec.engine.python.code_memo import CodeMemo
from rulespec.engine.python.expressions import ExpressionWriter
from rulespec.engine.python.features import ALL_FEATURES, Features
from rulespec.engine.python.functions import FunctionWriter
from rulespec.engine.python.invariants import Invariants, split
from rulespec.engine.python.occupancy import Occupancy, with_occupancy
from rulespec.engine.python.runtime import memo_of, ordered_members, runtime_names

_BLOCKS = range(CHECK_EVERY)
_memo = CodeMemo()


class PythonBackend:
    """Runs a program through generated Python source. See `Machine` for the methods of all machines.

    Args:
        program: what to run.
        passes: the passes that it goes through before, in order.
        features: what the source makes use of.

    Attributes:
        p: the program as it was given.
        occupancy: the sets of places that are cells of the state, after those of the program.
        invariants: the invariants, as functions.
        source: the generated source.
    """

    def __init__(self, program: ir.Program, passes: Sequence[Pass] = PASSES, features: Features = ALL_FEATURES) -> None:
        self.p = program
        asked = split(program) if features.split_invariants else program
        fast = optimized(asked, passes)
        self.occupancy = Occupancy(fast)
        if features.occupancy:
            fast, self.occupancy = with_occupancy(fast)
        self._start = self.occupancy.start(program.start)
        self._left = [0, 0]
        """Blocks that may still run before the next decision, and how many are left at the next check."""
        writer = ExpressionWriter(fast, features)
        blocks = _write(writer, [f.array for f in self.occupancy.families.values()])
        self.source = "\n".join(writer.lines) + "\n"
        names = self._compiled(fast, writer)
        self._blocks: dict[int, Callable[[State, Journal], int]] = {i: names[f"b{i}"] for i in blocks}
        count = range(len(fast.decisions))
        self._own = [names[f"own{i}"] for i in count]
        self._out = [names[f"out{i}"] for i in count]
        self._tests = [[names[f"test{i}_{k}"] for k in range(len(fast.decisions[i].choices))] for i in count]
        self._by: list[list[Any]] = [
            [names.get(f"by{i}_{k}") for k in range(len(fast.decisions[i].choices))] for i in count
        ]
        self._who: list[Callable[[State], int] | None] = [names.get(f"who{i}") for i in count]
        self._scored = {id(e): names[f"score{i}"] for i, e in enumerate(_scored(program))}
        self._others = Evaluator(program)
        """Evaluates the expressions that have no function."""
        self.invariants = Invariants(asked, [names[f"inv{i}"] for i in range(len(asked.invariants))])

    def _compiled(self, program: ir.Program, writer: ExpressionWriter) -> dict[str, Any]:
        """The functions of the source by their names, among all that the source may use."""
        names = runtime_names()
        names["left"] = self._left
        names["look"] = self._check
        names["K"] = tuple(self.occupancy.places.get(at, ()) for at in range(len(program.cells)))
        for i, array in enumerate(program.arrays):
            names[f"A{i}"] = array
            if i in writer.member_arrays:
                names[f"M{i}"] = tuple(ordered_members(mask) for mask in array)
            if i in writer.inverse_arrays:
                inverse = {value: sum(1 << k for k, v in enumerate(array) if v == value) for value in set(array)}
                names[f"I{i}"] = inverse
                names[f"J{i}"] = {value: ordered_members(mask) for value, mask in inverse.items()}
        for i, table in enumerate(program.tables):
            names[f"T{i}"] = table
        for function in _functions(writer.lines):
            exec(_memo.code(function), names)  # noqa: S102 - holds numbers only
        for name, params in writer.memos.items():
            names[name.upper()] = memo_of(names[name], params)
        return names

    @cached_property
    def asked(self) -> Mapping[int, int]:
        """The blocks in which a game waits, each with the number of its decision."""
        return self.p.asked()

    def start(self) -> State:
        """A new state before the first block has run, with the sets of occupied places."""
        return self._start.copy()

    def write(self, state: State, values: Mapping[int, int]) -> Journal:
        """Puts values into cells and updates the sets of occupied places; returns the journal of it."""
        places = self.occupancy.places
        sets = dict.fromkeys(at for cell in values for at, _ in places.get(cell, ()))
        journal = [x for at in sets for x in (at, state[at])]
        journal += overwrite(state, values)
        self.occupancy.update(state, values)
        return journal

    def run(self, state: State, block: int, args: tuple[int, ...] = ()) -> Journal:
        """Runs from a block to the next decision or the end; a fault leaves the state as it was."""
        left, blocks = self._left, self._blocks
        left[0], left[1] = MAX_STEPS, MAX_STEPS - CHECK_EVERY
        journal: Journal = []
        asked = state[ir.PC]
        try:
            block = blocks[block](state, journal, *args)
            while block >= 0:
                for _ in _BLOCKS:
                    block = blocks[block](state, journal)
                    if block < 0:
                        break
                else:
                    left[0] -= CHECK_EVERY
                    self._check(journal)
        except ProgramFaultError:
            restore(state, journal)
            raise
        if state[ir.PC] != asked:  # written last, so that no fault comes after it
            journal += (ir.PC, asked)
        return journal

    def _check(self, journal: Journal) -> None:
        """Ends what does not come to a decision, and compacts a long journal; called every `CHECK_EVERY` blocks."""
        if self._left[0] < 0:
            raise ProgramFaultError(-1, f"no decision within {MAX_STEPS:,} steps")
        self._left[1] = max(0, self._left[0] - CHECK_EVERY)
        compact(journal)

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
        """The value of an expression; those of the scoring, which every game asks for, have functions."""
        if (function := self._scored.get(id(e))) is None:
            return self._others.value(e, state, args)
        value: int = function(state, *args)
        return value

    def broken(self, state: State, since: Sequence[Journal] | None = None) -> list[int]:
        """The indices of the invariants that do not hold; with `since`, of those only that read a changed cell."""
        return self.invariants.broken(state, since)


def _write(writer: ExpressionWriter, occupied: Sequence[range]) -> Collection[int]:
    """Writes the whole program; returns the blocks that have functions."""
    p = writer.p
    for i, f in enumerate(p.functions):
        writer.definition(i, f)
    ChoiceWriter(writer).write()
    for i, v in enumerate(p.invariants):
        params = ["s", f"v{v.each[0]:d}" if v.each else "_"]
        writer.function(f"inv{i}", params, [f"return {writer.x(v.condition.expr)}"])
    for i, e in enumerate(_scored(p)):
        writer.function(f"score{i}", ["s", "v0", "v1=0"], [f"return {writer.number(e)}"])
    functions = FunctionWriter(writer, occupied)
    functions.write()
    return functions.done


def _functions(lines: list[str]) -> Iterator[str]:
    """The source, function by function: other programs have many of them, and to compile all at once takes memory."""
    begun = 0
    for at, line in enumerate(lines):
        if at > begun and line.startswith("def "):
            yield "\n".join(lines[begun:at])
            begun = at
    yield "\n".join(lines[begun:])


def _scored(p: ir.Program) -> list[ir.Expr]:
    """The expressions of the scoring, with the player in slot 0 and what a tiebreak compares in slot 1."""
    if p.scoring is None:
        return []
    ties = [e for t in p.scoring.tiebreaks for e in (t.source, t.key, t.value) if e is not None]
    return [p.scoring.score, *ties]
