"""Values of positions, payoffs of truncated playouts, and options as codes."""

from __future__ import annotations

import random
from math import exp, log
from pathlib import Path

import numpy as np
import pytest
from cases import small
from folders import GAMES
from numpy.typing import NDArray

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.program import long_values
from rulespec.engine.search.open_search import open_search
from rulespec.engine.search.payoffs import Ends
from rulespec.engine.search.search import Search
from rulespec.engine.search.uct import uct
from rulespec.engine.search.wasm_search import WasmSearch
from rulespec.load import load_ruleset

WORLD = """
--- kinds.yaml
kinds:
  player: {{state: {{cash: {{type: int}}}}}}
--- game.yaml
id: small
title: Small
version: "1.0"
players: {{kind: player, min: 1, max: 4{teams}}}
start: play
--- rules/play.rules
procedure play():
    repeat:
        for p in player:
            decide work by p:
                option earn(n in 0 .. 3):
                    set p.cash to p.cash + n
            if p.cash > 9:
                end game won by {{p}}
--- measures.yaml
values:
  wealth: {{{value}, decides: 10}}
"""
WEALTH = "of: player, value: player.cash"


def world(folder: Path, teams: str = "", value: str = WEALTH) -> Game:
    return Game(small(folder / "small", WORLD.format(teams=teams, value=value)), ["A", "B"])


def positions(search: Search, game: Game, decisions: int) -> NDArray[np.int64]:
    """Positions along a random game."""
    draws, rows = random.Random(1), [search.rows([game])]
    for _ in range(decisions):
        count = int(search.counts(rows[-1])[0])
        if not count:
            break
        rows.append(search.apply(rows[-1], [draws.randrange(count)]))
    return np.concatenate(rows)


SHIPPED = ["imperial", "imperial_2030", "shadow_of_the_emperor", "tetrarchia", "backgammon", "chess"]


@pytest.mark.parametrize("ref", SHIPPED)
@pytest.mark.sampled(1)
def test_wasm_and_python_agree_on_values_payoffs_and_codes(ref: str) -> None:
    ruleset = load_ruleset(ref)
    game = Game(ruleset, ruleset.seats or ["A", "B", "C"][: ruleset.players[1]])
    for name in ruleset.declarations.values:
        fast, plain = WasmSearch(game, value=name), Search(game, value=name)
        rows = positions(fast, game, 25)
        for some in (rows, rows[::-1]):  # cells not read by the value keep their previous values in the row
            assert np.array_equal(fast.values(some), plain.values(some))
        assert (fast.values(rows).max(axis=0) > fast.values(rows).min(axis=0)).any()
        for one, other in zip(fast.playouts(rows[::5], 3, cap=6), plain.playouts(rows[::5], 3, cap=6), strict=True):
            assert np.array_equal(one, other)
        for one, other in zip(fast.legal(rows[::5]), plain.legal(rows[::5]), strict=True):
            assert np.array_equal(one, other)


def test_every_ruleset_of_the_family_has_two_values() -> None:
    for ref in ("imperial", "imperial_2030", "imperial_asia"):
        assert list(load_ruleset(ref).declarations.values) == ["prospects", "holdings"]


@pytest.mark.proof
def test_codes_of_options_are_those_of_recorded_decisions() -> None:
    game = Game(load_ruleset("imperial"), ["A", "B", "C"])
    search = open_search(game)
    played = game.copy()
    draws = random.Random(3)
    for _ in range(40):
        played.apply(draws.choice(played.legal_options))
    again, codes = game.copy(), search.codes(played.history)
    for option, code in zip(played.history, codes, strict=True):
        expanded = search.expand(search.rows([again]), codes=True)
        number = [str(each) for each in again.legal_options].index(str(option))
        assert expanded.codes[number].tolist() == code.tolist()
        assert search.walk(search.rows([again])[0]).codes.tolist() == expanded.codes.tolist()
        again.apply(again.parse(str(option)))


