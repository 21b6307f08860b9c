"""Rulesets without a drawing file: all public information is in the picture or in a table, and legible."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from cases import small
from drawing_ports import assert_ports_agree
from fairground import FAIRGROUND
from found_cells import public_cells, shared_labels, unfound
from pictures import outside, overlaps
from proofs import proofs_but
from shipped import NAMES, loaded

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.drawing import svg
from rulespec.drawing.board import Board, board_of
from rulespec.drawing.cell_borders import middle_of, middles
from rulespec.drawing.colours import ground
from rulespec.drawing.drawing_file import read_drawing
from rulespec.drawing.scene import to_svg
from rulespec.drawing.style import style_of
from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names
from rulespec.engine.game.state_json import state_json
from rulespec.engine.program.cells import CellName
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.engine.words.words import Words
from rulespec.typed import nodes as typed

LEAST = 12.0
_TEXT = re.compile(r'<text[^>]*font-size="([\d.]+)"[^>]*>([^<]+)')


def undrawn_file(ruleset: typed.Ruleset, players: int = 3) -> tuple[Board, Game]:
    """A board as without a drawing file, and a game."""
    low, high = ruleset.players
    game = Game(ruleset, seat_names(max(low, min(players, high)), ruleset.seats))
    words = Words(ruleset)
    return Board(ruleset.declarations, style_of(ruleset.declarations, {}), game.names, words), game


def go_on(game: Game, ply: int, seed: int = 3) -> None:
    draws = Draws(seed)
    while game.ply < ply and not game.is_over and (option := choose(game, draws)) is not None:
        game.apply(option)


def shown_cells(board: Board, game: Game) -> list[CellName]:
    """The public cells, except those hidden from people by the ruleset's titles.

    An account that may become negative is not shown, unless a drawing requests it.
    """
    internal, fields = board.words.internal, board.sheet.d.fields
    return [
        cell
        for cell in public_cells(game)
        if not internal(*((cell.name, cell.place) if cell.group == "pieces" else (cell.group, cell.name)))
        if not (cell.group == "game" and fields[cell.name].unlimited)
    ]


def some(cells: list[CellName], most: int, seed: int) -> list[CellName]:
    """A random selection of at most `most` cells for each field and place."""
    results: dict[tuple[str, str, str], list[CellName]] = {}
    for cell in random.Random(seed).sample(cells, len(cells)):
        results.setdefault((cell.group, cell.name, cell.place), []).append(cell)
    return [cell for of in results.values() for cell in of[:most]]


@pytest.fixture(scope="module")
def fairground(tmp_path_factory: pytest.TempPathFactory) -> typed.Ruleset:
    return small(tmp_path_factory.mktemp("fairground") / "small", FAIRGROUND)


def test_each_public_cell_is_in_the_picture_or_in_a_table(fairground: typed.Ruleset) -> None:
    board, game = undrawn_file(fairground)
    for ply in (0, 20):
        go_on(game, ply)
        assert unfound(board, game, shown_cells(board, game)) == []


def test_what_is_taken_away_from_a_picture_is_missed(fairground: typed.Ruleset) -> None:
    board, game = undrawn_file(fairground)
    del board.plans["plot"]
    missed = {name.partition(".")[2] for name in unfound(board, game, shown_cells(board, game))}
    assert missed == {"use", "yield", "dry", "up"}


def test_no_two_things_share_a_label(fairground: typed.Ruleset) -> None:
    board, _ = undrawn_file(fairground)
    assert shared_labels(board) == []
    assert board.sheet.titles("slot") == ("slot 1", "slot 2", "slot 3")
    assert board.sheet.titles("card")[:3] == ("sun 2", "sun 3", "sun king")


def unreadable(svg: str) -> dict[str, float]:
    """Texts below twelve points, or truncated."""
    return {text: float(size) for size, text in _TEXT.findall(svg) if float(size) < LEAST or text.endswith("…")}


def test_texts_can_be_read_and_none_lies_on_another(fairground: typed.Ruleset) -> None:
    board, game = undrawn_file(fairground)
    for ply in (0, 12, 36):
        go_on(game, ply)
        svg = to_svg(board.scene(game))
        assert unreadable(svg) == {} and overlaps(svg) == [] and outside(svg) == []


def test_the_page_draws_the_same(fairground: typed.Ruleset, tmp_path: Path) -> None:
    board, game = undrawn_file(fairground)
    go_on(game, 20)
    state = state_json(game)
    state["entities"]["hex"]["a1"] |= {"tile": "t57", "turn": 4}
    state["entities"]["hex"]["a2"] |= {"tile": None, "turn": 2}
    state["entities"]["hex"]["b1"]["seen"] = ["A", "C"]
    state["entities"]["edge"]["A_a1_north"]["up"] = True
    assert_ports_agree(board, state, tmp_path)


def item(board: Board, game: Game, id_: str) -> str:
    return next(item.svg for item in board.items(state_json(game)) if item.id == id_)


def test_each_owner_has_a_board_of_his_own(fairground: typed.Ruleset) -> None:
    board, game = undrawn_file(fairground)
    boxes = [board.plans["plot"].boxes[n] for n in range(18)]
    assert len({box[:2] for box in boxes}) == 18 and "cell" not in board.plans
    places = board.places()
    assert {"plot.A_a1", "plot.C_c2", "cell.a1", "cell.c2"} <= set(places)
    assert places["cell.b2"].box == places["plot.A_b2"].box  # the bare cell is on the viewer's board
    other = board_of(fairground, game.names, viewer=2).places()
    assert other["cell.b2"].box == other["plot.C_b2"].box


def test_a_tile_has_lines_from_side_to_side_a_city_and_a_number(fairground: typed.Ruleset) -> None:
    board, game = undrawn_file(fairground)
    state = state_json(game)
    state["entities"]["hex"]["a1"]["tile"] = "t57"

    def drawn(turn: int) -> str:
        state["entities"]["hex"]["a1"]["turn"] = turn
        return next(item.svg for item in board.items(state) if item.id == "tile.hex.a1")

    assert "tile 57" in drawn(0) and "<circle" in drawn(0) and ">20<" in drawn(0)
    east, _, north_west, *_ = middles(fairground.declarations.boards["hex"], board.plans["hex"].boxes[0])
    (x, y), ends = middle_of(board.plans["hex"].boxes[0]), []
    for a, b in (east, north_west):
        ends.append(f"M{svg.number(round(a - x, 1))} {svg.number(round(b - y, 1))}L")
    assert f"translate({svg.number(x)} {svg.number(y)})" in drawn(0)
    assert all(end in drawn(0) for end in ends) and ends[1] in drawn(2) and ends[0] not in drawn(2)
    assert east[0] > x and east[1] == y and north_west[1] < y


def test_an_entity_whose_state_is_a_cell_stands_on_it(fairground: typed.Ruleset) -> None:
    board, game = undrawn_file(fairground)
    left, top, right, bottom = board.plans["step"].boxes[0]
    moved = re.search(r"translate\((\S+) (\S+)\)", item(board, game, "ring.step.bakewell.step"))
    assert moved is not None
    x, y = map(float, moved.groups())
    assert left < x < right and top < y < bottom


STALLS = """
--- game.yaml
id: small
title: Stalls
version: "1.0"
players: {kind: player, min: 2, max: 3}
start: play
--- boards.yaml
boards:
  cell:
    grid: {columns: a..b, rows: 1..2}
    facts: {colour: colour}
    spaces: {a1: {colour: red}, b1: {colour: blue}, a2: {colour: blue}, b2: {colour: red}}
