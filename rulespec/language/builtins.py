"""The built-in functions of the rules language, one record each.

The checker, reserved words, suggestions, editors, the reference and random programs use these records.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from rulespec.types import ANY, BAD, INT, LITERAL, Ent, Order, SetOf, Type, unify

NUMBER = "number"
"""A number; all numbers of a call have one unit, where they have any."""
SET = "set"
"""A set, or the members of an order."""
MEMBERS = "set of a kind"
"""A set whose kind is known: not `{}`."""
ENTITY = "entity"
"""An entity, and not none."""
PLACE = "place"
"""A place of tokens or pieces, or a capacity."""


class Parameter(Struct, frozen=True):
    """A parameter: its name in texts, and its allowed arguments."""

    name: str
    takes: str


class Builtin(Struct, frozen=True):
    """A built-in function.

    Attributes:
        name: its name in rules.
        parameters: the parameters.
        result: the type of its value, from the types of its arguments.
        help: its effect, as the end of a sentence that starts with its name.
        operator: its operator; "" for a separate form.
        any_number: whether the last parameter may be repeated.
        of_order: its operator for an order, if different from the one for sets.
        of_bag: its operator for a bag.
        of_path: its operator for a path.
        reserved: whether definitions may not have its name; otherwise a ruleset's definition takes precedence.
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
        """Whether it accepts this number of arguments."""
        least = len(self.parameters)
        return arguments >= least if self.any_number else arguments == least

    def parameter(self, number: int) -> Parameter:
        """The parameter for an argument, by its number from 0."""
        return self.parameters[min(number, len(self.parameters) - 1)]

    @property
    def signature(self) -> str:
        """The name and the parameters, such as `abs(a)`."""
        return f"{self.name}({', '.join(self.written)})"

    @property
    def written(self) -> tuple[str, ...]:
        """The parameters as in the signature."""
        names = tuple(each.name for each in self.parameters)
        return (*names, "…") if self.any_number else names


def unit(*numbers: Type) -> Type:
    """A number with the unit common to all arguments."""
    result: Type = LITERAL
    for each in numbers:
        result = unify(result, each) or BAD
    return result


def plain(*_: Type) -> Type:
    """A number without a unit."""
    return INT


def member(of: Type) -> Type:
    """An entity of a set or an order."""
    return Ent(of.kind) if isinstance(of, SetOf | Order) and of.kind != ANY else BAD


def perhaps(of: Type) -> Type:
    """An entity of a set or an order, optional unless that is known to have members."""
    return Ent(of.kind, True) if isinstance(of, SetOf | Order) and of.kind != ANY else BAD


def alike(of: Type) -> Type:
    """An entity of the same kind."""
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
"""Name of a built-in function → its record."""
