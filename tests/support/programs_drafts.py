"""Random drafts: all kinds of endings, inner loops and calls, and values changed by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from programs_statements import StatementWriter

Scope = dict[str, str]


def drafted(w: StatementWriter, scope: Scope, pad: str) -> list[str]:
    """A draft of one of the players, inside or outside a loop, that reads only public state."""
    who, left, name, t, k, mark = (w.fresh() for _ in range(6))
    town = w.pick("oak", "elm", "(first(towns) ?? ash)", "next(fir)")
    several = w.pick("", f"({k} in 1 .. 2)", f"({t} in town where {t} != {town}, {k} in -1 .. 1)")
    number = w.pick("n", "few * 2", f"{left} - 1", "count(towns)") + (f" + {k}" if several else "")
    test = w.pick(f"{left} > 1", "n % 2 == 0", f"{who}.cash > 2 money", f"{town} in towns")
    end = w.pick("leave", "leave", "leave", "end game as planned")
    inner = pad + "    " * (looped := w.number(2))
    then = w.pick(
        "continue", "ask again", f"set {town}.mark to n % 9", "pay 1 from bank to chest", "set towns to {elm}"
    )
    return [
        f"{pad}let {who} = {w.expr('player', scope, 1)}",
        f"{pad}let {left} = 0",
        *([f"{pad}repeat at most 2:"] if looped else []),
        f"{inner}draft {name} by {who}:",
        f"{inner}    option {name}_more{several}:",
        f"{inner}        require {left} < 4",
        f"{inner}        set {left} to {left} + 1",
        f"{inner}        set {w.pick('n', 'm')} to {number}",
        f"{inner}        {then}",
        f"{inner}    option {name}_each:",
        f"{inner}        require {left} < 5",
        f"{inner}        let {mark} = {number.partition(' + ')[0]}",
        f"{inner}        for {t}_each in towns | {{elm}}:",
        f"{inner}            set {t}_each.mark to {mark} % 5",
        f"{inner}            if {test}:",
        f"{inner}                {w.pick('leave', 'continue', f'set {left} to {left} + 1')}",
        f"{inner}    option {name}_done:",
        f"{inner}        require {left} != 2 or {test}",
        f"{inner}        {end}",
        f"{pad}set few to few",
    ]
