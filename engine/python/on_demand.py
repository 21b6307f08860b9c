"""A machine that writes and compiles each function when it is called first: for a process that plays one game.

A game reaches half of the rules. The functions are those of the program as it was lowered, since the passes go over all
of it, and take longer than they save in some thousand decisions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec.structs import replace

from rulespec.engine.program import ir
from rulespec.engine.program.cost import Costs
from rulespec.engine.program.faults import too_deep
from rulespec.engine.program.limits import CHECK_EVERY, MAX_STEPS
from rulespec.engine.python.backend import PythonBackend, definitions
from rulespec.engine.python.features import ALL_FEATURES, Features
from rulespec.engine.python.functions import FunctionWriter
from rulespec.engine.python.runtime import memo_of
from rulespec.engine.python.suppositions import write_suppositions

FEATURES = replace(ALL_FEATURES, occupancy=False, variables=False)
"""A procedure with variables of its own is written together with all that call it."""


class _Steps(dict[int, int]):
    """The most steps of each block whose function has been written; the others are written when they are asked for."""

    def __init__(self, write: Callable[[int], int]) -> None:
        super().__init__()
        self._write = write

    def __missing__(self, block: int) -> int:
        steps = self[block] = self._write(block)
        return steps


class OnDemandBackend(PythonBackend):
    """Runs a program through Python source that is generated function by function, when it is reached.

    Args:
        program: what to run.
        features: what the source makes use of; those that need the whole program are off.
        steps: how many steps there are at most from one decision to the next.
    """

    def __init__(self, program: ir.Program, features: Features = FEATURES, steps: int = MAX_STEPS) -> None:
        super().__init__(program, (), replace(features, occupancy=False, variables=False), steps)

    def _made(self, program: ir.Program) -> dict[str, Any]:
        """Makes functions that make the real ones and take their places."""
        self._functions = FunctionWriter(self._writer, self.occupancy, Costs(self.p))
        self._names = self._used(program)
        self._supposed = 0
        self._writes = definitions(self._writer)
        self._uncounted = range(0)  # the most steps of a block are not known before it is written
        self._begin = (self._steps, max(0, self._steps - CHECK_EVERY))
        self._most = _Steps(self._block)
        self._blocks: dict[int, Callable[..., int]] = {}
        names = {name: self._first_call(name) for name in self._writes}
        names |= {f"b{first}": self._first_call(f"b{first}") for first in self._functions.plan.flow.firsts}
        self._names |= names
        return names

    def _first_call(self, name: str) -> Callable[..., Any]:
        """A function that stands for another one, which it makes when it is called."""

        def call(*args: Any) -> Any:
            return self._function(name)(*args)

        return call

    def _function(self, name: str) -> Callable[..., Any]:
        """The function of this name, made if it has not been yet."""
        if name in self._writes:
            self._write(self._writes.pop(name))
        elif name[0] == "b":
            return self._of_block(int(name[1:]))
        function: Callable[..., Any] = self._names[name]
        return function

    def _of_block(self, number: int) -> Callable[..., Any]:
        if number not in self._most:
            self._most[number] = self._block(number)
        return self._blocks[number]

    def _block(self, number: int) -> int:
        """Makes the function of a block; returns its most steps."""
        self._write(partial(self._functions.block, number))
        self._blocks[number] = self._names[f"b{number}"]
        return self._functions.done[number]

    def _write(self, write: Callable[[], object]) -> None:
        """Makes a function, with the loops that it is the first to need."""
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
