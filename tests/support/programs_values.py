"""Random programs: values that wait for a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from programs import Writer


def draw(w: Writer, scope: dict[str, str], pad: str) -> list[str]:
    """A `roll` or a `choose`; what it comes to is in scope from there on."""
    name, params = w.fresh(), []
    for _ in range(1 + w.number(2)):
        value = w.fresh()
        if w.number(2):
            params.append(f"{value} in {{oak}} | {w.expr('set town', scope, 1)}")
            scope[value] = "town"
        else:
            params.append(f"{value} in {w.pick('0', 'n - n')} .. {w.pick('2', 'few', 'abs(m) % 3')}")
            scope[value] = "int"
        if w.number(3) == 0:
            params[-1] += f" where {w.expr('bool', scope, 1)}"
    head = f"{name}({', '.join(params)})"
    if "player" in scope.values() and w.number(2):
        return [f"{pad}choose {head} by {w.expr('player', scope, 1)}"]
    weight = f" weight 1 + abs({w.expr('int', scope, 1)}) % 3" if w.number(2) else ""
    return [f"{pad}roll {head}{weight}"]
