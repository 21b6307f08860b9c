"""An interpreter whose steps tests read."""

from __future__ import annotations

from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.program.journal import Journal, State


class Counting(Interpreter):
    """Knows the steps of its last run."""

    taken = 0

    def run(self, state: State, block: int, args: tuple[int, ...] = ()) -> Journal:
        before = self.left
        try:
            return super().run(state, block, args)
        finally:
            self.taken = before - self.left
