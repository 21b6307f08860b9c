"""Trees of small games, and CFR+ on them: known values, and exploitability by OpenSpiel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from shipped import loaded

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.guests import CfrPlus, cfr_plus, tree, trees
from rulespec.guests.action_game import CHANCE, NOBODY


def game(name: str, seats: str = "AB") -> Game:
    return Game(loaded(name)[0], seats)


def test_kuhn_poker_is_worth_a_chip_in_eighteen_to_the_second() -> None:
    solved = cfr_plus(tree(game("kuhn_poker")), 200)
    assert solved.value()[0] == pytest.approx(-1 / 18, abs=0.0005)
    assert solved.value().sum() == pytest.approx(0) and solved.exploitability() < 0.005
    assert len(solved.strategy()) == 12


def test_a_tree_has_every_way_to_play() -> None:
    result = tree(game("kuhn_poker", "ABC"))
    assert len(result.parents) == 1 + 4 + 12 + 24 + 288 + 312 - 24 and len(result.information) == 48
    assert (result.deciders == NOBODY).sum() == 312 and (result.parents[1:] < np.arange(1, len(result.parents))).all()
    chance = result.deciders[result.parents[1:]] == CHANCE
    assert ((result.edges[1:] < 0) == chance).all()
    sums = np.bincount(result.parents[1:][chance], result.chances[1:][chance])
    assert sums[sums > 0] == pytest.approx(1)
    assert result.returns.sum(axis=1) == pytest.approx(0)


def test_the_best_answer_to_the_uniform_strategy_wins_more() -> None:
    solver = CfrPlus(tree(game("kuhn_poker")))
    uniform = solver.average
    best = solver.best_answers(uniform)
    assert best[0] == pytest.approx(0.5) and best[1] == pytest.approx(5 / 12)  # as of OpenSpiel


def test_a_tree_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DiagnosticsError, match=r"more than 20 nodes \[RS741\]"):
        tree(game("kuhn_poker"), 20)
    monkeypatch.setattr(trees, "MOST_LEVELS", 3)
    with pytest.raises(DiagnosticsError, match=r"more than 3 decisions in a game \[RS741\]"):
        tree(game("kuhn_poker"))


# --- beside OpenSpiel -------------------------------------------------------------------------------------------------


def by_spiel(own: Game, state: Any, strategy: Any, actions: Any, noted: dict[str, dict[int, float]]) -> None:
    """Notes a strategy under OpenSpiel's names of information states, by walking both trees side by side."""
    if state.is_terminal():
        return
    place = {actions(option): option for option in own.legal_options}
    if not state.is_chance_node():
        decision = own.decision
        assert decision is not None and decision.by is not None
        odds = strategy[own.view(decision.by).memory]
        noted[state.information_state_string()] = {number: odds[str(option)] for number, option in place.items()}
    for number, option in place.items():
        own.apply(option)
        by_spiel(own, state.child(number), strategy, actions, noted)
        own.undo()


@pytest.mark.proof
@pytest.mark.parametrize("name, rounds, most", [("kuhn_poker", 1_000, 0.001), ("leduc_poker", 300, 0.01)])
def test_exploitability_by_openspiel_of_the_exported_strategy(name: str, rounds: int, most: float) -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="needs open_spiel: pip install 'rulespec[rl]'")
    from open_spiel.python import policy
    from open_spiel.python.algorithms.exploitability import exploitability
    from open_spiel_games import action

    solved = cfr_plus(tree(game(name)), rounds)
    other, result = pyspiel.load_game(name), dict[str, dict[int, float]]()
    by_spiel(game(name), other.new_initial_state(), solved.strategy(), action, result)
    tabular = policy.TabularPolicy(other)
    for text, odds in result.items():
        row = tabular.policy_for_key(text)
        row[:] = [odds.get(number, 0.0) for number in range(len(row))]
    by_other = exploitability(other, tabular)
    assert by_other < most and by_other == pytest.approx(solved.exploitability(), abs=1e-6)