@pytest.mark.parametrize("times", [1, 7, 100])
@pytest.mark.sampled(2)
def test_several_playouts_from_a_row_are_those_from_its_copies(times: int) -> None:
    game = Game(load_ruleset("imperial"), ["A", "B", "C"])
    fast, plain = WasmSearch(game), Search(game)
    rows = positions(fast, game, 5)
    results = [fast.playouts(rows, 3, times=times, cap=4, hashes=True)]
    results.append(fast.playouts(rows.repeat(times, axis=0), 3, cap=4, hashes=True))
    if times < 10:
        results.append(plain.playouts(rows, 3, times=times, cap=4, hashes=True))
    results.append(fast.playouts(rows, 3, times=times, cap=4, jobs=2, hashes=True))
    for other in results[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(results[0], other, strict=True))


@pytest.mark.parametrize("jobs", [1, 2])
def test_rows_are_compared_under_the_same_chance(jobs: int) -> None:
    game = Game(load_ruleset("imperial"), ["A", "B", "C"])
    fast, plain = WasmSearch(game), Search(game)
    rows = positions(fast, game, 3)
    ends = fast.playouts(rows, 3, times=4, cap=6, jobs=jobs, hashes=True, period=4)
    own = [fast.playouts(row[None], 3, times=4, cap=6, hashes=True) for row in rows]
    for alike, apart in zip(ends, zip(*own, strict=True), strict=True):
        assert np.array_equal(alike, np.concatenate(apart))
    other = plain.playouts(rows, 3, times=4, cap=6, hashes=True, period=4)
    assert all(np.array_equal(one, two) for one, two in zip(ends, other, strict=True))


def test_a_seat_that_cannot_win_plays_for_the_next_place() -> None:
    """A fifth of the stakes is distributed by rank: among three seats, the first gets two thirds of it."""
    game = Game(load_ruleset("imperial"), ["A", "B", "C"])
    search = WasmSearch(game)
    over, nobody = [True, True, False, False], [False] * 3
    winners = [[True, False, False], nobody, nobody, nobody]
    points, values = [[3, 9, 5], [2, 2, 2], [0] * 3, [0] * 3], [[0] * 3, [0] * 3, [0, 0, 0], [9000, 500, 100]]
    flags = np.array(over), np.array(winners)
    scores, worth = np.array(points, np.int64), np.array(values, np.int64)
    payoffs, signal = search.payoffs.of(*flags, scores, worth)
    none = np.zeros(4, np.int64)
    aims = search.payoffs.aims(Ends(*flags[:1], none, flags[1], scores, worth, payoffs, signal))
    assert aims.sum(axis=1) == pytest.approx(1)
    assert aims[0].tolist() == pytest.approx([0.8 + 0.4 / 3, 0.2 / 3, 0])
    assert aims[1:3].reshape(-1) == pytest.approx(1 / 3)
    second = 0.95 / 3  # ahead by the difference that nearly decides
    assert aims[3].tolist() == pytest.approx([0.8 + 0.4 / 3, 0.2 * second, 0.2 * (1 / 3 - second)], abs=1e-6)


@pytest.mark.proof  # 0.3 s
def test_of_two_rivals_and_in_a_game_for_points_bots_play_for_payoffs() -> None:
    for ref, seats in (
        ("backgammon", ["white", "black"]),
        ("leduc_poker", ["A", "B"]),
        ("tetrarchia", ["A", "B", "C"]),
    ):
        game = Game(load_ruleset(ref), seats)
        search = WasmSearch(game)
        ends = search.playouts(positions(search, game, 6), 1, cap=3)
        assert np.array_equal(search.payoffs.aims(ends), ends.payoffs)


def test_who_is_ahead_by_the_difference_that_decides_wins_19_times_in_20(tmp_path: Path) -> None:
    game = world(tmp_path)
    for text in ("earn(3)", "earn(0)", "earn(3)", "earn(0)", "earn(3)", "earn(0)"):
        game.apply(game.parse(text))
    for search in (WasmSearch(game), Search(game)):
        ends = search.playouts(search.rows([game]), 1, cap=0)
        share = 1 / (1 + exp(-log(19) * 9 / 10))
        assert ends.values.tolist() == [[9, 0]]
        assert ends.payoffs[0].tolist() == pytest.approx([share, 1 - share])
        game.apply(game.parse("earn(3)"))
        assert search.playouts(search.rows([game]), 1).payoffs.tolist() == [[1.0, 0.0]]
        game.undo()


