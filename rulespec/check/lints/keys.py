"""Keys: canonical representations of expressions. Equal keys imply equal values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from rulespec.typed import nodes as typed

Key = tuple[object, ...] | None
"""The key of an expression: expressions with equal keys have equal values at the same moment. None if the value is
unknown."""

UNKNOWN: Key = ("?",)
"""The key of an unknown value."""

Keys = Mapping[Key, Key]
"""A substitution of keys, from this scope to another one."""


class Knowledge(Protocol):
    """The facts known at a place in the rules."""

    def holds(self, condition: Key) -> bool:
        """Whether a condition is known to be true."""

    def value(self, key: Key) -> Key:
        """The key of an expression's value if the value is known, otherwise the expression's own key."""


def key_of(e: typed.Expr, same: Mapping[typed.Var, Key]) -> Key:
    """The key of an expression, given the keys of aliased variables."""
    if isinstance(e, typed.Local):
        return same.get(e.var) or ("var", e.var)
    if isinstance(e, typed.Lit):
        return ("lit", e.type, e.value)
    if isinstance(e, typed.Field):
        return ("field", e.decl) if e.owner is None else _composite("field", e.decl, [key_of(e.owner, same)])
    if isinstance(e, typed.Fact):
        return _fact(e.decl.name, key_of(e.owner, same))
    if isinstance(e, typed.ProductEntity):
        return _composite("product", e.kind, [key_of(part, same) for part in e.parts])
    if isinstance(e, typed.Call):
        return _composite("call", e.definition, [key_of(arg, same) for arg in e.args])
    if isinstance(e, typed.Op):
        return _composite("op", e.op, [key_of(arg, same) for arg in e.args])
    return None


def _composite(word: str, of: object, keys: list[Key]) -> Key:
    return (word, of, *keys) if None not in keys else None


def _fact(name: str, owner: Key) -> Key:
    """The key of a fact; for a product, the key of the corresponding part."""
    if owner is not None and owner[0] == "product":
        kind = owner[1]
        assert isinstance(kind, typed.Kind)
        if name in kind.product:
            part = owner[2 + kind.product.index(name)]
            assert isinstance(part, tuple)
            return part
    return ("fact", name, owner) if owner is not None else None


def moved(key: Key, keys: Keys, gone: Iterable[typed.Var] | None = None) -> Key:
    """The key translated to another scope, with variables replaced by their values; None if one is unknown.

    `gone` are the variables that do not exist there; None means all except those in `keys`.
    """
    if key is None or key in keys:
        return keys.get(key)
    if key[0] == "var":
        return key if gone is not None and all(key[1] is not var for var in gone) else None
    if key[0] == "fact":
        owner = key[2]
        assert owner is None or isinstance(owner, tuple)
        return _fact(str(key[1]), moved(owner, keys, gone))
    results = [moved(part, keys, gone) if isinstance(part, tuple) else part for part in key[1:]]
    return (key[0], *results) if None not in results else None
