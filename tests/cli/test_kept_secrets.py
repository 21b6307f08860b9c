"""Commands for a seat disclose nothing private."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import spoken

from rulespec.engine.game.game import Game
from rulespec.engine.logs.log_file import LogWriter
from rulespec.engine.logs.native import LogHeader
from rulespec.load import load_ruleset

pytestmark = pytest.mark.usefixtures("known_rulesets")


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """The log of a hand of Kuhn poker: Ann has the queen, Bob the king."""
    game = Game(load_ruleset("kuhn_poker"), ["Ann", "Bob"])
    path = tmp_path / "whole.jsonl"
    with LogWriter(path, LogHeader.of(game)) as log:
        for text in ("deal(queen)", "deal(king)", "leave_it", "bet", "bet"):
            log.add(game.apply(game.parse(text)))
    return path


def test_the_log_of_a_seat(whole: Path) -> None:
    code, out = spoken("log", whole, "--for", "Ann")
    header, *events, end, last = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and header["for"] == "Ann"
    assert [event["option"] for event in events] == ["deal(queen)", "deal(?)", "leave_it", "bet", "bet"]
    assert len(last["memory"]) == 32 and set(end) == {"end"}


def test_the_log_for_all(whole: Path, tmp_path: Path) -> None:
    part = tmp_path / "part.jsonl"
    assert spoken("log", whole, "--public", "--out", part)[0] == 0
    text = part.read_text("utf-8")
    assert "queen" not in text and "king" not in text and text.count("deal(?)") == 2
    code, out = spoken("replay", part)
    assert code == 2 and "RS342" in out


def test_there_is_no_log_for_strangers(whole: Path) -> None:
    code, out = spoken("log", whole, "--for", "Cid")
    assert code == 2 and "the seats are Ann, Bob" in out


def test_where_a_log_breaks_a_rule_a_seat_is_not_told_why(whole: Path) -> None:
    """Why, and what would be legal, may follow from what others hold."""
    text = whole.read_text("utf-8").replace('"option": "bet"', '"option": "show(king)"')
    whole.write_text(text, "utf-8")
    for more in ((), ("--format", "json")):
        code, out = spoken("replay", whole, "--moves", "--for", "Ann", *more)
        assert code == 1 and "omit `--for` and `--public` to see it" in out and "king" not in out and "queen" in out
    assert "king" in spoken("replay", whole, "--moves")[1]


@pytest.mark.parametrize("more", [["--check"], ["--trace", "x"], ["--out", "x"]])
def test_what_tells_all_of_the_game_does_not_go_with_a_seat(whole: Path, more: list[str]) -> None:
    code, out = spoken("replay", whole, "--moves", "--for", "Ann", *more)
    assert code == 2 and "--for and --public cannot be combined with" in out


def test_play_writes_what_the_seat_has_seen(tmp_path: Path) -> None:
    mine = tmp_path / "mine.jsonl"
    code, _ = spoken(
        *("play", "wager", "--players", "2", "--seed", "1"), stdin=f"bid(3)\nw {mine}\nbid(0)\nw {tmp_path / 'later'}\n"
    )
    assert code == 0
    options = [json.loads(line).get("option") for line in mine.read_text("utf-8").splitlines()[1:-1]]
    assert options[-1] is None and not any("bid(3)" in str(option) for option in options)


def test_play_does_not_tell_a_seed_that_would_tell_the_cards() -> None:
    assert "seed" not in spoken("play", "kuhn_poker", "--players", "2", stdin="")[1].split("·")[2]
    assert "seed 7" in spoken("play", "kuhn_poker", "--players", "2", "--seed", "7", stdin="")[1]
    assert "seed" in spoken("play", "nim", "--players", "2", stdin="")[1].split("·")[2]


def test_play_refuses_what_is_not_ones_own_without_a_word_about_it() -> None:
    _, out = spoken(
        "play", "wager", "--players", "2", "--seed", "1", stdin="bid(3)\nbid(0)\ngive(B, A, 99)\ngive(B, A, 1)\no\n"
    )
    refused = [line for line in out.splitlines() if "not legal" in line]
    assert refused == ["not legal: it is not yours to do"] * 2
    assert "B: give" not in out.split("A> o")[1] and "A: give" in out.split("A> o")[1]


def test_another_one_at_the_table_may_speak() -> None:
    _, out = spoken("play", "wager", "--players", "2", "--seed", "1", stdin="bid(3)\nbid(0)\nB: give(B, A, 1)\n")
    assert "taken: B: give: B, A, 1" in out


def test_play_keeps_rounds_apart() -> None:
    """A second round does not hide the first one any longer, and does not show itself before it is complete."""
    _, out = spoken("play", "wager", "--players", "2", "--seed", "1", stdin="bid(3)\nbid(0)\nnod\nbid(1)\np\n")
    lines = out.split("> p")[1]
    assert "A: bid: 3" in lines and "B: bid: 0" in lines and "A has chosen" in lines and "A: bid: 1" not in lines
