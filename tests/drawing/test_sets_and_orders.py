"""Sets, orders and tokens in tables of pictures without a drawing file: titles, lengths, and no member left out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from cases import small
from drawing_ports import assert_ports_agree

from rulespec.drawing.board import board_of
from rulespec.engine.game.game import Game

HANDS = """
procedure play():
    for p in player:
        for c in {first(deck)}:
            take c from deck
            set p.hand to p.hand | {c}
        shuffle p.heap
        choose card(c in p.hand) by p
    end game as over
--- kinds.yaml
kinds:
  card: {facts: {worth: int}, entities: {maple: {worth: 1}, birch: {worth: 2}, cedar: {worth: 3}}}
  ticket: {facts: {here: card, worth: int}, entities: {short_way: {here: maple, worth: 5}}}
  player:
    state:
      hand: {type: set card}
      heap: {type: order card, private: {to: "{}"}}
      bought: {type: set ticket}
state:
  deck: {type: order card, start: card, private: {to: "{}"}}
"""

MEN = """
procedure play():
    for p in player:
        choose give(m in man.box) by p
        move m to out
    end game as over
--- kinds.yaml
kinds:
  height: {entities: {tall: {}, short: {}}}
  colour: {entities: {light: {}, dark: {}}}
  shape: {entities: {round: {}, square: {}}}
  top: {entities: {hollow: {}, solid: {}}}
  man: {product: [height, colour, shape, top], places: {box: {}, out: {}}}
  player: {}
"""


def drawn(game: Game, folder: Path) -> tuple[dict[str, str], str, list[Any]]:
    """The static items of a picture, the texts of its changing ones, and the parts of cells on a page."""
    state = game.view("A").state
    picture, page = (board_of(game.ruleset, game.names, apart=apart) for apart in (False, True))
    assert_ports_agree(page, state, folder)
    texts = re.findall(r">([^<]+)</text>", "".join(item.svg for item in picture.items(state)))
    parts = [
        part if isinstance(part, str) else part[0] for row in page.text_rows(state) for cell in row for part in cell
    ]
    return {item.id: item.svg for item in picture.static}, "|".join(texts), parts


def test_a_hidden_order_has_its_length(tmp_path: Path) -> None:
    game = Game(small(tmp_path / "hands", HANDS), ["A", "B"])
    _, texts, parts = drawn(game, tmp_path)
    assert texts.count("2 hidden") == parts.count("2 hidden") == 1
    assert texts.count("0 hidden") == parts.count("0 hidden") == 2 and "?" not in texts


def test_titles_of_what_no_table_explains(tmp_path: Path) -> None:
    _, texts, parts = drawn(Game(small(tmp_path / "hands", HANDS), ["A", "B"]), tmp_path)
    assert "maple" in texts and "maple" in parts


def test_facts_of_what_is_held_have_a_table(tmp_path: Path) -> None:
    static = drawn(Game(small(tmp_path / "hands", HANDS), ["A", "B"]), tmp_path)[0]
    assert ">short way<" in static["table.ticket"] and ">5<" in static["table.ticket"] and "table.card" not in static


def test_every_token_of_a_product_is_shown(tmp_path: Path) -> None:
    texts = drawn(Game(small(tmp_path / "men", MEN), ["A", "B"]), tmp_path)[1].split("|")
    assert not any(text.startswith("+") for text in texts) and sum(len(text.split(" ")) == 4 for text in texts) == 16
