"""Measures that are read often have generated functions, with the values of the tree walker."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from cases import small
from shipped import NAMES

from rulespec.engine.game import query
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.program.evaluator import Evaluator
from rulespec.load import load_ruleset

DEEP = """
--- game.yaml
id: deep
title: Deep
version: "1.0"
players: {kind: player, min: 2, max: 2}
start: play
--- kinds.yaml
kinds:
  player: {state: {cash: {type: int}, bid: {type: int, private: true}}}
  stone: {number: 30}
--- measures.yaml
measures:
  whole: {value: sum(p.cash for p in player)}
  bids: {of: player, value: player.bid + 1}
  long: {value: sum(count(t in stone where any(u in stone where u == t and s != t)) for s in stone)}
--- rules/play.rules
procedure play():
    repeat at most 50:
        for p in player:
            choose earn(n in 0 .. 3) by p
            set p.cash to p.cash + n
            set p.bid to n
    end game won by {first(player)}
"""


def measured(game: Game, plies: int, seed: int, monkeypatch: pytest.MonkeyPatch, after: int) -> list[object]:
    """The measures of a random game after each decision, generated once they have been read `after` times."""
    monkeypatch.setattr(query, "_GENERATED_AFTER", after)
    query._memo.clear()
    played, dice = Game(game.ruleset, game.seats, game.settings), random.Random(seed)
    results = list[object]()
    while not played.is_over and played.ply < plies:
        played.apply(dice.choice(list(every_option(played))))
        results.append([played.omniscient.measures(seat) for seat in (None, *played.seats)])
        results.append(played.omniscient.measures())
    return results


@pytest.mark.parametrize("ref", NAMES)
@pytest.mark.sampled(2)
def test_generated_measures_have_the_same_values(ref: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ruleset = load_ruleset(ref)
    game = Game(ruleset, ruleset.seats or ["A", "B", "C", "D"][: max(2, ruleset.players[0])])
    assert measured(game, 60, 1, monkeypatch, 3) == measured(game, 60, 1, monkeypatch, 1 << 60)


def test_a_measure_is_generated_if_it_is_visible_read_often_and_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = Game(small(tmp_path / "deep", DEEP), ["A", "B"])
    walked, evaluate = list[str](), Evaluator.evaluate
    values = measured(game, 12, 2, monkeypatch, 4)
    own = game.omniscient._session.queries
    assert own._own.generated == 2

    def counted(self: Evaluator, *args: object) -> int:
        walked.append("")
        return evaluate(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Evaluator, "evaluate", counted)
    game.apply(game.legal_options[1])
    shown = game.omniscient.measures()
    assert shown["whole"] == {"": 1} and shown["long"] == {"": 30 * 29} and walked
    assert game.omniscient.measures("B")["bids"] == {"A": None, "B": 1}
    assert values[-1] != values[0]
