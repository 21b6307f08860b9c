"""Random programs over large kinds: sets of one or several words, and facts and tables with sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from programs_expressions import ExpressionWriter

SIZES = (63, 64, 65, 66, 100, 128, 129, 192, 193, 200, 256, 257, 1025)
"""Numbers of towns in a world: full words, words with one member, and more words than locals."""
_OWN = 4
"""The number of towns in every world."""


def with_sets(world: str) -> str:
    """The world with sets in facts, state and a table, many of them empty."""
    for before, after in {
        "facts: {tax: int, near: set town,": "facts: {tax: int, shun: set town, near: set town,",
        "oak: {tax: 3,": "oak: {tax: 3, shun: [oak, fir],",
        "ash: {tax: 7,": "ash: {tax: 7, shun: [ash],",
        "seen: {type: bool},": "seen: {type: bool}, watched: {type: set town},",
        "  friends: {key: town,": "  haunts: {key: int, value: set town, rows: {0: [], 1: [oak], 2: [elm, fir]}}\n"
        "  friends: {key: town,",
    }.items():
        assert before in world, before
        world = world.replace(before, after, 1)
    return world


def widened(world: str, towns: int, first: int) -> str:
    """The world with additional towns, some of them before the existing ones."""
    if not towns:
        return world
    names = [f"far{i}" for i in range(towns)]

    def entity(i: int) -> str:
        shun = f"shun: [{', '.join({names[i], names[i * 7 % towns], 'ash'})}], " if i % 5 == 0 else ""
        return f"      {names[i]}: {{tax: 1, dues: none, {shun}near: [fir, {names[i]}]}}\n"

    before, behind = ("".join(map(entity, some)) for some in (range(first), range(first, towns)))
    haunts = ", ".join(names[:: max(1, towns // 9)])
    last = "      fir: {tax: 9,"
    at = world.index("\n", world.index(last)) + 1
    world = world[:at] + behind + world[at:]
    for old, new in {
        "    entities:\n      oak:": f"    entities:\n{before}      oak:",
        "int?, rows: {": "int?, rows: {" + "".join(f"{name}: 1, " for name in names),
        "value: int, rows: {oak: {1": "value: int, rows: {" + "".join(f"{name}: {{}}, " for name in names) + "oak: {1",
        "rows: {0: [], 1: [oak], 2:": f"rows: {{0: [], 1: [{haunts}], 2:",
        "friends: {key: town, value: set town, rows: {": "friends: {key: town, value: set town, rows: {"
        + "".join(f"{name}: [oak], " for name in names),
    }.items():
        assert old in world, old
        world = world.replace(old, new, 1)
    return world


def towns_of(size: int) -> int:
    """The number of towns added to reach a total of `size`."""
    return size - _OWN


def towns(w: ExpressionWriter, s: dict[str, str], d: int) -> str:
    """A set of towns from a fact, a table or the state, or filtered by such sets."""
    x, e = w.fresh(), w.expr
    field = w.pick(f"{x}.shun", f"{x}.shun", f"{x}.near", f"{x}.watched", f"haunts[{x}.tax % 3]")
    inner = {**s, x: "town"}
    other = w.pick("{}", "{}", e("set town", s, d), e("set town", inner, d))
    where = w.pick(
        f"count({field}) > 0",
        f"{field} == {other}",
        f"{field} != {other}",
        f"{e('town', s, d)} {w.pick('in', 'not in')} {field}",
        f"{x} {w.pick('in', 'not in')} {field}",
        f"any({w.fresh()} in {field})",
    )
    source = w.pick("town", e("set town", s, d), f"union({x}.near for {x} in {e('set town', s, d)})")
    return w.pick(
        f"{{{x} in {source} where {where}}}",
        f"{{{x} in {source} where {where}}}",
        f"haunts[abs({e('int', s, d)}) % 3]",
        f"{e('town', s, d)}.watched",
        f"{e('town', s, d)}.shun",
        f"({e('town', s, d)}.watched if {e('bool', s, d)} else {e('town', s, d)}.shun)",
    )


def statement(w: ExpressionWriter, s: dict[str, str]) -> str:
    """A statement that changes a set in the state."""
    return f"set {w.expr('town', s, 1)}.watched to {w.expr('set town', s, 2)}"
