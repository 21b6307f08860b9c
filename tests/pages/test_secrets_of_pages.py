"""Pages disclose nothing private that their reader has not seen."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from viewers import flags_for

from rulespec.cli.main import run
from rulespec.engine.game.game import Game
from rulespec.engine.logs.log_file import LogWriter
from rulespec.engine.logs.native import LogHeader
from rulespec.load import load_ruleset


def hand(path: Path, *cards: str) -> Path:
    """The log of a hand of Kuhn poker, up to the bets."""
    game = Game(load_ruleset("kuhn_poker"), ["Ann", "Bob"])
    with LogWriter(path, LogHeader.of(game)) as log:
        for text in (*(f"deal({card})" for card in cards), "leave_it", "bet"):
            log.add(game.apply(game.parse(text)))
    return path


REASONS = ((), ("--reasons",))
"""Pages without reasons, and with them."""


def page(log: Path, *options: str) -> str:
    out = log.with_suffix(".html")
    assert run(["view", str(log), "--out", str(out), *options]) == 0
    return out.read_text("utf-8")


def data(text: str) -> Any:
    result = re.search(r'<script type="application/json" id="data">(.*?)</script>', text)
    assert result is not None
    return json.loads(result[1])


def test_by_default_a_page_shows_what_all_have_seen(tmp_path: Path) -> None:
    log = hand(tmp_path / "log.jsonl", "queen", "king")
    assert page(log) == page(log, "--public")
    moves = data(page(log))["moves"]
    assert "queen" not in str(moves).lower() and "king" not in str(moves).lower()
    assert moves[0]["text"] == "Ann is dealt a card"


def test_a_page_of_a_seat_shows_what_it_has_seen(tmp_path: Path) -> None:
    moves = str(data(page(hand(tmp_path / "log.jsonl", "queen", "king"), "--for", "Ann"))["moves"]).lower()
    assert "queen" in moves and "king" not in moves


def test_reasons_are_those_of_the_reader(tmp_path: Path) -> None:
    log = hand(tmp_path / "log.jsonl", "queen", "king")
    deals = {who: str(data(page(log, "--reasons", *flags_for(who)))["moves"][:2]) for who in ("Bob", "public")}
    assert "queen" not in deals["Bob"] and "queen" not in deals["public"] and " is dealt a card" in deals["public"]
    whole = data(page(log, "--reasons", "--omniscient"))["moves"]
    assert "queen" in str(whole[0]["why"]) and "king" in str(whole[1]["why"])


def test_the_table_shows_everything_when_asked(tmp_path: Path) -> None:
    moves = str(data(page(hand(tmp_path / "log.jsonl", "queen", "king"), "--omniscient"))["moves"]).lower()
    assert "queen" in moves and "king" in moves


@pytest.mark.parametrize("reasons", REASONS, ids=str)
@pytest.mark.parametrize(
    "seat, one, other", [("Ann", "king", "jack"), ("Bob", "jack", "queen"), ("public", "jack", "king")]
)
def test_games_that_look_the_same_have_the_same_page(
    seat: str, one: str, other: str, reasons: tuple[str, ...], tmp_path: Path
) -> None:
    cards = [("queen", one), ("queen", other)] if seat == "Ann" else [(one, "king"), (other, "king")]
    cards = [("queen", one), (one, "queen")] if seat == "public" else cards
    pages = []
    for number, each in enumerate(cards):
        (tmp_path / str(number)).mkdir()
        pages.append(page(hand(tmp_path / str(number) / "log.jsonl", *each), *flags_for(seat), *reasons))
    assert pages[0] == pages[1]


def test_a_broken_rule_that_may_tell_a_secret_is_not_explained_to_all(tmp_path: Path) -> None:
    log = hand(tmp_path / "log.jsonl", "queen", "king")
    with log.open("a") as file:
        file.write('{"decision": "turn", "by": "Ann", "option": "deal(jack)"}\n')
    stop = data(page(log))["stop"]
    assert "jack" not in str(stop) and "line 6" in stop["text"]
    assert "jack" in str(data(page(log, "--omniscient"))["stop"])


def test_there_is_no_page_for_strangers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = hand(tmp_path / "log.jsonl", "queen", "king")
    assert run(["view", str(log), "--out", str(tmp_path / "x.html"), "--for", "Cid"]) == 2
    assert "the seats are Ann, Bob" in capsys.readouterr().err
    assert not (tmp_path / "x.html").exists()


def test_a_seat_may_be_called_like_a_flag(tmp_path: Path) -> None:
    log = hand(tmp_path / "log.jsonl", "queen", "king")
    log.write_text(log.read_text("utf-8").replace('"Ann"', '"public"'), "utf-8")
    public, named = page(log), page(log, "--for", "public")
    assert "queen" in str(data(named)) and "queen" not in str(data(public))
