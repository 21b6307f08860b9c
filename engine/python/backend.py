"""The default machine: a program as generated Python source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.passes.invariants import Invariants, split
from rulespec.engine.passes.occupancy import Occupancy, with_occupancy
from rulespec.engine.program import ir
from rulespec.engine.program.alike import AlikeTokens
from rulespec.engine.program.blanks import BlankError, PublicSum, Unknown, blanked, filled
from rulespec.engine.program.cells import Journal, State, compact, overwrite, restore
from rulespec.engine.program.cost import Costs
from rulespec.engine.program.domains import numbers, paths, several, some_of_several
from rulespec.engine.program.evaluator import Evaluator
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.program.limits import CHECK_EVERY, MAX_STEPS
from rulespec.engine.program.long_values import handed_back, long_values, scored
from rulespec.engine.program.machine import Blind, Listed, Lookups, Machine
from rulespec.engine.program.taint import counts_of
from rulespec.engine.python.choices import ChoiceWriter
from rulespec.engine.python.code_memo import CodeMemo
from rulespec.engine.python.expressions import ExpressionWriter
from rulespec.engine.python.features import ALL_FEATURES, Features
from rulespec.engine.python.functions import FunctionWriter
from rulespec.engine.python.runtime import array_names, counting_memo_of, memo_of, runtime_names
from rulespec.engine.python.step_limits import (
    UNBOUNDED,
    DoubtfulError,
    after,
    doubtful,
    leave_to_interpreter,
)
from rulespec.engine.python.suppositions import carrying_out, write_suppositions

if TYPE_CHECKING:
    from rulespec.engine.passes.pipeline import Pass

_memo = CodeMemo()
_PC = ir.PC
_UNCOUNTED = 8
"""The number of block calls before steps are counted."""


class _Idle(NamedTuple):
    """A decision with `otherwise`: skipped if nothing is legal.

    Attributes:
        legal: tests for a legal option, counting the values of parameters.
        steps: the maximum steps of everything else.
        otherwise: the block at which the rules continue if nothing is legal.
    """

    legal: Callable[[State], bool]
    steps: int
    otherwise: int


class PythonBackend:
    """The machine that runs a program through generated Python source. See `Machine` for the common methods.

    Args:
        program: the program to run.
        passes: the passes to apply first, in order; None means all.
        features: the features of the source.
        steps: the step limit from one decision to the next.
        codes: the memo of compiled functions.

    Attributes:
        p: the original program.
        occupancy: the sets of places maintained as cells of the state, after the program's cells.
        invariants: the invariants, as functions.
    """

    listing = None
    late = None

    def __init__(
        self,
        program: ir.Program,
        passes: Sequence[Pass] | None = None,
        features: Features = ALL_FEATURES,
        steps: int = MAX_STEPS,
        codes: CodeMemo = _memo,
    ) -> None:
        self.p = program
        self._codes = codes
        self._costs = Costs(counting := self._counting(program), Costs(program))
        asked = split(counting)
        fast = _optimized(asked, passes)
        self.occupancy = Occupancy(fast)
        if features.occupancy:
            fast, self.occupancy = self._with_occupancy(fast)
        self._start = self.occupancy.start(program.start)
        self._left = [UNBOUNDED, 0]
        """The remaining step budget before the next decision, and its value at the next check."""
        self._steps = steps
        self._faulty: tuple[tuple[int, tuple[int, ...], State], ProgramFaultError] | None = None
        """The last position that exceeded the step limit, and the fault, as a failing game is played several times."""
        self._interpreter = Interpreter(program, steps=steps)
        self._writer = ExpressionWriter(fast, features)
        names = self._compiled(fast)
        count = range(len(fast.decisions))
        self._own = [names[f"own{i}"] for i in count]
        self._out = [names[f"out{i}"] for i in count]
        choices = [range(len(d.choices)) for d in fast.decisions]
        self._tests = [[names[f"test{i}_{k}"] for k in of] for i, of in enumerate(choices)]
        self._by: list[list[Any]] = [[names.get(f"by{i}_{k}") for k in of] for i, of in enumerate(choices)]
        self._idle = {
            at: _Idle(names[f"any{e.decision}"], self._costs.legal(counting.decisions[e.decision]), e.otherwise)
            for at, e in enumerate(block.exit for block in program.blocks)
            if isinstance(e, ir.Ask) and e.otherwise is not None
        }
        """The blocks where a game waits only if an option is legal."""
        self._who: list[Callable[[State], int] | None] = [names.get(f"who{i}") for i in count]
        long = long_values(program, self._costs.whole)
        self._scored = {id(e): names[f"score{i}"] for i, e in enumerate(scored(program)) if i not in long.scored}
        self._others = Evaluator(program)
        """The evaluator of expressions without a generated function."""
        holds = [names[f"inv{i}"] for i in range(len(asked.invariants))]
        leave_to_interpreter(long, self._interpreter, self._who, self._tests, self._by, holds)
        self.invariants = Invariants(asked, holds)

    def _counting(self, program: ir.Program) -> ir.Program:
        """The program, instrumented to count evaluations that may be numerous."""
        from rulespec.engine.passes.count_work import count_work  # lazily, as all passes

        return count_work(program)

    def _with_occupancy(self, program: ir.Program) -> tuple[ir.Program, Occupancy]:
        """The program with its maintained sets."""
        return with_occupancy(program)

    @property
    def source(self) -> str:
        """The generated source."""
        return "\n".join(self._writer.lines) + "\n"

    def _compiled(self, program: ir.Program) -> dict[str, Any]:
        """Writes and compiles all functions; returns the namespace of the source with them."""
        writer = self._writer
        for write in definitions(writer).values():
            write()
        functions = FunctionWriter(writer, self.occupancy, self._costs)
        functions.write()
        write_suppositions(writer, functions)
        self._most: Mapping[int, int] = functions.done
        """The blocks with functions, each with the maximum steps of one call."""
        largest = max(self._most.values())
        self._uncounted = range(_UNCOUNTED if largest * _UNCOUNTED < self._steps // 4 else 0)
        begin = self._steps - largest * (len(self._uncounted) + 1) if self._uncounted else self._steps
        self._begin = (begin, max(0, begin - CHECK_EVERY))
        names = self._used(program)
        self._define(writer.lines, names)
        for name, params in writer.memos.items():
            names[name.upper()] = memo_of(names[name], params)
        for name, params in writer.counting_memos.items():
            names[name.upper()] = counting_memo_of(names[name], params, self._left)
        self._blocks: Mapping[int, Callable[..., int]] = {i: names[f"b{i}"] for i in self._most}
        return names

    def _used(self, program: ir.Program) -> dict[str, Any]:
        """The names that the source may use besides its own functions."""
        names = runtime_names(max(program.sizes.values(), default=1))
        names["left"] = self._left
        names["look"] = self._look
        errors = (DoubtfulError, ProgramFaultError, RecursionError, GeneratorExit, BaseException)
        names |= {error.__name__: error for error in errors} | {"doubtful": doubtful}
        names["exactly"] = self._exactly
        names["carry_out"] = carrying_out(self.p, self._occupied)
        names["numbers"] = partial(numbers, self.p)
        names["several"] = partial(several, self.p)
        names["paths"] = partial(paths, self.p)
        names["charge"] = self._charge
        names["some_of_several"] = partial(some_of_several, self.p)
        if self.p.alike:
            names["alike"] = self._alike.firsts
        names |= _names_of(program, self.occupancy)
        return names

    def _define(self, lines: list[str], names: dict[str, Any]) -> None:
        """Compiles functions into a dictionary, with their dependencies."""
        array_names(self._writer.member_arrays, self._writer.inverse_arrays, names)
        for function in _functions(lines):
            exec(self._codes.code(function), names)  # noqa: S102 - holds numbers only

    @cached_property
    def asked(self) -> Mapping[int, int]:
        """The blocks where a game waits for a decision, each with the decision's number."""
        return self.p.asked()

    def start(self) -> State:
        """A new state, as it is before the first block runs, with the sets of occupied places."""
        return self._start.copy()

    def write(self, state: State, values: Mapping[int, int]) -> Journal:
        """Writes values to cells and updates the sets of occupied places; returns the journal."""
        journal = overwrite(state, values)
        return [*self._occupied(state, values), *journal]

    def run(self, state: State, block: int, args: tuple[int, ...] = ()) -> Journal:
        """Runs from a block to the next decision or the end of the game; a fault leaves the state unchanged.

        The generated source counts upper bounds of steps, which follow from the sizes of sets. Only if these exceed the
        limit does the interpreter count the actual steps.
        """
        left, blocks, most, uncounted = self._left, self._blocks, self._most, self._uncounted
        left[0], left[1] = self._begin
        journal: Journal = []
        asked, at = state[_PC], block
        try:
            if not uncounted:
                self._count(block, journal)
            at = blocks[block](state, journal, *args)
            if at >= 0:
                for _ in uncounted:
                    at = blocks[at](state, journal)
                    if at < 0:
                        break
                while at >= 0:
                    left[0] -= most[at]  # `_count` inlined: a hot path
                    if left[0] < left[1]:
                        self._look(journal)
                    at = blocks[at](state, journal)
            if state[_PC] in self._idle:
                self._go_on(state, journal)
        except (ProgramFaultError, DiagnosticsError):
            restore(state, journal)
            state[ir.PC] = asked
            raise
        except (DoubtfulError, RecursionError):
            restore(state, journal)
            state[ir.PC] = asked
            return self._again(state, block, args)
        finally:
            left[0] = UNBOUNDED
        if state[_PC] != asked:  # written last, so that no fault can follow
            journal += (ir.PC, asked)
        return journal

    def run_without(self, state: State, unknown: Unknown, block: int, args: tuple[int, ...] = ()) -> Blind:
        """Runs with some cells unknown; occupancy sets that depend on these cells are unknown too."""
        faulty, cells = self._faulty, unknown.cells
        sets = self.occupancy.unknown(state, cells, unknown.within, self._counted)
        totals = [
            PublicSum(hidden, sum(map(state.__getitem__, hidden))) for of in self._totals if (hidden := of & cells)
        ]
        blind = blanked(state, unknown, totals, sets)
        try:
            journal = self.run(blind, block, args)
            left = filled(blind, state, cells, (at for at in journal[::2] if at < len(self.p.cells)))
        except (BlankError, ProgramFaultError, DiagnosticsError):
            return None
        finally:
            self._faulty = faulty  # otherwise a state with blanks would be compared with others
        return blind[: len(self.p.cells)], left

    @cached_property
    def _counted(self) -> dict[int, frozenset[int]]:
        """The cells with places of tokens, each with the places whose number of tokens is public."""
        return {at: frozenset(secret.places) for secret in self.p.secrets if secret.within for at in secret.cells}

    @cached_property
    def _totals(self) -> list[frozenset[int]]:
        """The groups of private piles whose sum is public."""
        return [frozenset(of.cells) for of in counts_of(self.p) if self.p.cells[of.cells[0]].group == "pieces"]

    def _go_on(self, state: State, journal: Journal) -> None:
        """Continues from decisions without a legal option, as long as their `otherwise` leads to further ones."""
        while (idle := self._idle.get(state[ir.PC])) is not None:
            try:
                legal = idle.legal(state)
            except ProgramFaultError:  # the interpreter may exceed the step limit before this point
                raise DoubtfulError from None
            self._left[0] -= idle.steps
            if self._left[0] < self._left[1]:
                self._look(journal)
            if legal:
                return
            at = idle.otherwise
            while at >= 0:
                self._count(at, journal)
                at = self._blocks[at](state, journal)

    def _count(self, block: int, journal: Journal) -> None:
        """Counts the steps of a called block."""
        self._left[0] -= self._most[block]
        if self._left[0] < self._left[1]:
            self._look(journal)

    def _charge(self, steps: int) -> None:
        """Counts steps of an expression."""
        self._left[0] -= steps
        if self._left[0] < 0:
            raise DoubtfulError

    def _look(self, journal: Journal) -> None:
        """Checks the step bound, and compacts a long journal; called every `CHECK_EVERY` steps."""
        if self._left[0] < 0:
            raise DoubtfulError
        compact(journal)
        self._left[1] = max(0, self._left[0] - max(CHECK_EVERY, len(journal)))

    def _exactly(self, state: State, decision: int, listed: int, *, interrupts: bool) -> Iterator[Listed]:
        """The options after the first `listed` ones."""
        options = self._exact.interrupts if interrupts else self._exact.own
        return after(listed, options(state, decision), self._note_interpreter)

    def _note_interpreter(self) -> None:
        if self._exact is self._interpreter:
            handed_back("interpreter")

    @cached_property
    def _exact(self) -> Machine:
        """A machine that counts steps more exactly."""
        return self._interpreter

    def _again(self, state: State, block: int, args: tuple[int, ...]) -> Journal:
        """Runs with exact counting, immediately if the last run needed it."""
        position = (block, args, state.copy())
        if self._faulty is not None and self._faulty[0] == position:
            raise self._faulty[1].with_traceback(None)
        try:
            journal = self._exact.run(state, block, args)
        except ProgramFaultError as fault:
            self._faulty = position, fault
            raise
        self._note_interpreter()
        return [*self._occupied(state, dict.fromkeys(journal[::2])), *journal]

    def _occupied(self, state: State, cells: Iterable[int]) -> Journal:
        """Updates the sets of occupied places after writes to cells; returns the journal of the updates."""
        sets = dict.fromkeys(self.occupancy.sets(cells))
        journal = [x for at in sets for x in (at, state[at])]
        self.occupancy.update(state, cells)
        return journal

    def decider(self, state: State, decision: int) -> int:
        """The deciding seat; -1 if chance decides."""
        who = self._who[decision]
        return -1 if who is None else who(state)

    def own(self, state: State, decision: int) -> Iterator[Listed]:
        """The legal options of the decider."""
        listed: Iterator[Listed] = self._own[decision](state)
        return listed

    def interrupts(self, state: State, decision: int) -> Iterator[Listed]:
        """The legal options of other seats."""
        listed: Iterator[Listed] = self._out[decision](state)
        return listed

    def is_legal(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> bool:
        """Whether an option with these arguments may be taken."""
        legal: bool = self._tests[decision][choice](state, *args)
        if legal and self.p.alike and any(param.alike for param in self.p.decisions[decision].choices[choice].params):
            return self.standing(state, decision, choice, args) is None
        return legal

    @cached_property
    def lookups(self) -> Sequence[Lookups]:
        """For each decision, its pure look-up functions."""
        return [
            Lookups(
                [self._lookup(number, k) for k in range(len(tests))], self._who[number] or _nobody, self._by[number]
            )
            for number, tests in enumerate(self._tests)
        ]

    def _lookup(self, decision: int, choice: int) -> Callable[..., bool]:
        """The test of an option's legality."""
        alike = any(param.alike for param in self.p.decisions[decision].choices[choice].params)
        test: Callable[..., bool] = self._tests[decision][choice]
        return partial(self._listed, decision, choice) if alike else test

    def _listed(self, decision: int, choice: int, state: State, *args: int) -> bool:
        """Whether an option whose arguments may include alike tokens is listed."""
        return self.is_legal(state, decision, choice, args)

    @cached_property
    def _alike(self) -> AlikeTokens:
        return AlikeTokens(self)

    def standing(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> tuple[int, ...] | None:
        """The arguments, with each token replaced by the listed token that represents it; None if nothing changes."""
        return self._alike.standing(state, decision, choice, args)

    def actor(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> int:
        """The seat that acts with an out-of-turn option."""
        by: int = self._by[decision][choice](state, *args)
        return by

    def value(self, e: ir.Expr, state: State, args: tuple[int, ...] = ()) -> int:
        """The value of an expression; scoring expressions have generated functions, since every game needs them."""
        if (function := self._scored.get(id(e))) is None:
            return self._others.value(e, state, args)
        value: int = function(state, *args)
        return value

    def broken(self, state: State, since: Sequence[Journal] | None = None) -> list[int]:
        """The indices of the broken invariants; if `since` is given, only invariants that read a cell changed in it are
        tested.
        """
        return self.invariants.broken(state, since)


def _nobody(_: object) -> int:
    """The decider of a chance decision."""
    return -1


def _optimized(program: ir.Program, passes: Sequence[Pass] | None) -> ir.Program:
    """The program after some passes; None means all."""
    if passes is not None and not passes:
        return program
    from rulespec.engine.passes.pipeline import PASSES, optimized  # lazily: a single game does without

    return optimized(program, PASSES if passes is None else passes)


def definitions(writer: ExpressionWriter) -> dict[str, Callable[[], None]]:
    """The writers of a program's functions other than blocks, by function name."""
    p = writer.p
    results: dict[str, Callable[[], None]] = {f"f{i}": partial(writer.definition, i) for i in range(len(p.functions))}
    results |= ChoiceWriter(writer).functions()
    for i, v in enumerate(p.invariants):
        params = ["s", f"v{v.each[0]:d}" if v.each else "_"]
        results[f"inv{i}"] = partial(writer.value, f"inv{i}", params, v.condition.expr)
    for i, e in enumerate(scored(p)):
        results[f"score{i}"] = partial(writer.value, f"score{i}", ["s", "v0", "v1=0"], e, whole=True)
    return results


def _names_of(program: ir.Program, occupancy: Occupancy) -> dict[str, Any]:
    """The data of a program that the source reads, by name."""
    names: dict[str, Any] = {f"A{i}": array for i, array in enumerate(program.arrays)}
    names |= {f"T{i}": table for i, table in enumerate(program.tables)}
    if occupancy.cells > len(program.start):
        names["K"] = tuple(occupancy.places.get(at, ()) for at in range(len(program.cells)))
        names["H"] = occupancy.houses
    return names


def _functions(lines: list[str]) -> Iterator[str]:
    """The source, split into functions, as programs share many of them and compiling all at once takes memory."""
    begun = 0
    for at, line in enumerate(lines):
        if at > begun and line.startswith("def "):
            yield "\n".join(lines[begun:at])
            begun = at
    yield "\n".join(lines[begun:])
