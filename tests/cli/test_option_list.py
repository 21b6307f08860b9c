"""Options at the terminal: what a person may type for one, and how many are listed."""

from __future__ import annotations

import pytest
from limits import soon

from rulespec.cli.option_list import FOLDED, grouped, lines, matches, suggested
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
    shown = list(lines(options, str, whole=False))
    assert len(shown) < len(options) and any("more like these" in line for line in shown)
    assert len(list(lines(options, str, whole=True))) == len(options)
    few = options[:FOLDED]
    assert [line.split()[0] for line in lines(few, str, whole=False)] == [str(n + 1) for n in range(len(few))]