--- kinds.yaml
kinds:
  colour: {entities: {red: {}, blue: {}}}
  stall: {entities: {north: {}, south: {}}}
  disc: {facts: {roll: int}, entities: {third: {roll: 3}, tenth: {roll: 10}}, places: {heap: {}, on: {index: stall}}}
  ware: {entities: {cheese: {}, wine: {}}, places: {store: {}, out: {index: stall}}}
  guard: {entities: {watchman: {}}, places: {lodge: {}, at: {index: stall}}}
  spot: {product: [player, cell]}
  player: {}
pieces:
  tile: {each: [colour], places: {bag: {}, wall: {index: spot}}}
--- setup.yaml
setup:
  pieces: {tile.bag: 4}
  state: {disc.place: "on[south]", ware.place: "out[north]", guard.place: "at[south]"}
--- rules/play.rules
procedure play():
    choose spots(s in spot, k in colour where s.cell.colour == k, d in disc, w in ware, g in guard) by first(player)
    move 1 of tile[k] from bag to wall[s]
    move d to on[north]
    move w to out[south]
    move g to at[north]
"""


def test_tokens_without_owners_are_told_apart_by_a_number_or_their_letters(tmp_path: Path) -> None:
    board, game = undrawn_file(small(tmp_path / "small", STALLS))
    assert re.findall(r">([^<]+)</text>", item(board, game, "piece.south.disc.on.tenth")) == ["10"]
    assert re.findall(r">([^<]+)</text>", item(board, game, "piece.north.ware.out.wine")) == ["W"]
    assert "<text" not in item(board, game, "piece.south.guard.at.watchman")
    assert_ports_agree(board, state_json(game), tmp_path)


def test_a_colour_in_most_names_of_a_kind_is_theirs(tmp_path: Path) -> None:
    text = STALLS.replace("cheese: {}, wine: {}", "red_wine: {}, white_wine: {}, water: {}, oil: {}")
    mixed = undrawn_file(small(tmp_path / "small", text))[0].sheet
    assert mixed.look("ware", 0).colour not in ("red", "white") and mixed.look("ware", 2).colour == "water"
    most = undrawn_file(small(tmp_path / "most", text.replace(", oil: {}", "")))[0].sheet
    assert [most.look("ware", n).colour for n in range(3)] == ["red", "white", "water"]


def test_a_card_has_the_colour_that_a_fact_names(tmp_path: Path) -> None:
    facts = "{facts: {colour: colour}, entities: {cheese: {colour: blue}, wine: {colour: red}, oil: {colour: blue}}"
    text = STALLS.replace("{entities: {cheese: {}, wine: {}}", facts)
    sheet = undrawn_file(small(tmp_path / "small", text))[0].sheet
    assert [sheet.look("ware", n).colour for n in range(3)] == ["blue", "red", "blue"]
    plain = text.replace("{red: {}, blue: {}}", "{cream: {}, amber: {}, red: {}, blue: {}, teal: {}}")
    sheet = undrawn_file(small(tmp_path / "plain", plain))[0].sheet
    assert sheet.look("ware", 0).colour != sheet.look("ware", 2).colour


def test_pieces_that_lie_face_down_are_counted_for_all(tmp_path: Path) -> None:
    text = STALLS.replace("{bag: {}, wall", '{bag: {private: {to: "{}"}}, wall')
    board, game = undrawn_file(small(tmp_path / "small", text))
    seen = {each.id: each.svg for each in board.items(game.view(game.seats[0]).state)}
    assert re.findall(r">([^<]+)</text>", seen["row.game.game"]) == ["8 hidden"]
    assert re.findall(r">([^<]+)</text>", item(board, game, "row.game.game")) == ["R x4", "B x4"]
    assert_ports_agree(board, game.view(game.seats[0]).state, tmp_path)


def test_cards_have_a_table_of_their_facts_and_of_their_rows_in_look_up_tables(tmp_path: Path) -> None:
    rows = "{cheese: {red: 2, blue: 1}, wine: {red: 0, blue: 1}}"
    tables = f"--- tables.yaml\ntables: {{cost: {{key: [ware, colour], value: int, rows: {rows}}}}}\n"
    facts = "ware: {facts: {age: int}, entities: {cheese: {age: 3}, wine: {age: 7}}"
    text = STALLS.replace("ware: {entities: {cheese: {}, wine: {}}", facts).replace("--- rules", f"{tables}--- rules")
    board, game = undrawn_file(small(tmp_path / "small", text))
    (table,) = (each for each, _ in board.text_tables() if each.kind == "ware")
    assert [column.title for column in table.columns] == ["age", "cost"]
    assert [["3"], ["2 red, blue"]] in [*board.text_rows(state_json(game))]
    assert "2 red, blue" in to_svg(board.scene(game))
    assert_ports_agree(board, state_json(game), tmp_path)
    named = small(tmp_path / "named", f"{text}--- drawing.yaml\ndrawing: {{tables: {{ware: [cost]}}}}\n")
    assert [["2 red, blue"]] in [*board_of(named, game.names).text_rows(state_json(game))]


def test_tokens_of_players_are_told_apart_as_values(tmp_path: Path) -> None:
    kings = "  king: {each: [player], number: 2, places: {box: {}}}\n  spot:"
    fields = "state:\n  line: {type: order king, start: king}\n  last: {type: king?}\npieces:"
    text = STALLS.replace("  spot:", kings, 1).replace("pieces:", fields, 1)
    board, game = undrawn_file(small(tmp_path / "small", text))
    state = state_json(game)
    state["entities"]["game"]["game"]["last"] = "B_king_2"
    shown = re.findall(r">([^<]+)</text>", {each.id: each.svg for each in board.items(state)}["row.game.game"])
    assert shown[:6] == ["1 1", "1 2", "2 1", "2 2", "3 1", "3 2"] and "2 2" in shown[6:]
    assert_ports_agree(board, state, tmp_path)


def test_a_token_may_show_its_number(tmp_path: Path) -> None:
    kings = "  king: {each: [player], number: 2, places: {box: {}, on: {index: cell}}}\n  spot:"
    text = STALLS.replace("  spot:", kings, 1).replace("disc.place:", 'king.place: "on[a1]", disc.place:')
    ruleset = small(tmp_path / "small", f"{text}--- drawing.yaml\ndrawing: {{pieces: {{king: {{text: number}}}}}}\n")
    game = Game(ruleset, ["A", "B"])
    board = board_of(ruleset, game.names)
    shown = {token: item(board, game, f"piece.a1.king.on.{token}") for token in ("A_king_1", "A_king_2", "B_king_2")}
    assert [re.findall(r">([^<]+)</text>", svg)[0] for svg in shown.values()] == ["1", "2", "2"]
    assert_ports_agree(board, state_json(game), tmp_path)


def test_cells_of_each_owners_board_have_their_printed_colours(tmp_path: Path) -> None:
    board, _ = undrawn_file(small(tmp_path / "small", STALLS))
    svg = to_svg(board.scene(None))
    assert svg.count(f'fill="{ground("red")}"') == 6 and svg.count(f'fill="{ground("blue")}"') == 6


FIELDS = """
procedure play():
    end game as over

