"""Every way out of a game has for each viewer all that the view has, and nothing else."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cases import small
from msgspec.structs import replace
from parlour import HINTS, PARLOUR
from shipped import EXPORTED, loaded

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from ways_out import Seen, module_of, new_game, ways_out

from rulespec.engine.game import wasm_export
from rulespec.engine.game.events import HIDDEN
from rulespec.engine.game.game import Game, seen_cells, seen_events
from rulespec.engine.game.seat_knowledge import NotFoundError
from rulespec.engine.logs import seat_log
from rulespec.engine.logs.sealed import seen_line
from rulespec.engine.program.columns import columns_of
from rulespec.engine.program.draws import Draws
from rulespec.engine.search.twins import determinize
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.engine.table import telling, viewing
from rulespec.engine.words.moves import Moves
from rulespec.pages import replay_data

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")


def played(game: Game, seed: int, moves: int) -> Game:
    """A game after some random decisions, or at its end."""
    draws = Draws(seed)
    while game.ply < moves and (option := choose(game, draws, interrupt_rate=0.1)) is not None:
        game.apply(option)
    return game


def withheld(seen: Seen) -> Iterator[str]:
    """Differences of the ways out from the view of a viewer."""
    for number, event in enumerate(seen.events):
        if event != seen.log[number]:
            yield f"log {number}: {seen.log[number]}, not {event}"
        if event is None:  # in a round that is open
            continue
        if event != seen.page_events[number]:
            yield f"page {number}: {seen.page_events[number]}, not {event}"
        moves = [of[number] for of in (seen.table_moves, seen.page_moves, seen.view_moves)]
        if len(set(moves)) > 1:
            yield f"moves {number}: {moves}"
        if seen.whole_moves and "?" not in event and moves[0] != seen.whole_moves[number]:
            yield f"move {number}: {moves[0]}, not {event}"
        if seen.page_asked[number] != seen.table_asked[number]:
            yield f"asked {number}: {seen.page_asked[number]}, not {seen.table_asked[number]}"
    for number, cells in enumerate(seen.cells):
        if cells != seen.table_cells[number]:
            yield f"cells of the table {number}"
        if cells != {
            path: value for path, value in seen.page_cells[number].items() if value is not None or path in cells
        }:
            yield f"cells of the page {number}"


def compared(game: Game, folder: Path, rules: str | None = None, most: int = 9) -> int:
    """Compares the ways out with the views, and with those of games that look the same to a seat.

    Returns:
        How many such games were compared, `most` at most.
    """
    module, twins = module_of(game), 0
    (folder / "game").mkdir()
    results = ways_out(game, module, (*game.seats, None), folder / "game", rules)
    for viewer, seen in results.items():
        assert [*withheld(seen)] == [], viewer
    for seat in game.seats:
        try:
            twin = determinize(game, seat, random.Random(3), 2_000)
        except NotFoundError:
            continue
        if twins < most and [*map(str, twin.history)] != [*map(str, game.history)]:
            (folder / seat).mkdir()
            alike = ways_out(twin, module, (seat,), folder / seat, rules)[seat]
            assert replace(alike, whole_moves=results[seat].whole_moves) == results[seat]
            twins += 1
    return twins


OWN = {"tokens, cards, amounts, nothing": PARLOUR, "an argument alone": HINTS}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", OWN)
def test_each_viewer_gets_its_view_and_nothing_else(name: str, tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", OWN[name])
    game = played(Game(ruleset, ["A", "B", "C"]), 5, 60)
    assert compared(game, tmp_path, str(tmp_path / "small"), most=1)


def test_a_showdown_is_on_all_ways(tmp_path: Path) -> None:
    game = Game(loaded("kuhn_poker")[0], ["A", "B", "C"])
    for text in ("deal(queen)", "deal(king)", "deal(ace)", "bet", "leave_it", "bet"):
        game.apply(game.parse(text))
    seen = ways_out(game, module_of(game), (None,), tmp_path)[None]
    assert [*withheld(seen)] == []
    for cells in (seen.cells, seen.page_cells, seen.table_cells):
        hands = [{seat: of.get(f"player.{seat}.card") for seat in "ABC"} for of in cells]
        assert hands[-2] == dict.fromkeys("ABC") and hands[-1] == {"A": "queen", "B": None, "C": "ace"}


@pytest.mark.proof
@pytest.mark.parametrize("name", EXPORTED)
def test_each_viewer_of_a_shipped_game_gets_its_view_and_nothing_else(name: str, tmp_path: Path) -> None:
    game = played(new_game(loaded(name)[0]), 1, 60)
    secretive = any(HIDDEN in str(event) for event in seen_events(game, None, 0))
    twins = compared(game, tmp_path)
    if secretive and not twins:  # a showdown has shown all: there are others that look the same until then
        (tmp_path / "before").mkdir()
        game.undo()
        twins = compared(game, tmp_path / "before")
    assert twins or not secretive


def as_if_private(p: Any, c: Any, to: Any) -> dict[str, Any]:
    """An option of whose parameters the module says that nobody but the decider sees them."""
    params = [
        {"name": q.name, "type": q.type, "words": columns_of(q, p.sizes), "private": True, "to": -1} for q in c.params
    ]
    return {"name": c.name, "params": params, "interrupt": c.by is not None}


WITHHELD: dict[str, tuple[Any, str, Any]] = {
    "arguments in pages": (wasm_export, "_option", as_if_private),
    "moves of tables": (telling, "seen_events", lambda game, seat, first: seen_events(game, None, first)),
    "cells of tables": (viewing, "seen_cells", lambda game, seat: seen_cells(game, None)),
    "decisions of logs": (seat_log, "seen_line", lambda step, event: seen_line(step, replace(event, option="?"))),
    "moves of replay pages": (
        replay_data,
        "Moves",
        lambda words, game, moves, seat, **how: Moves(words, game, moves, None, **how),
    ),
}
"""Ways out that have less than the view."""


@pytest.mark.parametrize("way", WITHHELD)
@pytest.mark.sampled(1)
def test_what_is_withheld_is_found(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ruleset = small(tmp_path / "small", PARLOUR)
    game = played(Game(ruleset, ["A", "B", "C"]), 5, 60)
    monkeypatch.setattr(*WITHHELD[way])
    with pytest.raises(AssertionError):
        compared(game, tmp_path, str(tmp_path / "small"), most=0)
