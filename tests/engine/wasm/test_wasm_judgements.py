"""Long judgements are played in wasm: work is counted by what is done."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from chess_variants import HELD, LOOSE, chess
from folders import RULESETS

from rulespec.engine.game.game import Game
from rulespec.engine.wasm.backend import WasmBackend
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed


def given_back(ruleset: typed.Ruleset, plies: int, players: int | None = None) -> int:
    """The calls of a random game that Python has answered; at each tenth position it lists the same options."""
    seats, rng = [f"P{i}" for i in range(players or ruleset.players[1])], random.Random(1)
    game, plain = Game(ruleset, seats, backend="wasm"), Game(ruleset, seats, backend="python")
    machine = game.omniscient.numbers.machine
    assert isinstance(machine, WasmBackend)
    for ply in range(plies):
        options = game.legal_options
        if ply % 10 == 0:
            assert [str(o) for o in options] == [str(o) for o in plain.legal_options]
        chosen = rng.randrange(len(options))
        game.apply(options[chosen])
        plain.apply(plain.legal_options[chosen])
    assert game.hash == plain.hash
    return machine.given_back


@pytest.mark.proof
def test_orders_of_seven_powers_are_judged_in_wasm() -> None:
    assert given_back(load_ruleset(str(RULESETS / "diplomacy")), 500) == 0


@pytest.mark.parametrize("players", [1, 4])
@pytest.mark.sampled(1)
def test_ways_are_counted_by_the_neighbours_there_are(players: int) -> None:
    """By the sizes of kinds, each of 48 provinces has 48 neighbours, and a way between two takes two million steps."""
    assert given_back(load_ruleset("tetrarchia+mare_nostrvm"), 60, players) == 0


@pytest.mark.proof  # 0.3 s
@pytest.mark.parametrize("changes", [LOOSE, HELD], ids=["a condition less", "kept instead of found"])
@pytest.mark.sampled(1)
def test_variants_of_chess_are_played_in_wasm(changes: Sequence[tuple[str, str, str]], tmp_path: Path) -> None:
    assert given_back(chess(tmp_path / "chess", *changes), 60) == 0
