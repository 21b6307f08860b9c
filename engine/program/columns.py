"""Arguments of options as 64-bit columns; large sets, bags and paths take several, lowest bits first."""

from __future__ import annotations

from collections.abc import Sequence

from rulespec.engine.program import ir
from rulespec.language.bags import BITS
from rulespec.language.paths import MAX_STOPS, bits_of

_WORD = 64
_ALL = (1 << _WORD) - 1


def form_of(type_: str) -> tuple[str, str]:
    """The form of a composite type (`set`, `bag`, `order` or `path`), and its kind.

    Any other type, including a kind named `path`, has an empty form and is returned as it is.
    """
    form, blank, kind = type_.partition(" ")
    return (form, kind) if blank else ("", type_)


def value_bits(type_: str, sizes: dict[str, int]) -> int:
    """The bit width of a composite type (set, bag, order or path); 1 for other types. `sizes` maps each kind to its
    number of entities.
    """
    form, kind = form_of(type_)
    size = sizes.get(kind, 1)
    if form == "set":
        return size
    if form == "bag":
        return size * BITS
    if form == "path":
        return MAX_STOPS * bits_of(size)
    return size * size.bit_length() if form == "order" else 1


def columns_of(q: ir.Param, sizes: dict[str, int]) -> int:
    """The number of columns for an argument."""
    return -(-value_bits(q.type, sizes) // _WORD)


class Columns:
    """The columns of the arguments of an option.

    Args:
        c: the option.
        sizes: kind → number of entities.

    Attributes:
        widths: the number of columns of each argument.
        firsts: the first column of each argument; columns 0 and 1 hold the option and the seat.
        end: the total number of columns, including those two.
    """

    __slots__ = ("_plain", "_signed", "end", "firsts", "widths")

    def __init__(self, c: ir.Choice, sizes: dict[str, int]) -> None:
        self.widths = tuple([columns_of(q, sizes) for q in c.params])
        self._signed = tuple([not q.is_composite for q in c.params])
        self._plain = all(self._signed)
        firsts = [2]
        for width in self.widths:
            firsts.append(firsts[-1] + width)
        *self.firsts, self.end = firsts

    def arguments(self, row: Sequence[int]) -> tuple[int, ...]:
        """The arguments encoded in a row that starts with the option and the seat."""
        if self._plain:
            return tuple(row[2 : self.end])
        results = []
        for first, width, signed in zip(self.firsts, self.widths, self._signed, strict=True):
            if signed:
                results.append(row[first])
            else:
                results.append(sum((row[first + k] & _ALL) << _WORD * k for k in range(width)))
        return tuple(results)

    def columns(self, args: Sequence[int]) -> list[int]:
        """The columns that encode arguments, without the option and the seat.

        Raises:
            OverflowError: if a set, bag or path has more bits than its kind allows.
        """
        if self._plain:
            return list(args)
        results: list[int] = []
        for value, width, signed in zip(args, self.widths, self._signed, strict=True):
            if signed:
                results.append(value)
                continue
            if not 0 <= value < 1 << _WORD * width:
                raise OverflowError
            words = [value >> _WORD * k & _ALL for k in range(width)]
            results += [word - (1 << _WORD) if word >> _WORD - 1 else word for word in words]
        return results


def option_columns(p: ir.Program) -> list[Columns]:
    """The column layouts of all options of a program, decision by decision."""
    return [Columns(c, p.sizes) for d in p.decisions for c in d.choices]
