"""Records of the built-in functions of the rules language.

The checker, reserved words, suggestions, editors, the reference and random programs use these records.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from rulespec.types import ANY, BAD, INT, LITERAL, Ent, Order, SetOf, Type, unify

NUMBER = "number"
"""A number; all numbers with a unit in one call have the same unit."""
SET = "set"
"""A set, or the members of an order."""
MEMBERS = "set of a kind"
"""A set of a known kind, which excludes `{}`."""
ENTITY = "entity"
"""An entity, excluding none."""
PLACE = "place"
"""A place of tokens or pieces, or a capacity."""


class Parameter(Struct, frozen=True):
    """A parameter: its name in messages and signatures, and the form of its arguments."""

    name: str
    takes: str


class Builtin(Struct, frozen=True):
    """A built-in function.

    Attributes:
        name: its name in rules.
        parameters: the parameters.
        result: the function from the types of its arguments to the type of its value.
        help: its description, as the rest of a sentence that starts with its name.
        operator: its operator; "" if calls of the function have their own node class.
        any_number: whether the last parameter may be repeated.
        of_order: its operator for an order, if it differs from the operator for sets.
        of_bag: its operator for a bag.
        of_path: its operator for a path.
        reserved: whether its name is reserved; otherwise a ruleset's definition takes precedence.
    """

    name: str
    parameters: tuple[Parameter, ...]
    result: Callable[..., Type]
    help: str
    operator: str = ""
    any_number: bool = False
    of_order: str = ""
    of_bag: str = ""
    of_path: str = ""
    reserved: bool = False

    def takes(self, arguments: int) -> bool:
        """Whether a call may have this number of arguments."""
        least = len(self.parameters)
        return arguments >= least if self.any_number else arguments == least

    def parameter(self, number: int) -> Parameter:
        """The parameter for an argument, given the argument's index from 0."""
        return self.parameters[min(number, len(self.parameters) - 1)]

    @property
    def signature(self) -> str:
        """The name and the parameters, such as `abs(a)`."""
        return f"{self.name}({', '.join(self.written)})"

    @property
    def written(self) -> tuple[str, ...]:
        """The parameter names, followed by "…" if the last one may be repeated."""
        names = tuple(each.name for each in self.parameters)
        return (*names, "…") if self.any_number else names


def unit(*numbers: Type) -> Type:
    """The type of a number whose unit is the common unit of all arguments."""
    result: Type = LITERAL
    for each in numbers:
        result = unify(result, each) or BAD
    return result


def plain(*_: Type) -> Type:
    """The type of a number without a unit."""
    return INT


def member(of: Type) -> Type:
    """The type of a member of a set or an order."""
    return Ent(of.kind) if isinstance(of, SetOf | Order) and of.kind != ANY else BAD


def perhaps(of: Type) -> Type:
    """The type of an optional member of a set or an order."""
    return Ent(of.kind, True) if isinstance(of, SetOf | Order) and of.kind != ANY else BAD


def alike(of: Type) -> Type:
    """The type of the argument itself."""
    return of


_NUMBER, _SET, _ENTITY = Parameter("a", NUMBER), Parameter("s", MEMBERS), Parameter("e", ENTITY)

_ALL = (
    Builtin("min", (_NUMBER,), unit, "gives the least of its arguments", "min", any_number=True, reserved=True),
    Builtin("max", (_NUMBER,), unit, "gives the greatest of its arguments", "max", any_number=True, reserved=True),
    Builtin("abs", (_NUMBER,), unit, "gives the absolute value of a number", "abs", reserved=True),
    Builtin(
        *("count", (Parameter("s", SET),), plain, "counts a set", "count"),
        of_bag="total",
        of_path="length",
        reserved=True,
    ),
    Builtin("the", (_SET,), member, "gives the only member of a set", "the", reserved=True),
    Builtin(
        *("first", (_SET,), perhaps, "gives the first member of a set", "first"),
        of_order="front",
        of_path="first stop",
        reserved=True,
    ),
    Builtin(
        *("last", (_SET,), perhaps, "gives the last member of a set", "last"),
        of_order="rear",
        of_path="last stop",
    ),
    Builtin("next", (_ENTITY,), alike, "gives the next entity of the kind, cyclic", "next", reserved=True),
    Builtin("previous", (_ENTITY,), alike, "gives the entity of the kind before it, cyclic", "previous"),
    Builtin("room", (Parameter("place", PLACE),), plain, "gives the room left in a place", reserved=True),
)

BUILTINS = {each.name: each for each in _ALL}
"""The record of each built-in function by name."""