scoring p in player:
    score 1
--- game.yaml
id: fields
title: Fields
version: "1.0"
players: {kind: player, min: 2, max: 4}
start: play
--- boards.yaml
boards: {cell: {grid: {columns: a..i, rows: 1..9}}}
--- kinds.yaml
kinds:
  crop: {entities: {corn: {}, hay: {}}}
  field: {product: [player, cell], state: {crop: {type: "crop?"}}}
  player: {}
"""


@pytest.mark.parametrize("size, beside", [("a..i, rows: 1..9", 2), ("a..e, rows: 1..5", 3), ("a..p, rows: 1..16", 1)])
def test_boards_of_owners_lie_side_by_side_if_they_fit(size: str, beside: int, tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", FIELDS.replace("a..i, rows: 1..9", size))
    board = board_of(ruleset, ["A", "B", "C"])
    boxes = [place.box for id_, place in board.places().items() if id_.startswith("field.")]
    cells = len(boxes) // 3
    corners = [boxes[n * cells][:2] for n in range(3)]
    assert len({y for _, y in corners}) == -(-3 // beside) and len({x for x, _ in corners}) == beside
    assert beside == 1 or max(box[2] for box in boxes) <= 1020
    assert min(box[2] - box[0] for box in boxes) >= 44


CHANGED = """
--- drawing.yaml
drawing:
  codes: {plot.yield: Y}
  boards:
    plot: {as: mats, fields: [use, yield], sides: [edge.up], cell: 90, caption: true}
    hex: {as: grid, tiles: {field: tile, lines: lines, ends: [a, b], turn: turn, city: town}}
