"""Random heads of options and guards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import programs_several

BOOL, NUM, TOWN, MAYBE, SET, PLAYER = "bool", "int", "town", "town?", "set town", "player"
GUARDS = """\
guard base(k: int, u: set town):
    let wide = count(u) + k
    require wide != m
    cost abs(wide) % 2 from few
guard able(k: int, t: town):
    require t.tax - k != n
    let there = t.near | towns
    needs base(k % 3, there)
    cost k * k % 3 from t.mark
"""


class Writer(Protocol):
    """The interface of the writer of the program's other parts."""

    def number(self, below: int) -> int: ...
    def pick(self, *choices: str) -> str: ...
    def fresh(self) -> str: ...
    def expr(self, type_: str, scope: dict[str, str], depth: int) -> str: ...


def head(w: Writer, scope: dict[str, str]) -> list[str]:
    """The lines of a head; the names that they declare are added to the scope."""
    return [_part(w, scope) for _ in range(w.number(4))]


def _part(w: Writer, scope: dict[str, str]) -> str:
    form = w.number(7)
    if form < 2:
        type_ = w.pick(NUM, BOOL, TOWN, MAYBE, SET)
        name = w.fresh()
        line = f"let {name} = {w.expr(type_, scope, 2)}"
        scope[name] = type_
        return line
    if form < 4:
        return f"require {w.expr(BOOL, scope, 2)}{_reason(w, 'H-2: not so')}"
    if form == 4:
        return f"needs {w.pick(f'able({w.expr(NUM, scope, 1)}, {w.expr(TOWN, scope, 1)})', 'base(m, towns)')}"
    return _cost(w, scope)


def _reason(w: Writer, text: str) -> str:
    """A reason for the failure of a condition, or nothing."""
    return f' "{text}"' if w.number(2) else ""


def _cost(w: Writer, scope: dict[str, str]) -> str:
    amount = w.pick(f"({w.expr(NUM, scope, 1)}) % 4 - 1 + n - n", f"abs({w.expr(NUM, scope, 1)}) % 3", "1")
    form = w.number(5)
    if form > 2 and (of_bag := programs_several.cost(w, scope)) is not None:
        return f"{of_bag}{_reason(w, 'H-1: too dear')}"
    if form == 0:
        return f"cost {amount} from {w.pick('n', 'm', 'few')}{_reason(w, 'H-1: too dear')}"
    if form == 1:
        return f"cost {amount} from {w.expr(TOWN, scope, 1)}.mark{_reason(w, 'H-1: too dear')}"
    if form == 2:
        pile, place = f"cart[{w.pick('corn', 'salt')}]", f"at[{w.expr(TOWN, scope, 1)}]"
        return f"cost {amount} of {pile} {w.pick(f'from supply to {place}', f'from {place} to supply')}"
    if form == 3:
        return f"cost ({amount}) * 1 money from {w.expr(PLAYER, scope, 1)}.cash to chest"
    return f"cost ({amount}) * 1 money {w.pick('from bank to chest', 'from chest to bank')}"


def shared(w: Writer, scope: dict[str, str], pad: str, option: Callable[[dict[str, str], str], list[str]]) -> list[str]:
    """The lines of one or two options, with common parameters or conditions for some."""
    lines: list[str] = []
    for _ in range(1 + w.number(2)):
        form, inner, deeper = w.number(5), scope, pad
        if form < 2:
            name, deeper = w.fresh(), pad + "    "
            when = f" when {w.expr(BOOL, {**scope, name: TOWN}, 1)}" if form else ""
            lines.append(f"{pad}with {name} in {w.expr(SET, scope, 1)}{when}:")
            inner = {**scope, name: TOWN}
        elif form == 2:
            deeper = pad + "    "
            lines.append(f"{pad}when {w.expr(BOOL, scope, 1)}:")
        lines += option(inner, deeper)
    return lines
