"""Types of the rules language: numbers with units, truth values, entities, optional entities, sets and orders."""

from __future__ import annotations

from msgspec import Struct

ANY = "*"
"""Unit of a bare number, which takes that of its neighbour; kind of `none` and `{}`."""


MAX_NUMBER = 10**15
"""The largest number, and minus the least one, of all that the rules keep."""


RETURNED = "returned"
"""The ending of a game whose start procedure returns; no `end game` has this name."""
MAX_ONCE_STEPS = 100_000
"""The most steps of a procedure that `once` runs."""


class Num(Struct, frozen=True):
    """A whole number; `unit` is "" for a plain count."""

    unit: str = ""

    def __str__(self) -> str:
        return self.unit if self.unit not in ("", ANY) else "int"


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
    """Entities of one kind in an order, each once at most."""

    kind: str

    def __str__(self) -> str:
        return f"order {self.kind}"


class Bad(Struct, frozen=True):
    """The type of an expression that has been reported. It fits every type, so that no further errors follow."""

    def __str__(self) -> str:
        return "unknown"


Type = Num | Bool | Ent | SetOf | Order | Bad

INT = Num("")
LITERAL = Num(ANY)
BOOL = Bool()
BAD = Bad()


def unify(a: Type, b: Type) -> Type | None:
    """Common type of two operands or branches; None if they have none."""
    if isinstance(a, Bad):
        return b
    if isinstance(b, Bad) or a == b:
        return a
    if isinstance(a, Num) and isinstance(b, Num):
        if a.unit == ANY:
            return b
        return a if b.unit == ANY else None
    if isinstance(a, Ent) and isinstance(b, Ent):
        if ANY in (a.kind, b.kind) or a.kind == b.kind:
            return Ent(b.kind if a.kind == ANY else a.kind, a.optional or b.optional)
        return None
    if isinstance(a, SetOf) and isinstance(b, SetOf) and ANY in (a.kind, b.kind):
        return b if a.kind == ANY else a
    return None


def accepts(target: Type, value: Type) -> bool:
    """Whether a value of the second type may stand where the first is required."""
    common = unify(target, value)
    if common is None:
        return False
    if isinstance(target, Ent) and isinstance(value, Ent):
        return target.optional or not value.optional
    return True
