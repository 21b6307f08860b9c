"""Records of the operators of programs: operands, meaning, fault, and bounds of the value.

The checker, the interpreter, constant folding, the well-formedness check and both generators use these records. Each
generator has its own table with the code of each operator; an operator without an entry becomes a call of its meaning,
a function in `arithmetic`.

Truth values are 0 and 1, an entity is its index, none is -1, a set is a bit mask; `orders` and `bags` define the other
encodings. For an optional number, none is `NO_NUMBER`.
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
    """The condition under which an operator has no value and the rules fail.

    Attributes:
        message: the message of the fault.
        operands: the indices of the operands that determine the fault.
        when: the function that decides, given these operands, whether there is a fault.
        names: whether the first of these operands is a set whose members the message lists.
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
        meaning: the function from its operands to its value.
        interval: the function from its operands' intervals to its value's interval, for numbers and truth values.
        members: the function from its operands' maximum sizes to its value's maximum size, if all of them are sets.
        fault: the condition under which it has no value.
        any_number: whether further operands are allowed.
        chooses: whether its value is one of its operands.
        turned: the name of the operator with the negated value.
        of_none: the name of the variant for an optional first operand, if this operator has no value for none.
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
        """Whether the operator accepts this number of operands."""
        return operands >= self.operands if self.any_number else operands == self.operands


def _pick(mask: int, start: int) -> int:
    """The first member of a set from `start` on, cyclically; -1 if the set is empty."""
    if not mask:
        return -1
    chosen = mask >> start << start or mask
    return (chosen & -chosen).bit_length() - 1


def _until(mask: int, stops: int, rising: int) -> int:
    """The members of a set up to and including the first stop, in ascending or descending order."""
    met = mask & stops
    if rising:
        return mask & (met ^ met - 1)
    low = (met | 1).bit_length() - 1
    return mask >> low << low


def _moved(mask: int, by: int, within: int) -> int:
    """The members of a set shifted by a distance, restricted to another set."""
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
    Operator("*", 2, operator.mul, intervals.product),  # a product that cannot overflow
    Operator("mul", 2, operator.mul, intervals.bounded, fault=_PRODUCT),
    Operator("fit", 1, operator.pos, intervals.bounded, fault=_TOO_LARGE),
    Operator("/", 2, operator.floordiv, intervals.quotient, fault=_DIVISION),  # rounds down
    Operator("%", 2, operator.mod, intervals.remainder, fault=_DIVISION),
    Operator("flip", 1, arithmetic.flip, intervals.mirrored),
    Operator("min", 2, min, intervals.least, any_number=True, chooses=True),
    Operator("max", 2, max, intervals.greatest, any_number=True, chooses=True),
    Operator("abs", 1, abs, intervals.absolute),
    # The number of thresholds, in ascending order, below the first operand.
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
    # The operands are a member and a set; with `in?` the member may be none.
    Operator("in", 2, lambda a, b: b >> a & 1, intervals.truth, of_none="in?"),
    Operator("in?", 2, lambda a, b: b >> a & 1 if a >= 0 else 0, intervals.truth),
)
_SETS = (
    # `bit` is the set of one member; so is `one`, but the empty set for none.
    Operator("|", 2, operator.or_, members=operator.add),
    Operator("&", 2, operator.and_, members=min),
    Operator("diff", 2, lambda a, b: a & ~b, members=lambda a, _: a),
    Operator("bit", 1, lambda a: 1 << a, members=lambda _: 1, of_none="one"),
    Operator("one", 1, lambda a: 1 << a if a >= 0 else 0, members=lambda _: 1),
    Operator("count", 1, int.bit_count, intervals.count),
    Operator("the", 1, lambda a: a.bit_length() - 1, fault=NOT_ONE),
    Operator("pick", 2, _pick),
    Operator("next", 2, lambda a, b: (a + 1) % b),  # the operands are an index and the size of the kind
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
"""The record of each operator by name."""
COMPARISONS = frozenset(each.name for each in _TRUTHS if each.turned)
"""The comparison operators."""
