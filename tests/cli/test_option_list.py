"""Options at the terminal: what a person may type for one, and how many are listed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import small, split, write
from click.testing import CliRunner
from limits import soon
from market import MARKET

from rulespec.cli.main import cli
from rulespec.cli.option_list import FOLDED, MANY_NUMBERS, entries, grouped, lines, matches, range_text, suggested
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset


@pytest.fixture(scope="module")
def game() -> Game:
    game = Game(load_ruleset("tutorial"), ["Ann", "Bob"])
    for text in ("card(reed)", "card(stone)"):
        game.apply(game.parse(text))
    return game


def names(game: Game, typed: str) -> list[str]:
    options = [o for o in every_option(game) if not o.interrupt]
    return [str(o) for o in matches(typed, options, Narrator(Words(game.ruleset), game).option)]


@pytest.mark.parametrize(
    "typed, meant",
    [
        ("moves to Factory", ["move(factory)"]),
        ("MOVE FACTORY", ["move(factory)"]),
        ("factory", ["move(factory)"]),
        ("move imp", ["move(import)"]),
        ("inv", ["move(investor)"]),
        ("production", ["move(production_1)", "move(production_2)"]),
        ("production after import", ["move(production_2)"]),
        ("", []),
        ("castle", []),
        ("move(", [f"move({s})" for s in ("factory", "production_1", "maneuver_1", "investor", "import")]),
    ],
)
@pytest.mark.sampled(5)
def test_what_is_typed_finds_options(game: Game, typed: str, meant: list[str]) -> None:
    assert names(game, typed)[: len(meant)] == meant and (meant or not names(game, typed))


@pytest.mark.proof  # 0.6 s
def test_what_is_most_like_it_is_suggested(game: Game) -> None:
    options = list(game.legal_options)
    tell = Narrator(Words(game.ruleset), game).option
    assert "moves to Import" in suggested("moves to Inport", options, tell)
    with soon():
        suggested("x" * 1_000_000, options * 100, tell)
        matches("x " * 1_000_000, options * 100, tell)


def test_many_alike_are_folded_and_keep_their_numbers() -> None:
    game = Game(load_ruleset("imperial"), ["Ann", "Bob", "Cid", "Dan"])
    while game.decision is not None and game.decision.by is None:
        game.apply(game.legal_options[0])
    options = grouped(list(every_option(game)))
    assert [o.interrupt for o in options] == sorted(o.interrupt for o in options)
    shown = list(lines(entries(options), str, whole=False))
    assert len(shown) < len(options) and any("more like these" in line for line in shown)
    assert len(list(lines(entries(options), str, whole=True))) == len(options)
    few = entries(options[:FOLDED])
    assert [line.split()[0] for line in lines(few, str, whole=False)] == [str(n + 1) for n in range(len(few))]


def test_options_that_differ_by_many_numbers_are_one_entry(tmp_path: Path) -> None:
    game = Game(small(tmp_path, MARKET), ["Ann", "Bob"])
    tell = Narrator(Words(game.ruleset), game).choice
    listed = entries(grouped(list(every_option(game))))
    assert [entry.text(tell) for entry in listed] == [
        "Buy a train of Iron Road for £1 … £300",
        "Buy a train of Mills for £1 … £300",
        "Lend £10 … £970 to Iron Road",
        "Lend £10 … £970 to Mills",
        "Rest",
    ]
    assert str(listed[1].numbers[299]) == "buy(mills, 299)" and not listed[4].numbers
    assert [range_text(entry.numbers) for entry in listed[:3]] == ["1 to 300", "1 to 300", "10 to 970 in steps of 40"]
    few = [option for option in every_option(game) if option.name == "lend"][: 2 * MANY_NUMBERS]
    assert all(len(entry.options) == 1 for entry in entries(few))


@pytest.mark.parametrize("typed, taken", [("2 120", "buy(mills, 120)"), ("3 x -5 100 90", "lend(90, iron)")])
def test_the_number_of_an_entry_is_asked(typed: str, taken: str, tmp_path: Path) -> None:
    ref = write(tmp_path / "market", split(MARKET, "rules/play.rules"))
    log = tmp_path / "game.jsonl"
    done = CliRunner().invoke(
        cli, ["play", str(ref), "--players", "2", "--log", str(log)], input="\n".join([*typed.split(), "q"])
    )
    assert done.exit_code == 0, done.output
    assert json.loads(log.read_text("utf-8").splitlines()[1])["option"] == taken
    refused = [line.partition("cannot be ")[2] for line in done.output.splitlines() if line.startswith("it cannot be")]
    assert refused == (["x", "-5; near it are 10 and 50", "100; near it are 90 and 130"] if "x" in typed else [])


def test_nothing_typed_for_a_number_goes_back(tmp_path: Path) -> None:
    ref = write(tmp_path / "market", split(MARKET, "rules/play.rules"))
    done = CliRunner().invoke(cli, ["play", str(ref), "--players", "2"], input="1\n\nq\n")
    assert done.exit_code == 0 and "taken" not in done.output and "game is not saved" not in done.output
