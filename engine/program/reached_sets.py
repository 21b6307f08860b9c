"""Reached sets that take longer to compute than to look up, and the definitions whose values depend on several of
them.
"""

from __future__ import annotations

from rulespec.engine.program import ir
from rulespec.engine.program.traversal import Binding, Facts, free, parts, walk

_SEVERAL = 2
"""The number of look-ups for which one look-up of the whole value is better."""


class ReachedSets:
    """Facts about a program's reached sets, for machines that cache them until a cell that they read is written.

    Args:
        p: the program.
    """

    def __init__(self, p: ir.Program) -> None:
        self._p = p
        self._facts = Facts(p)
        self._look_ups: dict[int, int] = {}

    def is_slow(self, e: ir.Closure) -> bool:
        """Whether a set depends on the state, and a step of its search takes longer than a look-up."""
        return any(isinstance(part, Binding | ir.Call) for part in walk(e.step)) and self._facts.reads_state(e)

    def is_worth_caching(self, number: int) -> bool:
        """Whether a definition looks up several slow sets, or runs over one."""
        return self._of_definition(number) >= _SEVERAL

    def _of_definition(self, number: int) -> int:
        """The number of look-ups in the value of a definition, at most `_SEVERAL`."""
        if number not in self._look_ups:
            self._look_ups[number] = 0
            f, total, slots = self._p.functions[number], 0, frozenset[int]()
            for slot, value in f.lets:
                one = self._of(value, slots)
                total += one
                slots |= {slot} if one else frozenset()
            self._look_ups[number] = min(_SEVERAL, total + self._of(f.body, slots))
        return self._look_ups[number]

    def _of(self, e: ir.Expr, slots: frozenset[int]) -> int:
        """The maximum number of look-ups in an expression; a loop that uses a slow set, or one of `slots`, which hold
        such sets, counts as several.
        """
        inner = [self._of(part, slots) for part in parts(e)]
        if isinstance(e, ir.Closure) and self.is_slow(e):
            return 1
        if isinstance(e, Binding):
            return _SEVERAL if any(inner) or not slots.isdisjoint(free(e)) else 0
        if isinstance(e, ir.If):
            condition, *branches = inner
            return condition + max(branches)
        if isinstance(e, ir.Call):
            return sum(inner) + min(1, self._of_definition(e.function))
        return sum(inner)