"""


def test_a_drawing_file_may_say_all_of_it(tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", FAIRGROUND + CHANGED)
    game = Game(ruleset, ["A", "B", "C"])
    state = state_json(game)
    state["entities"]["hex"]["b1"]["tile"] = "t57"
    state["entities"]["plot"]["B_a1"]["yield"] = 7
    shown = {item.id: item.svg for item in board_of(ruleset, game.names).items(state)}
    assert ">20<" not in shown["tile.hex.b1"] and ">Y7<" in shown["field.B_a1.yield"]


@pytest.mark.parametrize(
    "before, after, message",
    [
        ("plot: {as: mats", "licence: {as: mats", "`licence` is not a product of owners and a regular board"),
        ("[edge.up]", "[licence.rank]", "`licence` is not a product of `plot` and its directions"),
        ("[edge.up]", "[edge.down]", "`edge` has no field `down`"),
        ("field: tile", "field: turn", "`hex` has no field `turn` that names an entity"),
        ("lines: lines", "lines: worth", "`tile` has no fact `worth` that is a set"),
        ("ends: [a, b]", "ends: [a, c]", "`line` has no fact `c`"),
        ("city: town", "city: city", "`tile` has no fact `city`"),
        ("turn: turn", "turn: turns", "`hex` has no field `turns`"),
        ("plot.yield: Y", "plot.crop: Y", "`plot` has no field `crop`"),
    ],
)
def test_names_of_a_drawing_file_are_checked(before: str, after: str, message: str, tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", FAIRGROUND + CHANGED.replace(before, after))
    with pytest.raises(DiagnosticsError) as error:
        read_drawing(ruleset)
    assert message in str(error.value) and all(diagnostic.span for diagnostic in error.value.diagnostics)


@pytest.mark.parametrize("name", proofs_but(NAMES, "ludo", "tetrarchia"))
def test_shipped_rulesets_are_shown_without_their_drawings(name: str) -> None:
    board, game = undrawn_file(loaded(name)[0], 4)
    for ply in (0, 60):
        go_on(game, ply)
        assert unfound(board, game, some(shown_cells(board, game), 2, ply)) == []
    svg = to_svg(board.scene(game))
    assert overlaps(svg) == [] and outside(svg) == [] and shared_labels(board) == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.proof
def test_shipped_rulesets_are_shown_whole_without_their_drawings(name: str, tmp_path: Path) -> None:
    board, game = undrawn_file(loaded(name)[0], 4)
    for ply in (0, 30, 90, 200):
        go_on(game, ply)
        assert unfound(board, game, some(shown_cells(board, game), 20, ply)) == []
        assert_ports_agree(board, state_json(game), tmp_path)
