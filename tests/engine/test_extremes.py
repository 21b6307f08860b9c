"""`min` and `max` of one to six numbers, each of which decides in turn: the same in all machines."""

from __future__ import annotations

import pytest
from cases import small
from machines_alike import MACHINES, MAKERS, WHOLE, Table

from rulespec.engine.game.game import Game
from rulespec.engine.program.interpreter import Interpreter

MOST = 6
NAMES = "abcdef"


def rules() -> str:
    """A ruleset that asks for one of its six numbers and a value for it, and takes extremes of the first ones."""
    lines = [
        "procedure play():",
        "    for p in player:",
        f"        choose far(n in 0 .. {MOST - 1}, by_how_much in -9 .. 9) by p",
    ]
    for at, name in enumerate(NAMES):
        lines += [f"        set {name} to {at % 3}", f"        if n == {at}: set {name} to by_how_much * 5"]
    for op in ("min", "max"):
        for count in range(1, MOST + 1):
            first = ", ".join(NAMES[:count])
            sums = ", ".join(f"{name} * 1 money" for name in NAMES[:count])
            lines += [
                f"        set {op}{count} to {op}({first})",
                f"        set money{count} to {op}({sums}) / 1 money",
                f"        set nested{count} to {op}({op}({first}), {first}, {op}({first}))",
                f"        if {op}({first}) > n: set above{count} to above{count} + {op}({first}) * 3",
            ]
    lines.append("    end game")
    state = [*NAMES, *(f"{word}{n}" for word in ("min", "max", "money", "nested", "above") for n in range(1, MOST + 1))]
    cells = "\n".join(f"  {name}: {{type: int}}" for name in state)
    return "\n".join(lines) + f"\n--- kinds.yaml\nkinds: {{player: {{}}}}\nstate:\n{cells}\n"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return Table(small(tmp_path_factory.mktemp("extremes") / "small", rules()), 1)


def extremes(game: Game) -> dict[str, list[int]]:
    return {op: [int(game.omniscient.value(f"{op}{n}")) for n in range(1, MOST + 1)] for op in ("min", "max")}


@pytest.mark.parametrize("name", ["interpreter", *MACHINES])
def test_each_argument_counts(name: str, table: Table) -> None:
    start = table.game(Interpreter if name == "interpreter" else lambda p: MAKERS[name](p, WHOLE))
    plain = table.game(Interpreter)
    for at in range(MOST):
        for far in (-9, 9):
            option = f"far({at}, {far})"
            numbers = [far * 5 if i == at else i % 3 for i in range(MOST)]
            game, beside = start.copy(), plain.copy()
            game.apply(game.parse(option))
            beside.apply(beside.parse(option))
            assert extremes(game) == {
                "min": [min(numbers[:n]) for n in range(1, MOST + 1)],
                "max": [max(numbers[:n]) for n in range(1, MOST + 1)],
            }
            assert game.hash == beside.hash
