"""Perft in wasm counts what Python counts, hash included."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from agreement import EVERY
from folders import GAMES

from rulespec.engine.game.game import Game
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.engine.verify.perft import perft
from rulespec.engine.verify.wasm_perft import wasm_perft
from rulespec.load import load_ruleset


@pytest.mark.parametrize("folder", EVERY, ids=[f.name for f in EVERY])
@pytest.mark.sampled(1)
def test_positions_and_their_hashes_are_those_of_python(folder: Path) -> None:
    ruleset = load_ruleset(str(folder))
    game, draws = Game(ruleset, [f"P{i}" for i in range(ruleset.players[1])]), Draws(5)
    for _ in range(3):
        for depth in (1, 2, 4):
            result = wasm_perft(game, depth, limit=600)
            assert result == perft(game, depth, limit=600) if result is not None else game.is_over
        for _ in range(7):
            option = None if game.is_over else choose(game, draws)
            if option is not None:
                game.apply(option)


def test_the_limit_is_the_same() -> None:
    game = Game(load_ruleset(str(GAMES / "gallery/chess")), ["White", "Black"])
    assert wasm_perft(game, 2) == perft(game, 2)
    for limit in (1, 20, 21, 22, 400):
        result = wasm_perft(game, 3, limit=limit)
        assert result is not None and not result.complete
        assert result == perft(game, 3, limit=limit)


def test_nothing_is_counted_in_wasm_where_there_is_nothing() -> None:
    assert wasm_perft(Game(load_ruleset("tutorial"), ["A", "B"]), 0) is None
