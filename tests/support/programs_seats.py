"""Random parts of programs about named seats, their facts and teams, and numeric settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from programs_expressions import ExpressionWriter

Pick = Callable[..., str]
Expr = Callable[[str], str]

GAME = """\
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 2, max: 4, seats: [north, south], teams: camp}
units: [money, points]
start: play
settings:
  size: {type: int 0..3, default: 2}
  tilt: {type: int -2..2, default: 1}
  mode: {values: [brief, full], default: full}
  open: {default: true}
"""
SETTINGS = st.fixed_dictionaries(
    {
        "size": st.integers(0, 3),
        "tilt": st.integers(-2, 2),
        "mode": st.sampled_from(["brief", "full"]),
        "open": st.sampled_from(["true", "false"]),
    }
)
"""Random values of all settings."""

_PLAIN = """\
  player:
"""
_SEATED = """\
  camp: {entities: {hills: {}, plains: {}}}
  player:
    facts: {home: town, share: int, camp: camp}
    seats:
      - {home: fir, share: 2, camp: plains}
      - {home: oak, share: 0, camp: hills}
      - {home: fir, share: 7, camp: hills}
      - {home: elm, share: 2, camp: plains}
"""


def seated(world: str) -> str:
    """A world with settings, in which two seats have names and all have facts."""
    assert _PLAIN in world
    return GAME + world.replace(_PLAIN, _SEATED)


def number(pick: Pick, expr: Expr, x: str) -> str:
    """A numeric expression about seats or settings; `expr` writes an expression of a type, `x` is a new name."""
    who, camp = expr("player"), pick("hills", "plains", f"{expr('player')}.camp")
    return pick(
        f"{who}.share",
        f"{who}.{pick('home', 'camp')}.index",
        f"count({camp}.players)",
        f"sum({x}.share for {x} in {camp}.players where {expr('bool')})",
        f"count(best({x} in player by {x}.share * {expr('int')}))",
        f"({expr('int')} {pick('/', '%')} {pick('size', 'tilt')})",
        f"by_number[{pick('size', 'tilt')}] / 1 money",
        f"by_town[{expr('town')}, size]",
    )


def truth(pick: Pick, expr: Expr) -> str:
    """A condition about seats or settings."""
    who = expr("player")
    return pick(
        f"({who} {pick('in', 'not in')} {pick('hills', 'plains')}.players)",
        f"({who}.camp {pick('==', '!=')} {expr('player')}.camp)",
        f"(size {pick('<', '>=', '==')} {expr('int')})",
        f"(tilt {pick('>', '<=', '!=')} {pick('0', 'size', 'n')})",
    )


def player(w: ExpressionWriter, scope: dict[str, str], depth: int) -> str:
    """An expression for a player; a team may lack the requested member."""
    x, camp = w.fresh(), w.pick("hills", "plains")
    form = w.number(5)
    if form == 0:
        return f"(first({x} in {camp}.players where {w.expr('bool', scope, depth)}) ?? {w.pick('north', 'south')})"
    if form == 1:
        return f"first({x} in player by {x}.share, {w.pick('', '-')}{x}.home)"
    if form == 2:
        return f"({w.pick('north', 'south')} if {w.expr('bool', scope, depth)} else {w.expr('player', scope, 0)})"
    if form == 3:
        return f"the({x} in player where {x} == {w.expr('player', scope, 0)})"
    return f"next({w.expr('player', scope, 0)})"


def cases(w: ExpressionWriter, pad: str, block: Callable[[str], list[str]], scope: dict[str, str]) -> list[str]:
    """A `match` on a seat or a setting; `block` writes the lines of its cases."""
    deeper = pad + "    "
    if w.number(2):
        lines = [f"{pad}match mode:"]
        for name in ("brief", "full"):
            lines += [f"{deeper}case {name}:", *block(deeper + "    ")]
        return lines
    lines = [f"{pad}match {w.expr('player', scope, 1)}:", f"{deeper}case {w.pick('north', 'south')}:"]
    return [*lines, *block(deeper + "    "), f"{deeper}else:", *block(deeper + "    ")]


def ending(w: ExpressionWriter, scope: dict[str, str], pad: str) -> list[str]:
    """An occasional end of the game, won by a team or a seat."""
    winners = w.pick("hills.players", "plains.players", f"{{{w.expr('player', scope, 0)}}}", "{}")
    end = w.pick("end game", f"end game as peace won by {winners}", f"end game as war won by {winners}")
    return [f"{pad}if {w.expr('bool', scope, 1)} and n > 1:", f"{pad}    {end}"]


def jump(w: ExpressionWriter, scope: dict[str, str], pad: str, place: str) -> list[str]:
    """The end of an option's body: a repeated decision, or a jump in the enclosing loop."""
    ways = ["ask again", *(["continue", "leave"] if place == "loop" else [])]
    if w.number(4):
        return []
    way = w.pick(*ways)
    if w.number(4) == 0:
        return [f"{pad}{way}"]
    return [f"{pad}if {w.expr('bool', scope, 1)}:", f"{pad}    {way}"]
