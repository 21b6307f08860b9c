"""An interpreter with a step counter for tests."""

from __future__ import annotations

from rulespec.engine.program.cells import Journal, State
from rulespec.engine.program.interpreter import Interpreter


class Counting(Interpreter):
    """An interpreter that records the number of steps of its last run."""

    taken = 0

    def run(self, state: State, block: int, args: tuple[int, ...] = ()) -> Journal:
        before = self.left
        try:
            return super().run(state, block, args)
        finally:
            self.taken = before - self.left
