"""Random expressions and statements with keys."""

from __future__ import annotations

from typing import Protocol

Scope = dict[str, str]


class Writer(Protocol):
    """What the writer of random programs gives its parts."""

    def number(self, below: int) -> int: ...

    def pick(self, *choices: str) -> str: ...

    def expr(self, type_: str, scope: Scope, depth: int) -> str: ...

    def each(self, scope: Scope, d: int, *, order: bool = False) -> tuple[str, Scope]: ...


def by_keys(w: Writer, scope: Scope, d: int, *, order: bool = False) -> tuple[str, Scope]:
    """A binder with keys behind it."""
    binder, inner = w.each(scope, d, order=order)
    keys = [w.pick("", "-") + w.expr(w.pick("int", "bool", "town", "town?"), inner, d) for _ in range(1 + w.number(2))]
    return f"{binder} by {', '.join(keys)}", inner
