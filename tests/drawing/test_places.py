"""Places: every entity that is drawn can be pointed at, in one place of its picture."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ElementTree
from collections import Counter

import pytest
from proofs import proofs_but
from shipped import NAMES, loaded

from rulespec.drawing.board import Board, board_of
from rulespec.drawing.scene import to_svg
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.engine.game.seating import seat_names
from rulespec.engine.game.state_json import state_json
from rulespec.engine.words.words import Words
from rulespec.types import Ent

SMALLEST = 24
"""Points of a screen that a finger hits."""


def played(ref: str, decisions: int, seed: int = 4) -> Game:
    ruleset, _ = loaded(ref)
    game = Game(ruleset, seat_names(ruleset.players[1], ruleset.seats))
    choose = random.Random(seed)
    while game.ply < decisions and not game.is_over:
        game.apply(choose.choice(list(game.legal_options)))
    return game


def board_for(game: Game) -> Board:
    return board_of(game.ruleset, game.names)


def drawn_entities(board: Board) -> set[str]:
    """Entities in every position: spaces of boards, owners of yards, and rows of tables that are no tokens.

    Stops are where tiles have them, and of some grids only the cells are there that have a fact.
    """
    d, boards = board.sheet.d, board.sheet.style.boards
    kinds = {*board.plans, *(b.each for b in boards.values() if b.yards)}
    kinds |= {t.kind for t in board.tables if t.kind != "game" and not d.kinds[t.kind].places}
    kinds -= {kind for kind, b in boards.items() if b.form == "stops"}
    only = {kind: d.kinds[kind].facts[b.only].values for kind, b in boards.items() if b.only}
    return {
        f"{kind}.{name}"
        for kind in kinds
        for number, name in enumerate(board.names.names(kind))
        if kind not in only or only[kind][number] > 0
    }


@pytest.mark.parametrize("ref", NAMES)
@pytest.mark.parametrize("decisions", [0, 150])
@pytest.mark.sampled(4)
def test_an_entity_that_is_drawn_has_one_place(ref: str, decisions: int) -> None:
    game = played(ref, decisions)
    board = board_for(game)
    root = ElementTree.fromstring(to_svg(board.scene(game)))
    counts = Counter(node.attrib["data-place"] for node in root.iter() if "data-place" in node.attrib)
    places = board.places(state_json(game))
    assert counts == dict.fromkeys(places, 1)
    assert drawn_entities(board) <= set(places)
    assert set(board.places()) == drawn_entities(board)
    for place in places.values():
        left, top, right, bottom = place.box
        assert 0 <= left < right <= board.size[0] and 0 <= top < bottom <= board.size[1], place
        assert left <= place.middle[0] <= right and top <= place.middle[1] <= bottom, place


@pytest.mark.parametrize("ref", NAMES)
@pytest.mark.sampled(1)
def test_items_that_move_are_named(ref: str) -> None:
    game = played(ref, 60)
    scene = board_for(game).scene(game)
    root = ElementTree.fromstring(to_svg(scene))
    names = [node.attrib["data-item"] for node in root.iter() if "data-item" in node.attrib]
    assert sorted(names) == sorted(item.id for item in scene.dynamic)


@pytest.mark.proof  # 0.5 s
def test_tokens_and_certificates_are_places_where_they_are() -> None:
    emperor = played("shadow_of_the_emperor", 60)
    tiles = {id_ for id_ in board_for(emperor).places(state_json(emperor)) if id_.startswith("tile.")}
    on_board = {
        f"tile.{name}"
        for name, values in state_json(emperor)["entities"]["tile"].items()
        if values["place"].partition("[")[2].rstrip("]") in board_for(emperor).names.names("electorate")
        or values["place"] == "throne"
    }
    assert tiles and tiles == on_board
    imperial = played("imperial", 150)
    bonds = {id_ for id_ in board_for(imperial).places(state_json(imperial)) if id_.startswith("bond.")}
    assert bonds == {f"bond.{bond}" for bond in board_for(imperial).names.names("bond")}  # for sale, or in a hand


@pytest.mark.parametrize("ref", proofs_but(NAMES, "backgammon", "imperial", "tetrarchia"))
def test_titles_are_texts(ref: str) -> None:
    game = played(ref, 0)
    assert all(place.title.strip() for place in board_for(game).places(state_json(game)).values())


RAILS = {
    "tile": "comes from the stock, which is not in the picture",
    "train": "stands with others of its kind in one number",
}
UNPLACED = {
    "acquire": {"tile": "comes from the bag, which is not in the picture"},
    "chess": {"piece": "the kind of a man, not a man", "castling": "a move, which has no place"},
    "imperial": {"unit": "the kind of a piece, not a piece"},
    "imperial_2030": {"unit": "the kind of a piece, not a piece"},
    "imperial_asia": {"unit": "the kind of a piece, not a piece"},
    "kuhn_poker": {"card": "nobody chooses one: it is dealt"},
    "leduc_poker": {"card": "nobody chooses one: it is dealt"},
    "rails_1889": RAILS,
    "rails_18chesapeake": RAILS,
    "shadow_of_the_emperor": {
        "side": "baron or couple, of a tile to come",
        "berth": "house or castle: a tray, not an entity of one electorate",
    },
    "skat": {"call": "a number that is said", "card": "dealt from the skat, of which no card is drawn"},
    "tetrarchia": {"area": "nobody chooses one: a die names it"},
    "tutorial": {"unit": "the kind of a piece, not a piece"},
}
"""Ruleset → kinds that options name and no picture has, with the reason."""


@pytest.mark.parametrize("ref", NAMES)
@pytest.mark.sampled(2)
def test_each_entity_that_an_option_names_has_a_place(ref: str) -> None:
    named, missing = 0, set()
    for seed in range(2):
        game, choose = played(ref, 0), random.Random(seed)
        board = board_for(game)
        while game.ply < 300 and not game.is_over:
            options = list(game.legal_options)
            if game.ply % 11 == 0:
                places = board.places(state_json(game))
                for of in (f"{kind}.{name}" for option in options[:80] for kind, name in entities(board, option)):
                    named += 1
                    missing |= {of.partition(".")[0]} if of not in places else set()
            game.apply(choose.choice(options))
    assert missing <= set(UNPLACED.get(ref, {}))
    assert named or ref == "liars_dice"  # its bids are numbers


def entities(board: Board, option: Option) -> list[tuple[str, str]]:
    """The entities that an option names: kind and name."""
    assert isinstance(board.words, Words)
    params = board.words.decisions.options[option.decision][option.name].params
    types = {p.var.name: p.var.type for p in params}
    named = ((types[key], name) for key, name in option.arguments.items())
    return [(type_.kind, name) for type_, name in named if isinstance(type_, Ent) and name != "none"]
