"""Which cells and expressions of a program may tell what is private."""

from __future__ import annotations

from collections.abc import Iterable

from rulespec.engine.program import ir
from rulespec.engine.program.traversal import span, walk


class Taint:
    """What follows from private cells, and from choices that are not shown yet.

    State that everybody sees is not among it, whatever it was set to: it is seen.

    Attributes:
        cells: private cells, and the variables that may hold what follows from them.
    """

    def __init__(self, p: ir.Program) -> None:
        self.p = p
        self._reads: dict[int, frozenset[int]] = {}
        self.cells = {at for secret in p.secrets for at in secret.cells}
        self.cells |= {at for d in p.decisions for at in d.held}
        self.cells |= {q.cell for d in p.decisions for c in d.choices for q in c.params if q.private}
        stores = [i for block in p.blocks for i in block.body if isinstance(i, ir.Store)]
        stores = [i for i in stores if p.cells[i.target.base].group == "rules"]
        grown = bool(self.cells)
        while grown:
            grown = False
            for i in stores:
                if not self.cells.issuperset(span(i.target)) and self.told_by(i.value):
                    self.cells.update(span(i.target))
                    grown = True

    def told_by(self, e: ir.Expr) -> bool:
        """Whether the value of an expression may tell something of these cells."""
        return bool(self.cells) and not self.cells.isdisjoint(self.read(e))

    def read(self, e: ir.Expr) -> frozenset[int]:
        """The cells that an expression may read."""
        found: set[int] = set()
        for part in walk(e):
            if isinstance(part, ir.Cell):
                found.update(span(part))
            elif isinstance(part, ir.Call):
                found |= self._of_function(part.function)
            elif isinstance(part, ir.Suppose):  # it runs rules, which may read anything
                found.update(range(len(self.p.cells)))
        return frozenset(found)

    def _of_function(self, number: int) -> frozenset[int]:
        if number not in self._reads:
            f = self.p.functions[number]
            self._reads[number] = self._of_all([*(value for _, value in f.lets), f.body])
        return self._reads[number]

    def _of_all(self, found: Iterable[ir.Expr]) -> frozenset[int]:
        return frozenset().union(*map(self.read, found))


def choice_expressions(c: ir.Choice) -> list[ir.Expr]:
    """The expressions that say whether an option is legal, and for whom."""
    found = [e for e in (c.by, c.weight) if e is not None]
    for param in c.params:
        found += [e for e in (param.low, param.high) if e is not None]
        found += [param.where.expr] if param.where is not None else []
    for condition in c.requires:
        found += [*(value for _, value in condition.lets), condition.expr]
    return found
