"""Operators over the subsets of a set: values, bounds and faults, the same in all machines."""

from __future__ import annotations

import random
from itertools import combinations
from pathlib import Path

import pytest
from cases import split, write
from machines_alike import MACHINES, Length, Table, beside_the_interpreter
from worlds import WORLD, Play, lines

from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.why.why import Why
from rulespec.load import load_ruleset

IDLE = "procedure play():\n    end game as done\n"
VALUES = """
    count(s in subsets(town))                                                          → 16
    count(s in subsets({oak, elm, ash}) where count(s) == 2)                           → 3
    count(s in subsets(town - town))                                                   → 1
    any(s in subsets(town): sum(t.tax for t in s) == 21)                               → true
    any(s in subsets(town) where oak in s: sum(t.tax for t in s) == 21)                → false
    all(s in subsets(town) where ash not in s: count(s) < 4)                           → true
    all(s in subsets(town): count(s) < 4)                                              → false
    sum(count(s) for s in subsets({oak, elm}))                                         → 4
    max(sum(t.tax for t in s) for s in subsets(town) where count(s) < 3, else 0)       → 16
    min(sum(t.tax for t in s) for s in subsets(town) where elm in s) ?? 99             → 5
    min(count(s) for s in subsets(town) where count(s) > 4) ?? 99                      → 99
    max(count(s) for s in subsets(town) where count(s) > 4)                            → none
    union(s for s in subsets(town) where count(s) == 1 and oak not in s)               → {elm, ash, fir}
    any(s in subsets({oak}): oak in s)                                                 → true
    count(s in subsets(town) where any(u in subsets(s): count(u) == 3))                → 5
    sum(1 for t in town where any(s in subsets(t.near): s == {ash}))                   → 1
"""


@pytest.mark.parametrize("text, value", lines(VALUES))
def test_values(play: Play, text: str, value: str) -> None:
    assert play(IDLE + WORLD).omniscient.value(text) == value


BIG = """
procedure play():
    repeat at most 4:
        decide move by first(player):
            option take_in(t in town where t not in held and count(held) < 14): set held to held | {t}
            option pairs: set n to count(s in subsets(held) where count(s) == 2)
            option ask(k in 3 .. 40):
                set n to count(s in subsets(held) where worth(s) == k)
                set best to max(worth(s) for s in subsets(held) where count(s) < 4) ?? -1
                set found to union(s for s in subsets(held) where worth(s) == k and count(s) < 3)
    end game

def worth(s: set town) -> int: sum(t.tax for t in s)
--- kinds.yaml
kinds:
  town:
    facts: {tax: int}
    entities: {TOWNS}
  player: {}
state: {held: {type: set town, start: "{FIRST}"}, n: {type: int}, best: {type: int}, found: {type: set town}}
"""


def big(folder: Path, size: int, members: list[int]) -> Path:
    """A game of many towns, of which some are held: their taxes follow from their numbers."""
    towns = ", ".join(f"t{n}: {{tax: {n % 11}}}" for n in range(size))
    text = BIG.replace("TOWNS", towns).replace("FIRST", ", ".join(f"t{n}" for n in members))
    return write(folder, split(text, "rules/play.rules"))


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("size, most", [(5, 4), pytest.param(150, 8, marks=pytest.mark.proof)])  # 5 s
def test_they_are_those_of_plain_python(machine: str, size: int, most: int, tmp_path: Path) -> None:
    rng = random.Random(f"{size} {most}")
    members = sorted(rng.sample(range(size), most))
    ruleset = load_ruleset(str(big(tmp_path / "big", size, members)))
    beside_the_interpreter(machine, Table(ruleset, 2), Length(3), rng)
    if machine == "python":
        game = Game(ruleset, ["A", "B"])
        game.apply(game.parse("ask(12)"))
        sets = [s for number in range(most + 1) for s in combinations(members, number)]
        worth = {s: sum(n % 11 for n in s) for s in sets}
        joined = {n for s in sets if worth[s] == 12 and len(s) < 3 for n in s}
        shown = "{" + ", ".join(f"t{n}" for n in sorted(joined)) + "}"
        values = [game.omniscient.value(name) for name in ("n", "best", "found")]
        assert values == [
            str(sum(worth[s] == 12 for s in sets)),
            str(max(worth[s] for s in sets if len(s) < 4)),
            shown,
        ]


@pytest.mark.parametrize("backend", ["python", "wasm", pytest.param("interpreter", marks=pytest.mark.proof)])  # 2 s
def test_more_than_thirteen_members_are_a_fault_at_their_place(backend: Backend, tmp_path: Path) -> None:
    game = Game(load_ruleset(str(big(tmp_path / "big", 20, [*range(14)]))), ["A", "B"], backend=backend)
    thirteen = Game(load_ruleset(str(big(tmp_path / "less", 20, [*range(13)]))), ["A", "B"], backend=backend)
    thirteen.apply(thirteen.parse("pairs"))
    assert thirteen.omniscient.value("n") == "78"
    before = game.hash
    with pytest.raises(RulesetFaultError, match="a set of at most 13 members") as caught:
        game.apply(game.parse("ask(12)"))
    fault = caught.value.diagnostic
    assert fault.code == "RS703" and fault.span is not None and fault.span.line == 8
    assert game.hash == before


def test_why_shows_the_set_and_the_value(play: Play) -> None:
    game = play(
        "procedure play():\n    decide d by first(player):\n"
        "        option go:\n            require any(s in subsets(town): count(s) > 4)\n            pass\n"
        f"    end game as done\n{WORLD}"
    )
    (condition,) = Why(game, OMNISCIENT).option("go").conditions
    assert (condition.op, condition.value, [each.text for each in condition.because]) == ("subsets", False, ["town"])
