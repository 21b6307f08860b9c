"""Types of the rules language: numbers with units, truth values, entities, optional entities, sets, orders,
bags and paths.
"""

from __future__ import annotations

from msgspec import Struct

ANY = "*"
"""The unit of a bare number, which adopts the other operand's unit; the kind of `none` and `{}`."""


MAX_NUMBER = 10**15
"""The maximum absolute value of numbers stored by the rules."""


FAST_MEMBERS = 1_024
"""Maximum number of members of a kind whose sets are fast in wasm: 16 words of 64 bits."""


RETURNED = "returned"
"""The name of the ending when the start procedure returns; no `end game` may use it."""


NO_NUMBER = -MAX_NUMBER - 1
"""The representation of none in optional numbers, outside the range of stored numbers."""


MAX_STEPS = 5_000_000
"""Maximum number of steps between two decisions: expressions evaluated, blocks entered and cells cleared, as counted by
the interpreter.

The checker bounds each loop, but the bounds multiply. The longest run in a shipped game takes some 25,000 steps.
"""
MAX_DEPTH = 100
"""Maximum number of nested calls of one procedure."""
MAX_ONCE_STEPS = 100_000
"""Maximum number of steps of a procedure called by `once`."""


class Num(Struct, frozen=True):
    """The type of integers; `unit` is "" for a plain count."""

    unit: str = ""

    def __str__(self) -> str:
        return self.unit if self.unit not in ("", ANY) else "int"


class Maybe(Struct, frozen=True):
    """The type of optional numbers, which must be checked before arithmetic."""

    unit: str = ""

    def __str__(self) -> str:
        return f"{Num(self.unit)}?"


class Bool(Struct, frozen=True):
    """The type of truth values."""

    def __str__(self) -> str:
        return "bool"


class Ent(Struct, frozen=True):
    """The type of entities of a kind; an optional entity may be none, and must be checked before use."""

    kind: str
    optional: bool = False

    def __str__(self) -> str:
        if self.kind == ANY:
            return "none"
        return f"{self.kind}?" if self.optional else self.kind


class SetOf(Struct, frozen=True):
    """The type of sets of entities of one kind."""

    kind: str

    def __str__(self) -> str:
        return "an empty set" if self.kind == ANY else f"set {self.kind}"


class Order(Struct, frozen=True):
    """The type of orders: sequences of entities of one kind without repetition."""

    kind: str

    def __str__(self) -> str:
        return f"order {self.kind}"


class BagOf(Struct, frozen=True):
    """The type of bags: for each entity of one kind, a number of identical pieces."""

    kind: str

    def __str__(self) -> str:
        return f"bag {self.kind}"


class PathOf(Struct, frozen=True):
    """The type of paths: sequences of entities of one kind connected by steps."""

    kind: str

    def __str__(self) -> str:
        return f"path {self.kind}"


class Bad(Struct, frozen=True):
    """The type of an expression with a reported error. It is compatible with every type, to avoid follow-up errors."""

    def __str__(self) -> str:
        return "unknown"


Type = Num | Maybe | Bool | Ent | SetOf | Order | BagOf | PathOf | Bad

INT = Num("")
LITERAL = Num(ANY)
BOOL = Bool()
BAD = Bad()


def may_be_none(type_: Type) -> bool:
    """Whether values of the type may be none."""
    return isinstance(type_, Maybe) or (isinstance(type_, Ent) and type_.optional)


def none_of(type_: Type) -> int:
    """The number that represents none among the values of a type."""
    return NO_NUMBER if isinstance(type_, Num | Maybe) else -1


def never_none(type_: Type) -> Type:
    """The non-optional form of a type."""
    if isinstance(type_, Maybe):
        return Num(type_.unit)
    return Ent(type_.kind) if isinstance(type_, Ent) else type_


def or_none(type_: Type) -> Type:
    """The optional form of a type; a type without an optional form is unchanged."""
    if isinstance(type_, Num):
        return Maybe(type_.unit)
    return Ent(type_.kind, True) if isinstance(type_, Ent) else type_


def settled(type_: Type) -> Type:
    """The type; a number type whose unit is still open becomes that of plain numbers."""
    return type(type_)() if isinstance(type_, Num | Maybe) and type_.unit == ANY else type_


def unify(a: Type, b: Type) -> Type | None:
    """The common type of two operands or branches; None if there is none."""
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
    """Whether a value of type `value` is allowed where `target` is required."""
    common = unify(target, value)
    if common is None:
        return False
    return may_be_none(target) or not may_be_none(value) or BAD in (target, value)
