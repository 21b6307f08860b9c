"""Draughts has as many positions as others have counted."""

from __future__ import annotations

import pytest

from rulespec.engine.game.game import Game
from rulespec.engine.verify.perft import perft
from rulespec.engine.verify.wasm_perft import wasm_perft
from rulespec.load import load_ruleset

COUNTED = (7, 49, 302, 1469, 7361, 36768, 179740, 845931)
"""Leaves by depth, from 1 on, as published for the English game."""


@pytest.mark.parametrize(
    "depth",
    [*range(1, 5), *(pytest.param(depth, marks=pytest.mark.proof) for depth in (5, 6, 7, 8))],
)
def test_as_many_positions_as_others_have_counted(depth: int) -> None:
    pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")
    game = Game(load_ruleset("draughts"), ["A", "B"])
    counted = wasm_perft(game, depth, limit=2_000_000)
    assert counted is not None and counted.leaves == COUNTED[depth - 1]


def test_generated_python_counts_the_same() -> None:
    assert perft(Game(load_ruleset("draughts"), ["A", "B"], backend="python"), 3).leaves == COUNTED[2]
