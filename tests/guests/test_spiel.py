"""Any ruleset as a game of OpenSpiel: its own tests of games, and its algorithms."""

from __future__ import annotations

import json
import random
import unittest
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from secret_games import DECIDED, twins
from shipped import NAMES, loaded

pyspiel = pytest.importorskip("pyspiel", reason="needs open_spiel: pip install 'rulespec[rl]'")

from bench.figures import Bench  # noqa: E402
from bench.sections import guests  # noqa: E402
from rulespec.guests import load_game  # noqa: E402

pytestmark = pytest.mark.proof
NAMED = ["kuhn_poker", "leduc_poker", "liars_dice", "backgammon", "connect_four", "shadow_of_the_emperor"]


@pytest.mark.parametrize("name", NAMED)
def test_games_pass_the_random_tests_of_openspiel(name: str) -> None:
    pyspiel.random_sim_test(load_game(name), 10, serialize=True, verbose=False)


WITHOUT_TENSOR = {"test_current_player_infosets_no_overlap_between_players"}
"""It asks for information states as tensors, which these games have as texts alone."""


def failures(base: Any, name: str, players: int | None = None) -> dict[str, str]:
    """The failures of a test case of OpenSpiel's for games, by name; its bindings print each refusal."""
    game = load_game(name, players)
    case = type(base.__name__, (base,), {"game": game, "game_name": "rulespec"})
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun > 3
    return {test.id().rpartition(".")[2]: text for test, text in (*result.failures, *result.errors)}


@pytest.mark.parametrize("name", NAMED)
def test_games_pass_the_tests_of_openspiel_that_are_written_in_python(name: str) -> None:
    from open_spiel.integration_tests.api_test import EnforceAPIOnPartialTreeBase
    from open_spiel.python.tests.games_sim_test import GamesSimTest

    np.random.seed(1)  # its test draws from there
    GamesSimTest().sim_game(load_game(name))
    assert failures(EnforceAPIOnPartialTreeBase, name) == {}