def test_in_a_game_for_points_a_payoff_is_what_a_seat_is_ahead_of_the_average() -> None:
    """Folding after a raise of 2 chips loses the first chip; 13 is the maximum."""
    game = Game(load_ruleset("leduc_poker"), ["A", "B"])
    for _ in range(2):
        game.apply(game.legal_options[0])
    for search in (WasmSearch(game), Search(game)):
        raised = game.copy()
        raised.apply(raised.parse("raise"))
        behind = search.playouts(search.rows([raised]), 1, cap=0)  # the 3 chips in the pot belong to nobody yet
        assert behind.payoffs[0].tolist() == pytest.approx([0.5 - 1 / 26, 0.5 + 1 / 26]) and behind.signal.all()
        raised.apply(raised.parse("fold"))
        ends = search.playouts(search.rows([raised]), 1)
        assert ends.payoffs[0].tolist() == pytest.approx([0.5 + 1 / 26, 0.5 - 1 / 26])
        rows = positions(search, game, 4)
        for one, other in zip(search.playouts(rows, 2), Search(game).playouts(rows, 2), strict=True):
            assert np.array_equal(one, other)


def test_those_who_win_together_have_one_payoff(tmp_path: Path) -> None:
    game = world(tmp_path, ", teams: all", "value: sum(p.cash for p in player) - 5")
    for search in (WasmSearch(game), Search(game)):
        ends = search.playouts(search.rows([game]), 1, cap=0)
        assert ends.payoffs[0].tolist() == pytest.approx([1 / (1 + exp(log(19) / 2))] * 2)
        assert search.playouts(search.rows([game]), 1).payoffs.tolist() == [[1.0, 1.0]]


def test_a_playout_that_says_nothing_is_reported(tmp_path: Path) -> None:
    """Backgammon without its value has no points, and in Connect Four nobody leads before the end."""
    game = Game(load_ruleset("connect_four"), ["red", "yellow"])
    search = open_search(game)
    ends = search.playouts(search.rows([game] * 3), 1, cap=4)
    assert not ends.signal.any() and (ends.payoffs == 0.5).all()
    assert search.playouts(search.rows([game] * 3), 1).signal.all()
    with pytest.warns(
        UserWarning, match="30 of 30 playouts were cut off and show no difference: the ruleset declares no value"
    ):
        uct(search, search.rows([game])[0], 30, 1, cap=3)
    same = world(tmp_path, value="of: player, value: 0 * player.cash")
    with pytest.warns(UserWarning, match="the value `wealth` is the same for all seats when they stop"):
        uct(open_search(same), search_row(same), 4, 1, cap=2)


def search_row(game: Game) -> NDArray[np.int64]:
    row: NDArray[np.int64] = open_search(game).rows([game])[0]
    return row


def test_without_a_value_the_points_count(tmp_path: Path) -> None:
    game = Game(load_ruleset(str(GAMES / "gallery" / "ludo")), ["A", "B"])
    search = open_search(game)
    assert search.value is None and search.values(search.rows([game])).tolist() == [[0, 0]]


def test_a_value_that_is_at_fault_is_reported_at_its_place(tmp_path: Path) -> None:
    game = world(tmp_path, value="of: player, value: 6 / player.cash")
    for search in (WasmSearch(game), Search(game)):
        for ask in (search.values, lambda rows, search=search: search.playouts(rows, 1, cap=0)):
            with pytest.raises(RulesetFaultError) as error:
                ask(search.rows([game]))
            assert error.value.diagnostic.span is not None
            assert error.value.diagnostic.span.file.endswith("measures.yaml")


def test_a_long_value_is_worked_out_by_the_interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_values, "MAX_VALUE_STEPS", 1)
    game = world(tmp_path, value="of: player, value: 2 * player.cash - 1")
    game.apply(game.parse("earn(3)"))
    for search in (WasmSearch(game), Search(game)):
        assert search.values(search.rows([game, game])).tolist() == [[5, -1]] * 2
        assert search.playouts(search.rows([game]), 1, cap=0).values.tolist() == [[5, -1]]


def test_an_unknown_value_is_an_error() -> None:
    game = Game(load_ruleset("chess"), ["white", "black"])
    with pytest.raises(ValueError, match="there is no value `mobility`; the declared values are material"):
        open_search(game, value="mobility")
