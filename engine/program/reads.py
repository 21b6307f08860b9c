"""Read analysis: the cells that an expression of a program may read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rulespec.engine.program import ir
from rulespec.engine.program.traversal import span, walk


class Reads:
    """The cells that expressions of a program may read.

    Args:
        p: the originally lowered program; expressions introduced by passes read the same cells, or sets derived from
            them.
    """

    def __init__(self, p: ir.Program) -> None:
        self._p = p
        self._of_functions: dict[int, frozenset[int]] = {}

    def of(self, e: ir.Expr) -> frozenset[int]:
        """The cells that an expression may read."""
        results: set[int] = set()
        for part in self._parts(e):
            if isinstance(part, ir.Cell):
                results.update(span(part))
            elif isinstance(part, ir.Call):
                results |= self._of_function(part.function)
            elif isinstance(part, ir.Suppose):  # it runs rules, which may read anything
                results.update(range(len(self._p.cells)))
        return frozenset(results)

    def _parts(self, e: ir.Expr) -> Iterator[ir.Expr]:
        """The parts of an expression that it may read, with itself."""
        return walk(e)

    def _of_function(self, number: int) -> frozenset[int]:
        if number not in self._of_functions:
            f = self._p.functions[number]
            self._of_functions[number] = self._of_all([*(value for _, value in f.lets), f.body])
        return self._of_functions[number]

    def _of_all(self, expressions: Iterable[ir.Expr]) -> frozenset[int]:
        return frozenset().union(*map(self.of, expressions))