@pytest.mark.parametrize("players", [2, 3])
def test_a_whole_tree_passes_the_tests_of_openspiel(players: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a tree there are as many nodes, and as many information states, as in OpenSpiel's own Kuhn poker."""
    from open_spiel.integration_tests import api_test

    nodes = {2: (1 + 3, 24, 30), 3: (1 + 4 + 12, 288, 312)}
    monkeypatch.setitem(api_test.TOTAL_NUM_STATES, "rulespec", nodes[players])
    monkeypatch.setitem(api_test.PERFECT_RECALL_NUM_STATES, "rulespec", {2: 12, 3: 48}[players])
    assert failures(api_test.EnforceAPIOnFullTreeBase, "kuhn_poker", players).keys() == WITHOUT_TENSOR


def test_what_all_see_is_nothing_of_a_seat() -> None:
    """An observer of public information alone has the same of every player, and no card."""
    game = load_game("leduc_poker", form="words")
    state = game.new_initial_state()
    for _ in range(2):
        state.apply_action(state.legal_actions()[0])
    private = pyspiel.PrivateInfoType

    def observer(*, recall: bool = False, public: bool = True, info: Any = private.NONE) -> Any:
        kind = pyspiel.IIGObservationType(perfect_recall=recall, public_info=public, private_info=info)
        return game.make_py_observer(kind)

    def tensor(of: Any, seat: int) -> list[float]:
        of.set_from(state, seat)
        numbers: list[float] = of.tensor.tolist()
        return numbers

    for info, equal in ((private.NONE, True), (private.SINGLE_PLAYER, False)):
        for recall in (False, True):
            texts = [observer(recall=recall, info=info).string_from(state, seat) for seat in range(2)]
            assert (texts[0] == texts[1]) == equal
        assert (tensor(observer(info=info), 0) == tensor(observer(info=info), 1)) == equal
    assert json.loads(observer().string_from(state, 0))["hidden"] == ["player.A.card", "player.B.card"]
    for kind in ({"public": False, "info": private.SINGLE_PLAYER}, {"info": private.ALL_PLAYERS}):
        assert observer(**kind) is None


@pytest.mark.parametrize("name", [name for name in NAMES if name not in NAMED])
def test_the_others_pass_them_once(name: str) -> None:
    for players in range(loaded(name)[0].players[0], loaded(name)[0].players[1] + 1):
        pyspiel.random_sim_test(load_game(name, players, cap=60), 1, serialize=False, verbose=False)


def test_a_game_goes_on_from_any_state() -> None:
    game = load_game("leduc_poker")
    state = game.new_initial_state()
    for _ in range(3):
        state.apply_action(state.legal_actions()[-1])
    pyspiel.random_sim_test_with_specific_initial_state(game, 3, state, True)
    text = pyspiel.serialize_game_and_state(game, state)
    _, other = pyspiel.deserialize_game_and_state(text)
    assert str(other) == str(state) and other.history() == state.history()


def test_a_game_is_loaded_by_its_text() -> None:
    game = load_game("leduc_poker", form="words")
    assert str(pyspiel.load_game(str(game))) == str(game)
    assert game.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM
    assert game.utility_sum() == 0 and game.max_utility() == 13
    assert "hide_cash:true" in str(load_game("imperial", settings={"hide_cash": True}))
    settings = load_game("liars_dice", settings={"sides": "3"})
    with pytest.raises(ValueError, match="write NAME:VALUE;NAME:VALUE"):
        pyspiel.load_game("rulespec(ruleset=liars_dice,settings=sides)")
    assert settings.new_initial_state().num_distinct_actions() < load_game("liars_dice").num_distinct_actions()


def test_cfr_plus_of_openspiel_solves_kuhn_poker() -> None:
    """In C++, on the game in Python: what OpenSpiel asks of games is answered."""
    game = load_game("kuhn_poker")
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(60):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    root = game.new_initial_state()
    assert pyspiel.expected_returns(root, average, -1, True)[0] == pytest.approx(-1 / 18, abs=0.002)
    assert pyspiel.exploitability(game, average) < 0.02


def test_a_search_of_openspiel_plays_connect_four() -> None:
    """The search in Python: that in C++ crashes on any game in Python, OpenSpiel's own ones, too."""
    from open_spiel.python.algorithms import mcts

    game = load_game("connect_four")
    state = game.new_initial_state()
    for action in (3, 2, 10, 9, 17, 16):  # three upon one another each: the first to move wins
        state.apply_action(action)
    draws = np.random.RandomState(7)
    bot = mcts.MCTSBot(game, 2.0, 100, mcts.RandomRolloutEvaluator(1, draws), random_state=draws)
    assert state.action_to_string(bot.step(state)) == "drop(d4)"


@pytest.mark.parametrize("form", ["words", "options"])
def test_information_states_are_those_of_the_seat(form: Any) -> None:
    """A word that another seat has taken is nothing that a seat knows of."""
    rng = random.Random(4)
    state = load_game("leduc_poker", form=form).new_initial_state()
    while not state.is_terminal():
        asked = state.current_player()
        others = [seat for seat in range(2) if seat != asked]
        before = [(state.information_state_string(seat), state.observation_string(seat)) for seat in others]
        decisions = state.play.game.ply
        state.apply_action(rng.choice(state.legal_actions()))
        after = [(state.information_state_string(seat), state.observation_string(seat)) for seat in others]
        assert (before == after) == (state.play.game.ply == decisions)


@pytest.mark.parametrize("name", DECIDED)
def test_states_that_look_the_same_have_the_same_texts_and_tensors(name: str) -> None:
    for game, twin, seat in twins(name, range(4), 10)[:3]:
        shown = []
        for each in (game, twin):
            state = load_game(name, len(each.seats)).new_initial_state()
            state.held.play.game = each.copy()
            number = each.seats.index(seat)
            shown.append(
                (
                    state.information_state_string(number),
                    state.observation_string(number),
                    state.observation_tensor(number),
                    state.legal_actions(number) if state.current_player() == number else [],
                )
            )
        assert shown[0] == shown[1]


def test_structs_are_json() -> None:
    state = load_game("kuhn_poker").new_initial_state()
    state.apply_action(2)
    assert json.loads(state.to_struct().to_json())["decision"] == "deal"
    assert json.loads(state.to_observation_struct(1).to_json())["hidden"] == ["player.A.card"]
    struct = state.action_to_struct(state.current_player(), state.legal_actions()[0])
    assert json.loads(struct.to_json()) == {"action": "deal(jack)"}
    assert state.struct_to_actions(struct) == [state.legal_actions()[0]]


def test_the_benchmark_measures_beside_openspiel(tmp_path: Path) -> None:
    nothing: Any = None  # no figure of this section is beside python-chess
    figures = [*guests.run(Bench(nothing, tmp_path, runs=1, turns=1, seconds=0.001, quick=True, section="guests"))]
    beside = {figure.beside for figure in figures}
    assert len(figures) == 2 * (4 + 1) * 2 + 2 * 2 and len(beside) == 3
    assert all(figure.value.median > 0 and figure.ratio is not None for figure in figures)
