"""Random expressions and statements with keys, and of what ways cost."""

from __future__ import annotations

from typing import Protocol

Scope = dict[str, str]


class Writer(Protocol):
    """What the writer of random programs gives its parts."""

    def number(self, below: int) -> int: ...

    def pick(self, *choices: str) -> str: ...

    def fresh(self) -> str: ...

    def expr(self, type_: str, scope: Scope, depth: int) -> str: ...

    def each(self, scope: Scope, d: int, *, order: bool = False) -> tuple[str, Scope]: ...


def by_keys(w: Writer, scope: Scope, d: int, *, order: bool = False) -> tuple[str, Scope]:
    """A binder with keys behind it."""
    binder, inner = w.each(scope, d, order=order)
    keys = [w.pick("", "-") + w.expr(w.pick("int", "bool", "town", "town?"), inner, d) for _ in range(1 + w.number(2))]
    return f"{binder} by {', '.join(keys)}", inner


def ways(w: Writer, scope: Scope, d: int, form: str) -> str:
    """What can be reached within a number, or the least number to somewhere; some steps cost less than nothing."""
    at, to = w.fresh(), w.fresh()
    here = {**scope, at: "town"}
    there, step = {**scope, to: "town"}, {**here, to: "town"}
    near = f"{to} in {w.pick(f'{at}.near', w.expr('set town', here, d))}"
    near += f" where {w.expr('bool', step, d)}" if w.number(3) == 0 else ""
    cost = w.pick(f"{to}.tax", f"abs({w.expr('int', step, d)})", f"abs({w.expr('int', step, d)})", f"{to}.tax - 4")
    way = f"{at} from {w.expr('set town', scope, d)} to {near} costs {cost}"
    if form == "reach":
        return f"reach({way} within {w.expr('int', scope, d)})"
    return f"cheapest({way} until {w.expr('bool', there, d)}, else {w.expr('int', scope, d)})"
