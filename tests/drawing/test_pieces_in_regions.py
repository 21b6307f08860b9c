"""Pieces stand in their regions, by the outlines that are drawn; the few without room have a line, or are a pile."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from math import hypot
from pathlib import Path
from typing import Any

import pytest
from folders import GAMES
from piece_boxes import Piece, Shape, crossed, names, overlaps, pieces, shapes
from shipped import loaded

from rulespec.drawing.areas import Areas
from rulespec.drawing.board import Board, board_of
from rulespec.drawing.placing import PIECE, LabelBlock
from rulespec.drawing.stands import REACH, Stand, stands
from rulespec.drawing.svg import Box
from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.seating import seat_names
from rulespec.engine.game.state_json import state_json
from rulespec.engine.replay.replay import replay_log

MAPS = ["imperial", "imperial_2030", "imperial_asia", "tetrarchia", "tutorial"]
WHOLE = 0.95
"""The least share of all pieces that are inside their regions."""
_EVERY = 15


def random_positions(ref: str, seed: int, most: int) -> Iterator[dict[str, Any]]:
    """Positions of random games, one after the other, with each number of players in turn."""
    ruleset, _ = loaded(ref)
    choose, (low, high) = random.Random(seed), ruleset.players
    while most > 0:
        seed += 1
        game = Game(ruleset, seat_names(low + seed % (high - low + 1), ruleset.seats))
        while not game.is_over and game.ply < 600 and most > 0:
            game.apply(choose.choice(list(game.legal_options)))
            if game.ply % _EVERY == 0:
                most -= 1
                yield state_json(game)


def recorded_positions(path: Path) -> Iterator[dict[str, Any]]:
    """Positions of a recorded game, and its last one."""
    played = replay_log(path).game
    again = restarted(played)
    for number, option in enumerate(played.history, 1):
        again.apply(option)
        if number % _EVERY == 0 or number == len(played.history):
            yield state_json(again)


def look(board: Board, areas: dict[str, Shape], state: dict[str, Any]) -> Iterator[Piece]:
    """The pieces of a state; whatever they are, they lie on no other, on no name, and their lines cross none."""
    shown = list(pieces(board, areas, state))
    assert overlaps(shown) == []
    assert [piece.id for piece in shown if any(box.meets(piece) for box in names(board))] == []
    assert crossed(shown) == []
    yield from shown


def assert_inside(board: Board, states: Iterator[dict[str, Any]]) -> None:
    areas = shapes(board)
    counts = Counter(piece.how for state in states for piece in look(board, areas, state))
    assert counts.total() and counts["outside"] == 0, counts
    assert counts["inside"] >= WHOLE * counts.total(), counts


@pytest.mark.parametrize("ref", MAPS)
@pytest.mark.sampled(1)
def test_pieces_of_random_games_are_inside(ref: str) -> None:
    ruleset, _ = loaded(ref)
    board = board_of(ruleset, seat_names(ruleset.players[1], ruleset.seats))
    assert_inside(board, random_positions(ref, 1, 6))


LOGS = [
    path
    for ref in MAPS
    for path in sorted((GAMES / ref / "logs").glob("**/*.jsonl*"))
    if path.parent.name not in ("positions", "legal")  # not logs, but what the other system recorded beside them
]


@pytest.mark.proof
@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.relative_to(GAMES).parts[0]}-{path.name}")
def test_pieces_of_recorded_games_are_inside(path: Path) -> None:
    game = replay_log(path).game
    assert_inside(board_of(game.ruleset, game.seats), recorded_positions(path))


@pytest.mark.proof
@pytest.mark.parametrize("ref", MAPS)
def test_pieces_of_many_random_games_are_inside(ref: str) -> None:
    ruleset, _ = loaded(ref)
    board = board_of(ruleset, seat_names(ruleset.players[1], ruleset.seats))
    assert_inside(board, random_positions(ref, 100, 600))


# --- stands by themselves ------------------------------------------------------------------------


def square(left: float, top: float, side: float) -> list[tuple[float, float]]:
    return [(left, top), (left + side, top), (left + side, top + side), (left, top + side)]


def placed(*rings: list[tuple[float, float]], at: tuple[float, float], taken: Any = ()) -> tuple[Stand, ...]:
    tray = Box((at[0] - 11, at[1] - 11, at[0] + 11, at[1] + 11))
    block = LabelBlock(("",), 10, (at,), Box((*at, *at)), tray)
    return stands(Areas([list(rings)], []), [block], taken, (400, 400))[0]


def test_a_large_region_has_one_size() -> None:
    (stand,) = placed(square(100, 100, 120), at=(160, 160))
    assert stand.size == PIECE and len(stand.spots) == 8 and hypot(stand.spots[0][0] - 160, stand.spots[0][1] - 160) < 2
    assert all(111 <= x <= 209 and 111 <= y <= 209 for x, y in stand.spots)
    assert min(
        max(abs(x - a), abs(y - b)) for i, (x, y) in enumerate(stand.spots) for a, b in islice(stand.spots, i)
    ) >= PIECE  # fmt: skip


def test_a_small_region_has_smaller_pieces_for_many() -> None:
    sizes = [(stand.size, len(stand.spots)) for stand in placed(square(100, 100, 48), at=(124, 124))]
    assert sizes[0] == (PIECE, 4) and sizes[1:] == sorted(sizes[1:], reverse=True) and sizes[-1][1] >= 8


def test_nothing_stands_in_a_hole() -> None:
    (stand, *_) = placed(square(100, 100, 120), square(130, 130, 60), at=(160, 160))
    assert all(not (120 < x < 200 and 120 < y < 200) for x, y in stand.spots)


def test_nothing_stands_on_what_is_taken() -> None:
    for stand in placed(square(100, 100, 120), at=(160, 160), taken=[square(100, 100, 60)]):
        assert all(x > 160 or y > 160 for x, y in stand.spots)


def test_pieces_of_an_islet_have_lines() -> None:
    (stand,) = placed(square(100, 100, 8), at=(104, 104))
    assert stand.spots == () and len(stand.lines) == 4
    for (x, y), (a, b) in stand.lines:
        assert 100 <= a <= 108 and 100 <= b <= 108 and hypot(x - a, y - b) <= (REACH + 0.5) * stand.size
