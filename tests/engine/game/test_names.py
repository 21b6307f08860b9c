"""Names of people at a game: any text, while rules and views use the ids of seats."""

from __future__ import annotations

import unicodedata

import pytest
from any_names import NAMES

from rulespec.diagnostics.diagnostic import escaped
from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.seat_names import AmbiguousNameError, seat_of, shown_names, speaker
from rulespec.load import load_ruleset

NIM = load_ruleset("nim")
CHESS = load_ruleset("chess")


def played(game: Game) -> Game:
    while not game.is_over:
        game.apply(game.legal_options[0])
    return game


@pytest.mark.parametrize("name", NAMES)
def test_any_text_is_a_name(name: str) -> None:
    game = played(Game(NIM, {"A": name, "B": "Bob"}))
    plain = played(Game(NIM, ["A", "B"]))
    assert game.seats == ("A", "B") and game.names == {"A": name, "B": "Bob"}
    assert game.result == plain.result and game.hash == plain.hash
    assert [option.by for option in game.history] == [option.by for option in plain.history]
    assert str(game).startswith("Nim") and game.view("A").names == game.names
    assert game.copy().names == restarted(game).names == game.names


@pytest.mark.parametrize("name", ["Ann (host)", "Smith, John", " Ann", "Ann\n", "A:B", "all", "", "x" * 300])
def test_names_that_are_no_ids_have_the_default_ids(name: str) -> None:
    assert Game(NIM, [name, "Bob"]).names == {"A": name, "B": "Bob"}
    assert Game(CHESS, ["Bob", name]).names == {"white": "Bob", "black": name}


@pytest.mark.parametrize("name", ["Ann", "Zoë", "Ann B.", "public", "table", "Tisch", "chance", "ann_1", "\U0001f98a"])
def test_names_that_can_be_ids_are_the_ids(name: str) -> None:
    assert Game(NIM, [name, "Bob"]).names == {name: name, "Bob": "Bob"}


def test_people_may_be_called_as_the_rules_call_another_seat() -> None:
    assert Game(CHESS, ["black", "white"]).names == {"white": "black", "black": "white"}


@pytest.mark.parametrize("names", [["Ann", "Ann"], ["Zo\u00eb", "Zoe\u0308"], ["", ""], [" Ann", "Ann"]])
def test_two_people_may_have_one_name(names: list[str]) -> None:
    game = Game(NIM, names)
    assert game.seats == ("A", "B") and len(set(game.shown_names.values())) == 2


@pytest.mark.parametrize("name", NAMES)
def test_names_are_shown_on_one_line_and_are_bounded(name: str) -> None:
    shown = shown_names({"A": name, "B": "Bob"})["A"]
    assert shown == shown.strip() and 0 < len(shown) < 120 and "\n" not in shown
    assert escaped(shown) == shown and not unicodedata.category(shown[0]).startswith("M")


def test_names_that_look_alike_are_shown_with_their_ids() -> None:
    assert shown_names({"A": "Ann", "B": "Ann "}) == {"A": "Ann (A)", "B": "Ann (B)"}
    assert shown_names({"A": "Bob", "B": "A"}) == {"A": "Bob", "B": "A (B)"}
    assert shown_names({"A": " ", "B": "\t"}) == {"A": "A", "B": "B"}
    assert shown_names({"white": "Ann", "black": "Bob"}) == {"white": "Ann", "black": "Bob"}


@pytest.mark.parametrize("name", [name for name in NAMES if name != "B"])
def test_a_seat_is_found_by_its_id_and_by_its_name(name: str) -> None:
    names = {"A": name, "B": "Bob"}
    assert seat_of(names, "A") == seat_of(names, name) == "A"
    assert seat_of(names, shown_names(names)["A"]) == "A"
    assert seat_of(names, "Cid") is None


def test_an_id_comes_before_a_name() -> None:
    assert seat_of({"A": "B", "B": "A"}, "A") == "A"
    assert seat_of({"A": "x", "B": "A"}, "A (B)") == "B"


@pytest.mark.parametrize("text", ["Zoë", "Zoe\u0308"])
def test_composed_and_decomposed_letters_are_one_name(text: str) -> None:
    assert seat_of({"A": "Zoe\u0308", "B": "Bob"}, text) == seat_of({"A": "Zo\u00eb", "B": "Bob"}, text) == "A"
    with pytest.raises(AmbiguousNameError, match="A, B"):
        seat_of({"A": "Zoe\u0308", "B": "Zo\u00eb"}, text)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_before_a_colon_says_who_speaks(name: str) -> None:
    names = {"A": "Cid", "B": name}
    if name != "B":
        assert speaker(names, f"{name}: take(2)") == ("B", "take(2)")
    assert speaker(names, "B: take(2)") == ("B", "take(2)")
    assert speaker(names, "nobody: take(2)") is None and speaker(names, "take(2)") is None


def test_the_longest_name_before_a_colon_counts() -> None:
    names = {"A": "x", "B": "A:B"}
    assert speaker(names, "A:B: o") == ("B", "o") and speaker(names, "A: B: o") == ("A", "B: o")
