"""Types of the rules language: numbers with units, truth values, entities, optional entities, sets, orders,
bags and paths.
"""

from __future__ import annotations

from msgspec import Struct

ANY = "*"
"""Unit of a bare number, which takes that of its neighbour; kind of `none` and `{}`."""


MAX_NUMBER = 10**15
"""The largest number, and minus the least one, of all numbers stored by the rules."""


FAST_MEMBERS = 1_024
"""The most members of a kind whose sets are quick in wasm: 16 words of 64 bits."""


RETURNED = "returned"
"""The ending of a game whose start procedure returns; no `end game` has this name."""


NO_NUMBER = -MAX_NUMBER - 1
"""The stand-in for none where a number may be none: no number that the rules keep."""


MAX_STEPS = 5_000_000
"""Steps between two decisions: expressions evaluated, blocks entered, cells cleared, as the interpreter counts them.

The checker bounds each loop, but the bounds multiply. The longest way of a shipped game takes some 25,000 steps.
"""
MAX_DEPTH = 100
"""The most calls of one procedure that may be under way at once."""
MAX_ONCE_STEPS = 100_000
"""The most steps of a procedure that `once` runs."""


class Num(Struct, frozen=True):
    """An integer; `unit` is "" for a plain count."""

    unit: str = ""

    def __str__(self) -> str:
        return self.unit if self.unit not in ("", ANY) else "int"


class Maybe(Struct, frozen=True):
    """An optional number, which must be checked before arithmetic."""

    unit: str = ""

    def __str__(self) -> str:
        return f"{Num(self.unit)}?"


class Bool(Struct, frozen=True):
    """A truth value."""

    def __str__(self) -> str:
        return "bool"


class Ent(Struct, frozen=True):
    """An entity of a kind; an optional one may be none and must be checked before use."""

    kind: str
    optional: bool = False

    def __str__(self) -> str:
        if self.kind == ANY:
            return "none"
        return f"{self.kind}?" if self.optional else self.kind


class SetOf(Struct, frozen=True):
    """A set of entities of one kind."""

    kind: str

    def __str__(self) -> str:
        return "an empty set" if self.kind == ANY else f"set {self.kind}"


class Order(Struct, frozen=True):
    """A sequence of entities of one kind without repetition."""

    kind: str

    def __str__(self) -> str:
        return f"order {self.kind}"


class BagOf(Struct, frozen=True):
    """Counts of alike pieces for the entities of one kind."""

    kind: str

    def __str__(self) -> str:
        return f"bag {self.kind}"


class PathOf(Struct, frozen=True):
    """A sequence of entities of one kind, connected by steps."""

    kind: str

    def __str__(self) -> str:
        return f"path {self.kind}"


class Bad(Struct, frozen=True):
    """The type of an expression with a reported error. It fits every type, to avoid follow-up errors."""

    def __str__(self) -> str:
        return "unknown"


Type = Num | Maybe | Bool | Ent | SetOf | Order | BagOf | PathOf | Bad

INT = Num("")
LITERAL = Num(ANY)
BOOL = Bool()
BAD = Bad()


def may_be_none(type_: Type) -> bool:
    """Whether a value of the type may be none."""
    return isinstance(type_, Maybe) or (isinstance(type_, Ent) and type_.optional)


def none_of(type_: Type) -> int:
    """The representation of none among the values of a type."""
    return NO_NUMBER if isinstance(type_, Num | Maybe) else -1


def never_none(type_: Type) -> Type:
    """The non-optional form of a type."""
    if isinstance(type_, Maybe):
        return Num(type_.unit)
    return Ent(type_.kind) if isinstance(type_, Ent) else type_


def or_none(type_: Type) -> Type:
    """The type with none as an additional value."""
    if isinstance(type_, Num):
        return Maybe(type_.unit)
    return Ent(type_.kind, True) if isinstance(type_, Ent) else type_


def settled(type_: Type) -> Type:
    """The type, as a plain number if its unit is open."""
    return type(type_)() if isinstance(type_, Num | Maybe) and type_.unit == ANY else type_


def unify(a: Type, b: Type) -> Type | None:
    """Common type of two operands or branches, or None."""
    if isinstance(a, Bad):
        return b
    if isinstance(b, Bad) or a == b:
        return a
    if isinstance(a, Num | Maybe) and isinstance(b, Num | Maybe):
        if ANY not in (a.unit, b.unit) and a.unit != b.unit:
            return None
        unit = b.unit if a.unit == ANY else a.unit
        return Maybe(unit) if isinstance(a, Maybe) or isinstance(b, Maybe) else Num(unit)
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Num | Maybe) and other == Ent(ANY, True):
            return Maybe(one.unit)
    if isinstance(a, Ent) and isinstance(b, Ent):
        if ANY in (a.kind, b.kind) or a.kind == b.kind:
            return Ent(b.kind if a.kind == ANY else a.kind, a.optional or b.optional)
        return None
    if isinstance(a, SetOf) and isinstance(b, SetOf) and ANY in (a.kind, b.kind):
        return b if a.kind == ANY else a
    return None


def accepts(target: Type, value: Type) -> bool:
    """Whether a value of the second type is allowed where the first is required."""
    common = unify(target, value)
    if common is None:
        return False
    return may_be_none(target) or not may_be_none(value) or BAD in (target, value)
