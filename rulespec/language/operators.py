"""The operators of programs, one record each: operands, meaning, faults, and bounds of its value.

The checker, the interpreter, constant folding, the well-formedness check and both generators use these records. A
generator's code for an operator is in its own table; without an entry there, it calls the meaning, a function of
`arithmetic`.

Truth values are 0 and 1, an entity is its index, none is -1, a set is a bit mask; for orders see `orders`, for bags
`bags`. The number for none is `NO_NUMBER`.
"""

from __future__ import annotations

import operator
from bisect import bisect_left
from collections.abc import Callable

from msgspec import Struct

from rulespec.language import arithmetic, bags, intervals, orders, paths
from rulespec.language.intervals import Interval
from rulespec.types import MAX_NUMBER


class Fault(Struct, frozen=True):
    """A fault of the rules instead of a value.

    Attributes:
        message: the text of the fault.
        operands: the indices of the operands that determine the fault.
        when: whether there is a fault, given these operands.
        names: whether the first of them is a set whose members are reported.
    """

    message: str
    operands: tuple[int, ...]
    when: Callable[..., bool]
    names: bool = False


class Operator(Struct, frozen=True):
    """An operator on integers.

    Attributes:
        name: its name in programs.
        operands: the exact or minimum number of operands.
        meaning: its value, given its operands.
        interval: the interval of its value from those of its operands, for numbers and truth values.
        members: the maximum size of its value from those of its operands, if all are sets.
        fault: the case without a value.
        any_number: whether there may be more operands.
        chooses: whether its value is one of its operands.
        turned: the operator for its negation.
        of_none: the variant for an optional first operand, if this one has no value for none.
    """

    name: str
    operands: int
    meaning: Callable[..., int]
    interval: Callable[..., Interval] | None = None
    members: Callable[..., int] | None = None
    fault: Fault | None = None
    any_number: bool = False
    chooses: bool = False
    turned: str = ""
    of_none: str = ""

    def takes(self, operands: int) -> bool:
        """Whether it accepts this number of operands."""
        return operands >= self.operands if self.any_number else operands == self.operands


def _pick(mask: int, start: int) -> int:
    """The first member of a set from `start` on, cyclic; -1 if there is none."""
    if not mask:
        return -1
    chosen = mask >> start << start or mask
    return (chosen & -chosen).bit_length() - 1


def _until(mask: int, stops: int, rising: int) -> int:
    """The members of a set up to and with the first one that is a stop, from low to high or from high to low."""
    met = mask & stops
    if rising:
        return mask & (met ^ met - 1)
    low = (met | 1).bit_length() - 1
    return mask >> low << low


def _moved(mask: int, by: int, within: int) -> int:
    """The members of a set, each moved by a distance, that are in another set."""
    return (mask << by if by >= 0 else mask >> -by) & within


def _comparison(name: str, meaning: Callable[[int, int], bool], turned: str) -> Operator:
    return Operator(name, 2, lambda a, b: int(meaning(a, b)), intervals.truth, turned=turned)


_DIVISION = Fault("this divides by zero", (1,), lambda b: b == 0)
_PRODUCT = Fault("this product has more than 15 digits", (0, 1), lambda a, b: abs(a * b) > MAX_NUMBER)
_TOO_LARGE = Fault("this number has more than 15 digits", (0,), lambda a: abs(a) > MAX_NUMBER)
NOT_ONE = Fault("there must be exactly one", (0,), lambda mask: mask.bit_count() != 1, names=True)

_NUMBERS = (
    Operator("neg", 1, operator.neg, intervals.negated),
    Operator("+", 2, operator.add, intervals.total),
    Operator("-", 2, operator.sub, intervals.difference),
    Operator("*", 2, operator.mul, intervals.product),  # a product that cannot grow too large
    Operator("mul", 2, operator.mul, intervals.bounded, fault=_PRODUCT),
    Operator("fit", 1, operator.pos, intervals.bounded, fault=_TOO_LARGE),
    Operator("/", 2, operator.floordiv, intervals.quotient, fault=_DIVISION),  # rounds down
    Operator("%", 2, operator.mod, intervals.remainder, fault=_DIVISION),
    Operator("flip", 1, arithmetic.flip, intervals.mirrored),
    Operator("min", 2, min, intervals.least, any_number=True, chooses=True),
    Operator("max", 2, max, intervals.greatest, any_number=True, chooses=True),
    Operator("abs", 1, abs, intervals.absolute),
    # A number, then numbers that grow: how many of them are below the first.
    Operator("passed", 1, lambda a, *ends: bisect_left(ends, a), intervals.count, any_number=True),
)
_TRUTHS = (
    Operator("not", 1, lambda a: 1 - a, intervals.truth),
    _comparison("==", operator.eq, "!="),
    _comparison("!=", operator.ne, "=="),
    _comparison("<", operator.lt, ">="),
    _comparison("<=", operator.le, ">"),
    _comparison(">", operator.gt, "<="),
    _comparison(">=", operator.ge, "<"),
    # Of a member and a set; with `in?` the member may be none.
    Operator("in", 2, lambda a, b: b >> a & 1, intervals.truth, of_none="in?"),
    Operator("in?", 2, lambda a, b: b >> a & 1 if a >= 0 else 0, intervals.truth),
)
_SETS = (
    # `bit` is the set of one member; `one` is, too, or of none the empty set.
    Operator("|", 2, operator.or_, members=operator.add),
    Operator("&", 2, operator.and_, members=min),
    Operator("diff", 2, lambda a, b: a & ~b, members=lambda a, _: a),
    Operator("bit", 1, lambda a: 1 << a, members=lambda _: 1, of_none="one"),
    Operator("one", 1, lambda a: 1 << a if a >= 0 else 0, members=lambda _: 1),
    Operator("count", 1, int.bit_count, intervals.count),
    Operator("the", 1, lambda a: a.bit_length() - 1, fault=NOT_ONE),
    Operator("pick", 2, _pick),
    Operator("next", 2, lambda a, b: (a + 1) % b),  # of an index, and the size of the kind
    Operator("until", 3, _until, members=lambda a, *_: a),
    Operator("moved", 3, _moved, members=lambda a, _, within: min(a, within)),
)
_ORDERS = (  # the bits of a member are the last operand; `behind` is the order without its first member
    Operator("members", 2, orders.members_of),
    Operator("append", 3, orders.append),
    Operator("without", 3, orders.without),
    Operator("place", 3, orders.place),
    Operator("front", 2, orders.front),
    Operator("behind", 2, operator.rshift),
)
_BAGS = (  # the size of the kind is the last operand of `lot` and of `entities`
    Operator("lot", 3, bags.lot),
    Operator("amount", 2, bags.amount, lambda *_: Interval(0, bags.MOST)),
    Operator("total", 1, bags.total, lambda *_: Interval(0, MAX_NUMBER)),
    Operator("entities", 2, bags.entities),
)

_PATHS = (  # the size of the kind is the last operand
    Operator("stop", 3, paths.stop),
    Operator("stops", 2, paths.places),
)

OPERATORS = {each.name: each for each in (*_NUMBERS, *_TRUTHS, *_SETS, *_ORDERS, *_BAGS, *_PATHS)}
"""Name of an operator → its record."""
COMPARISONS = frozenset(each.name for each in _TRUTHS if each.turned)
"""The operators that compare two values."""
