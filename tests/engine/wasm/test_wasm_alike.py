"""Of tokens that are alike, wasm lists the same ones as Python."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from agreement import agree, take_back
from barn import BARN, TURN
from cases import small

from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import machine
from rulespec.engine.wasm.backend import WasmBackend
from rulespec.typed import nodes as typed

WAITING = """
procedure play():
    repeat at most 20:
        for p in player:
            turn(p)
procedure turn(p: player):
    choose favour(h in hen[p] or none) by p
    ask_about(p)
    for x in {h}:
        set x.age to (x.age + 1) % 3
    choose far(g in at, f in field) by p
    ask_about(p)
procedure ask_about(p: player):
    choose which(x in hen[p], y in hen, z in hen[p] - {y} or none) by p
    set x.tame to not x.tame
    move y to at[first(field)]
    set p.pet to z
"""


def agrees(ruleset: typed.Ruleset, seats: int, seed: int, plies: int) -> None:
    """Plays a game in wasm and in Python; wasm gives no decision back."""
    names = ["ann", "bob", "cid", "dot"][:seats]
    wasm = machine(ruleset, seats, {key: o.default for key, o in ruleset.settings.items()}, "wasm")
    assert isinstance(wasm, WasmBackend)
    given_back = wasm.given_back
    fast, plain = Game(ruleset, names, backend="wasm"), Game(ruleset, names)
    take_back(fast, agree(fast, plain, random.Random(seed).randrange, plies, reasons=False))
    assert wasm.given_back == given_back


@pytest.mark.parametrize("rules", [TURN, WAITING])
@pytest.mark.parametrize("number", [3, 40])
@pytest.mark.parametrize(
    "private",
    [
        "",
        ", private: true",
        ', private: {to: "{}", open: shown}',
        ', private: {to: "{p in player where p != hen.player}"}',
    ],
)
@pytest.mark.sampled(1)
def test_the_first_of_several_stands_for_all(tmp_path: Path, rules: str, number: int, private: str) -> None:
    """80 hens are sets of two words, and orders of nine."""
    text = BARN.replace("}PRIVATE", private + "}").replace("number: 3", f"number: {number}")
    if number > 3:  # so many options take long
        rules = rules.replace(", y in hen, z in hen[p]", ", y in at, z in coop")
    ruleset = small(tmp_path / "small", rules + text)
    for seed in range(3):
        agrees(ruleset, 2, seed, 40)
