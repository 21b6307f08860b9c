"""A machine that compiles each function on its first call, for a process with few games.

A game reaches about half of the rules, but passes process all of them, so they pay off only for several games. The same
is true of maintained sets, which passes find.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from rulespec.engine.passes.occupancy import Occupancy, with_occupancy
from rulespec.engine.program import ir
from rulespec.engine.program.faults import too_deep
from rulespec.engine.program.limits import CHECK_EVERY, MAX_STEPS
from rulespec.engine.program.machine import Machine
from rulespec.engine.python.backend import PythonBackend, definitions
from rulespec.engine.python.code_memo import CodeMemo
from rulespec.engine.python.features import ALL_FEATURES, Features
from rulespec.engine.python.functions import FunctionWriter
from rulespec.engine.python.runtime import counting_memo_of, memo_of
from rulespec.engine.python.suppositions import write_suppositions

if TYPE_CHECKING:
    from rulespec.engine.passes.pipeline import Pass

FEATURES = replace(ALL_FEATURES, variables=False)
"""All features but variables: functions are generated one by one, but a procedure with variables must be generated
together with all its callers.
"""


class _Steps(dict[int, int]):
    """The maximum steps of each block, computed on demand for unwritten blocks."""

    def __init__(self, write: Callable[[int], int]) -> None:
        super().__init__()
        self._write = write

    def __missing__(self, block: int) -> int:
        steps = self[block] = self._write(block)
        return steps


class OnDemandBackend(PythonBackend):
    """The machine that runs a program through Python source generated on demand, function by function.

    Args:
        program: the program to run.
        features: the features of the source; those that need the whole program are switched off.
        steps: the step limit from one decision to the next.
        exact: whether long expressions count their own steps, by the actual size of sets.
        passes: the passes to apply first, in order.
        codes: the memo of compiled functions.
    """

    def __init__(
        self,
        program: ir.Program,
        features: Features = FEATURES,
        steps: int = MAX_STEPS,
        *,
        exact: bool = False,
        passes: Sequence[Pass] = (),
        codes: CodeMemo,
    ) -> None:
        self._is_exact = exact
        occupancy = features.occupancy and bool(passes)  # without passes, no expression reads such a set
        super().__init__(program, passes, replace(features, occupancy=occupancy, variables=False), steps, codes)

    def _counting(self, program: ir.Program) -> ir.Program:
        """The program, with step counting in expressions only if it is to be exact: few decisions need that."""
        from rulespec.engine.passes.count_work import count_work

        return count_work(program, expressions=self._is_exact)

    def _with_occupancy(self, program: ir.Program) -> tuple[ir.Program, Occupancy]:
        """The program with the maintained sets of its definitions, which read most of them."""
        return with_occupancy(program, definitions_only=True)

    @cached_property
    def _exact(self) -> Machine:
        """A machine that counts more exactly: first by the size of sets, and last the interpreter."""
        if self._is_exact:
            return self._interpreter
        return OnDemandBackend(self.p, FEATURES, self._steps, exact=True, codes=self._codes)

    def _compiled(self, program: ir.Program) -> dict[str, Any]:
        """Stubs that replace themselves with the real functions."""
        self._functions = FunctionWriter(self._writer, self.occupancy, self._costs)
        self._names = self._used(program)
        self._supposed = 0
        self._uncounted = range(0)  # the maximum steps of a block are unknown before it is written
        self._begin = (self._steps, max(0, self._steps - CHECK_EVERY))
        self._most = _Steps(self._block)
        self._blocks: dict[int, Callable[..., int]] = {}
        self._writes: dict[str, Callable[[], object]] = {**definitions(self._writer)}
        called = (*self._writes, *(f"b{first}" for first in self._functions.plan.flow.firsts))
        self._writes |= {f"b{i}": partial(self._functions.block, i) for i in range(len(program.blocks))}
        names = {name: self._first_call(name) for name in called}
        self._names |= names
        return names

    def _first_call(self, name: str) -> Callable[..., Any]:
        """A stub that generates the real function on its first call."""
        function: Callable[..., Any] | None = None

        def call(*args: Any) -> Any:
            nonlocal function
            if function is None:  # those who hold the stub call it again
                function = self._function(name)
            return function(*args)

        return call

    def _function(self, name: str) -> Callable[..., Any]:
        """The function of this name, generated on first use."""
        write = self._writes.pop(name, None)
        if write is not None:
            self._write(write)
        function: Callable[..., Any] = self._names[name]
        return function

    def _block(self, number: int) -> int:
        """Generates the function of a block; returns its maximum steps."""
        self._blocks[number] = self._function(f"b{number}")
        return self._functions.done[number]

    def _write(self, write: Callable[[], object]) -> None:
        """Writes a function, and the loops that it is the first to use."""
        writer, names = self._writer, self._names
        begun = len(writer.lines)
        try:
            write()
            self._supposed = write_suppositions(writer, self._functions, self._supposed)
            self._define(writer.lines[begun:], names)
        except (RecursionError, SyntaxError, MemoryError):
            raise too_deep() from None
        for name, params in writer.memos.items():
            if name.upper() not in names:
                names[name.upper()] = memo_of(self._first_call(name), params)
        for name, params in writer.counting_memos.items():
            if name.upper() not in names:
                names[name.upper()] = counting_memo_of(names[name], params, self._left)
