"""Random expressions and statements about tokens, their places, and the room in these."""

from __future__ import annotations

from typing import Protocol

Scope = dict[str, str]
_KINDS = """
  crate:
    entities: {tin: {}, jar: {}, box: {}}
    state: {worn: {type: int 0..5, start: 1}, last: {type: town?}, open: {type: bool}}
    places: {shed: {fresh: true}, stall: {index: town, at_most: town.tax / 3}, shelf: {at_most: 1}}
  porter:
    each: [player]
    number: 2
    state: {tired: {type: int}}
    places: {inn: {}, road: {index: town}, load: {index: crate, at_most: 2}, guest: {index: player, fresh: true}}
"""


def with_tokens(world: str) -> str:
    """The world of worlds.py with tokens."""
    return world.replace("kinds:\n", f"kinds:{_KINDS}", 1)


class Writer(Protocol):
    """The interface of the writer of random programs."""

    def number(self, below: int) -> int: ...

    def pick(self, *choices: str) -> str: ...

    def fresh(self) -> str: ...

    def expr(self, type_: str, scope: Scope, depth: int) -> str: ...


def crate(w: Writer, scope: Scope, d: int) -> str:
    """An expression for a token."""
    known = [name for name, type_ in scope.items() if type_ == "crate"]
    if d > 0 and w.number(4) == 0:
        return w.pick(f"next({crate(w, scope, 0)})", f"(first({crates(w, scope, d - 1)}) ?? jar)")
    return w.pick("tin", "jar", "box", *known)


def crates(w: Writer, scope: Scope, d: int) -> str:
    """An expression for a set of tokens."""
    town = w.expr("town", scope, d)
    name = w.fresh()
    worn = f"{{{name} in crate where {name}.worn > {w.expr('int', scope, 0)}}}"
    return w.pick(
        f"stall[{town}]", "stall", "shed", "crate.shelf", f"crate.stall[{town}]", worn, f"(shed | stall[{town}])"
    )


def _player(scope: Scope) -> str:
    return next((name for name, type_ in scope.items() if type_ == "player"), "first(player)")


def number(w: Writer, s: Scope, d: int) -> str:
    """A numeric expression about tokens."""
    name, town = w.fresh(), w.expr("town", s, d)
    return w.pick(
        f"count({crates(w, s, d)})",
        f"room({w.pick(f'stall[{town}]', 'shelf', f'load[{crate(w, s, d)}]')})",
        f"sum({name}.worn for {name} in {crates(w, s, d)})",
        f"{crate(w, s, d)}.{w.pick('worn', 'place.index')}",
        f"count(porter[{_player(s)}]{w.pick('.road', f'.road[{town}]', '.load', '.inn', '')})",
        f"sum({name}.number + {name}.tired for {name} in {w.pick('inn', 'road', f'guest[{_player(s)}]', 'porter')})",
    )


def truth(w: Writer, s: Scope, d: int) -> str:
    """A condition about tokens."""
    name, town = w.fresh(), w.expr("town", s, d)
    return w.pick(
        f"({crate(w, s, d)} {w.pick('in', 'not in')} {crates(w, s, d)})",
        f"({crate(w, s, d)}.place {w.pick('==', '!=')} {w.pick(f'stall[{town}]', 'shelf', crate(w, s, d) + '.place')})",
        f"any({name} in porter where {name} in {w.pick('road', 'load[jar]', f'porter[{_player(s)}].inn')})",
        f"({crate(w, s, d)}.stall is {w.pick('none', 'some')})",
    )


def towns(w: Writer, s: Scope, d: int) -> str:
    """An expression for a set of towns, by the tokens there."""
    name = w.fresh()
    return f"{{{name}.{w.pick('stall', 'last')} for {name} in {crates(w, s, d)}}}"


def place(w: Writer, s: Scope) -> str:
    """An expression for a place of crates."""
    town = f"stall[{w.expr('town', s, 1)}]"
    choice = f"({town} if {w.expr('bool', s, 1)} else {w.pick('shed', 'shelf')})"
    return w.pick("shed", "shed", town, town, "crate.shelf", f"{crate(w, s, 0)}.place", choice)


def statement(w: Writer, s: Scope, pad: str) -> list[str]:
    """A statement that moves tokens, or sets their state."""
    form, name, one = w.number(8), w.fresh(), crate(w, s, 1)
    if form == 0:
        return [f"{pad}set {one}.{w.pick('worn to abs(n) % 6', 'open to not oak.seen', 'last to oak', 'worn to n')}"]
    if form == 1:
        town = w.expr("town", s, 1)
        return [f"{pad}if room(stall[{town}]) > 0:", f"{pad}    move {one} to stall[{town}]"]
    if form == 2:
        move = f"{pad}    move {name} to {w.pick('shed', f'stall[{name}.last ?? oak]', f'{crate(w, s, 0)}.place')}"
        return [f"{pad}for {name} in {crates(w, s, 1)}:", f"{pad}    set {name}.last to {name}.stall", move]
    if form == 3:
        who = w.pick("road", f"porter[{_player(s)}]", "inn", f"guest[{_player(s)}]")
        to = w.pick("inn", f"road[{w.expr('town', s, 1)}]", f"guest[next({name}.player)]", f"load[{crate(w, s, 0)}]")
        tired = f"{pad}    set {name}.tired to {name}.tired + 1"
        return [f"{pad}for {name} in {who}:", tired, f"{pad}    move {name} to {to}"]
    if form == 4:
        s[name] = "crate"
        return [f"{pad}let {name} = {one}"]
    if form == 5:
        return [f"{pad}let {name} = {one}.place", f"{pad}move {one} to shed", f"{pad}move {crate(w, s, 0)} to {name}"]
    return [f"{pad}move {one} to {place(w, s)}"]
