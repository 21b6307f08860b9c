"""Random expressions and statements with keys, and with costs of paths."""

from __future__ import annotations

from typing import Protocol

Scope = dict[str, str]


class Writer(Protocol):
    """The interface of the writer of random programs."""

    def number(self, below: int) -> int: ...

    def pick(self, *choices: str) -> str: ...

    def fresh(self) -> str: ...

    def expr(self, type_: str, scope: Scope, depth: int) -> str: ...

    def each(self, scope: Scope, d: int, *, order: bool = False) -> tuple[str, Scope]: ...


def by_keys(w: Writer, scope: Scope, d: int, *, order: bool = False) -> tuple[str, Scope]:
    """A binder with sort keys."""
    binder, inner = w.each(scope, d, order=order)
    keys = [
        w.pick("", "-") + w.expr(w.pick("int", "bool", "town", "town?", "int?"), inner, d)
        for _ in range(1 + w.number(2))
    ]
    return f"{binder} by {', '.join(keys)}", inner


def ways(w: Writer, scope: Scope, d: int, form: str) -> str:
    """An expression for reachability within a bound, or for a least cost; some steps have a negative cost.

    `form` is "reach", "cheapest", or "cheapest?" for an optional result.
    """
    at, to = w.fresh(), w.fresh()
    place = {**scope, at: "town"}
    there, step = {**scope, to: "town"}, {**place, to: "town"}
    near = f"{to} in {w.pick(f'{at}.near', w.expr('set town', place, d))}"
    near += f" where {w.expr('bool', step, d)}" if w.number(3) == 0 else ""
    cost = w.pick(f"{to}.tax", f"abs({w.expr('int', step, d)})", f"abs({w.expr('int', step, d)})", f"{to}.tax - 4")
    way = f"{at} from {w.expr('set town', scope, d)} to {near} costs {cost}"
    if form == "reach":
        return f"reach({way} within {w.expr('int', scope, d)})"
    other = f", else {w.expr('int', scope, d)}" if form == "cheapest" else ""
    return f"cheapest({way} until {w.expr('bool', there, d)}{other})"


def order(w: Writer, scope: Scope, d: int) -> str:
    """An expression for an order, where one is required."""
    known = [name for name, type_ in scope.items() if type_ == "order town"]
    form = w.number(4)
    if form == 0 or d <= 0:
        return w.pick("queue", "town", "{}", "[fir, elm]", *known)
    if form == 1:
        return "{" + by_keys(w, scope, d)[0] + "}"
    if form == 2:
        return f"[{w.pick('oak', 'elm')}, next({w.expr('town', scope, d)})]"
    return w.expr("set town", scope, d)


def rearranged(w: Writer, scope: Scope, pad: str, *, may_ask: bool) -> list[str]:
    """A statement that changes an order, or iterates over one."""
    form = w.number(7 if may_ask else 6)
    if form == 0:
        return [f"{pad}set queue to {order(w, scope, 2)}"]
    if form < 3:
        return [f"{pad}add {w.expr('town', scope, 1)} to queue"]
    if form == 3:
        return [f"{pad}take {w.expr('town', scope, 1)} from queue"]
    if form == 4:
        name = w.fresh()
        lines = [f"{pad}let {name} = {{{by_keys(w, scope, 1)[0]}}}", f"{pad}add oak to {name}"]
        scope[name] = "order town"
        return lines
    if form == 5:
        name = w.fresh()
        where = f" where {w.expr('bool', {**scope, name: 'town'}, 1)}" if w.number(2) else ""
        return [f"{pad}for {name} in queue{where}:", f"{pad}    set n to n * 10 + {name}.index", *put(w, name, pad)]
    return [f"{pad}shuffle queue"]


def put(w: Writer, name: str, pad: str) -> list[str]:
    """A statement for a member of an order during a loop over the order."""
    return [f"{pad}    {w.pick('set m to n', f'add {name} to queue', f'take {name} from queue', 'set queue to []')}"]
