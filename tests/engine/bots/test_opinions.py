"""Opinions of bots on decisions: a lost game shows where it turned, and a seat is judged by what it saw."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("numpy", reason="bots need numpy")

from commands import invoke
from secret_games import twins

from rulespec.engine.bots.opinions import NoOpinionError, Opinion, expectation, loss, opinions
from rulespec.engine.game.game import Game
from rulespec.engine.logs.log_file import write_log
from rulespec.load import load_ruleset

pytestmark = pytest.mark.usefixtures("known_rulesets")


def blunder() -> Game:
    """Connect Four: one seat builds three in a row, and the other one looks away."""
    game = Game(load_ruleset("connect_four"), {"A": "Ann", "B": "Bob"})
    for column in (2, 6, 3, 6, 4, 0):  # the fourth decision of B lets A win
        game.apply(game.legal_options[column])
    return game


def of(game: Game, bot: str = "flat:64", seats: str = "AB") -> list[Opinion]:
    return opinions(game, bot, tuple(seats), lambda _, option: str(option))


def test_a_move_that_wins_at_once_is_missed_at_a_loss() -> None:
    game = blunder()
    game.apply(game.legal_options[6])
    last = of(game, "mcts:300")[-1]
    assert last.seat == "A" and str(last.best) != str(game.history[-1])
    assert last.loss > 0.1 and last.of_best == 1.0 and last.text == str(last.best)


def test_only_decisions_of_these_seats_with_a_choice_are_judged() -> None:
    judged = of(blunder(), seats="B")
    assert {each.seat for each in judged} == {"B"} and [each.ply for each in judged] == [1, 3, 5]
    assert of(blunder(), seats="B") == judged, "the same game gives the same opinions"


def test_a_bot_that_compares_nothing_has_none() -> None:
    with pytest.raises(NoOpinionError):
        of(blunder(), "random")
    assert (expectation(0.625, 0), expectation(0.75, 2), loss(0.125, 0), loss(0.5, 2)) == (
        "62 %",
        "+1.0",
        "-12 %",
        "-2.0",
    )


@pytest.mark.parametrize("ref", ["kuhn_poker", "leduc_poker"])
@pytest.mark.sampled(1)
def test_a_seat_is_judged_by_what_it_saw(ref: str) -> None:
    pairs = twins(ref, range(6), 6)
    assert pairs
    for game, twin, seat in pairs:
        assert of(game, "flat:16", seat) == of(twin, "flat:16", seat)


def test_a_page_says_where_the_game_turned(tmp_path: Path) -> None:
    log, out = tmp_path / "game.jsonl", tmp_path / "game.html"
    game = blunder()
    game.apply(game.legal_options[6])
    write_log(log, game)
    assert invoke("view", log, "--out", out, "--opinions", "mcts:300")[0] == 0
    data = json.loads(out.read_text("utf-8").partition('id="data">')[2].partition("</script>")[0])
    assert 7 in {number for number, _ in data["opinions"]["turns"]}
    assert "mcts:300" in data["moves"][6]["opinion"]
    code, _, wrong = invoke("view", log, "--out", out, "--opinions", "random")
    assert code == 2 and "no opinion" in wrong
    code, _, wrong = invoke("view", log, "--out", out, "--opinions", "flatt")
    assert code == 2 and "there is no bot" in wrong


def test_the_public_page_of_a_game_with_secrets_has_no_opinions(tmp_path: Path) -> None:
    log, out = tmp_path / "game.jsonl", tmp_path / "game.html"
    game = Game(load_ruleset("kuhn_poker"), {"A": "Ann", "B": "Bob"})
    while game.decision is not None:
        game.apply(game.legal_options[0])
    write_log(log, game)
    assert invoke("view", log, "--out", out, "--opinions", "flat:16")[0] == 2
    assert invoke("view", log, "--out", out, "--opinions", "flat:16", "--for", "Ann")[0] == 0
    data = json.loads(out.read_text("utf-8").partition('id="data">')[2].partition("</script>")[0])
    with_one = [row for row in data["moves"] if "flat:16" in row.get("opinion", "")]
    assert len(with_one) == sum(option.by == "A" for option in game.history)
