"""Positions as rows of 64-bit numbers, for arrays of many positions; the rows are the same on all machines."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from rulespec.engine.program import ir
from rulespec.engine.program.columns import value_bits
from rulespec.engine.wasm.widths import WORD

_ALL = (1 << WORD) - 1


class RowForm:
    """The column layout of a row.

    First come the cells of the program, in order; a set has one bit per member, and the 64th bit is the sign. Longer
    values continue in further columns, after the columns of all cells.

    Args:
        p: the program.

    Attributes:
        cells: the number of cells.
        columns: the number of columns.
        further: cell → the columns of its words after the first.
    """

    def __init__(self, p: ir.Program) -> None:
        self.cells = self.columns = len(p.cells)
        self.further: dict[int, range] = {}
        self._full: list[int] = []  # the cells that use the highest bit of their first word
        for at, cell in enumerate(p.cells):
            bits = value_bits(cell.type, p.sizes)
            if bits >= WORD:
                self._full.append(at)
            if bits > WORD:
                self.further[at] = range(self.columns, self.columns + -(-bits // WORD) - 1)
                self.columns = self.further[at].stop

    def row(self, cells: Sequence[int]) -> list[int]:
        """The row of a position, given the cells of the program."""
        row = [*cells, *[0] * (self.columns - self.cells)]
        for at in self._full:
            value = cells[at]
            row[at] = _signed(value)
            for word, column in enumerate(self.further.get(at, ()), 1):
                row[column] = _signed(value >> WORD * word)
        return row

    def array(self, cells: Sequence[int]) -> memoryview:
        """The row of a position, as 64-bit numbers."""
        if isinstance(cells, memoryview) and not self._full:
            return cells[: self.cells]
        return memoryview(array("q", self.row(cells) if self._full else cells[: self.cells]))

    def values(self, row: Sequence[int]) -> list[int]:
        """The cells of the program, decoded from a row."""
        results = list(row[: self.cells])
        for at in self._full:
            results[at] &= _ALL
            for word, column in enumerate(self.further.get(at, ()), 1):
                results[at] |= (row[column] & _ALL) << WORD * word
        return results


def same_options(p: ir.Program) -> list[int]:
    """For each option of all decisions, in order, the number of the first option with the same name and parameters.

    A decision may occur more than once, for instance in a duplicated procedure.
    """
    first: dict[tuple[object, ...], int] = {}
    forms = [(d.name, k, c.name, *(q.type for q in c.params)) for d in p.decisions for k, c in enumerate(d.choices)]
    return [first.setdefault(form, number) for number, form in enumerate(forms)]


def _signed(value: int) -> int:
    """The low 64 bits of a number, as a signed number."""
    value &= _ALL
    return value - (1 << WORD) if value >> WORD - 1 else value
