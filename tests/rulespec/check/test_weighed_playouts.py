"""Weights of options in playouts, on which no game depends."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cases import small

from rulespec.diagnostics.report import Report
from rulespec.engine.game.game import Game
from rulespec.engine.search.open_search import open_search
from rulespec.engine.search.search import Search
from rulespec.load import load_ruleset

STALL = """
--- kinds.yaml
kinds:
  player: {state: {sold: {type: int}, seen: {type: int}, heard: {type: int}}}
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 2, max: 2}
start: play
--- rules/play.rules
procedure play():
    repeat at most 40:
        for p in player:
            decide turn by p:
                option sell(n in 1 .. 2):
                    set p.sold to p.sold + 1
                option wait:
                    pass
                option look(q in player where q != p) by q:
                    set q.seen to q.seen + 1
                option listen(q in player where q != p) by q:
                    set q.heard to q.heard + 1
    end game

scoring p in player:
    score 10000 * p.heard + 100 * p.seen + p.sold
"""
WEIGHTS = "--- measures.yaml\nplayouts: {turn: {sell: 2, wait: 5, look: 9}}\n"
OVERLAYS = """
--- variants/dear.yaml
id: dear
title: Dear
for: small
version: "1.0"
changes: {playouts.turn.wait: 12}
--- variants/free.yaml
id: free
title: Free
for: small
version: "1.0"
--- variants/free.rules
replace procedure play():
    end game
"""


@pytest.mark.parametrize("wasm", [True, False])
@pytest.mark.sampled(1)
def test_playouts_take_options_by_their_weights(wasm: bool, tmp_path: Path) -> None:
    """Each argument counts; options out of turn are drawn evenly; other random games do not ask for the weights."""
    ruleset = small(tmp_path / "small", STALL + WEIGHTS + OVERLAYS)
    sold = []
    for each in (ruleset, load_ruleset(f"{tmp_path / 'small'}+dear"), small(tmp_path / "even", STALL)):
        game = Game(each, ["A", "B"])
        search = open_search(game) if wasm else Search(game)
        ends = search.playouts(search.rows([game]), seed=1, times=100 if wasm else 25)
        sold.append((ends.scores % 100).mean() / 40)
        assert 0.5 < (ends.scores // 100 % 100).sum() / (ends.scores // 10000).sum() < 2
        assert [codes.tolist() for codes in search.coded(1, 0, 2)] == [
            codes.tolist() for codes in Search(Game(small(tmp_path / "even", STALL), ["A", "B"])).coded(1, 0, 2)
        ]
    assert np.allclose(sold, [4 / 9, 4 / 16, 2 / 3], atol=0.05)


def test_playouts_are_the_same_in_wasm_and_in_python(tmp_path: Path) -> None:
    for ruleset in (small(tmp_path / "small", STALL + WEIGHTS), load_ruleset("leduc_poker")):
        game = Game(ruleset, ["A", "B"])
        fast, plain = open_search(game), Search(game)
        rows = fast.rows([game])
        for one, other in zip(fast.playouts(rows, 3, times=30), plain.playouts(rows, 3, times=30), strict=True):
            assert np.array_equal(one, other)


def test_no_log_depends_on_the_weights(tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", STALL + WEIGHTS)
    assert ruleset.declarations.playouts == {"turn": {"sell": 2, "wait": 5, "look": 9}}
    assert ruleset.hash == small(tmp_path / "even", STALL).hash


def test_rules_without_the_decision_need_not_take_its_weights_back(tmp_path: Path) -> None:
    small(tmp_path / "small", STALL + WEIGHTS + OVERLAYS)
    report = Report()
    free = load_ruleset(f"{tmp_path / 'small'}+free", report)
    assert free.declarations.playouts == {} and not [d for d in report.diagnostics if d.code == "RS579"]
