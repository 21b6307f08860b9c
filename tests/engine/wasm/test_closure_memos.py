"""Reached sets that a module keeps are what the rules reach, whatever has been written since; so are values of
definitions that use them.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import pytest
from cases import small
from machines_alike import Length, Table, beside_the_interpreter, needs_wasm

from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import lowered
from rulespec.engine.passes.count_work import count_work
from rulespec.engine.passes.occupancy import with_occupancy
from rulespec.engine.passes.pipeline import optimized
from rulespec.engine.verify.perft import perft
from rulespec.engine.verify.wasm_perft import wasm_perft
from rulespec.engine.wasm import engine
from rulespec.engine.wasm.closure_memos import ClosureMemo, ClosureMemos
from rulespec.engine.wasm.playouts import WasmGames
from rulespec.engine.wasm.program import WasmProgram

YARDS = """
def open_to(c: cell) -> set cell:
    {y for d in direction where not edge[c, d].wall for y in {c.to(d)}}
def yard(c: cell) -> set cell: reach(x from {c}: open_to(x))
def grazed(c: cell, p: player) -> set cell:
    reach(x from {c}: {y in open_to(x) where sheep.at[y] > 0 or y.owner == p or edge[y, up].wall})
def walls(c: cell) -> int: count(d in direction where edge[c, d].wall)
def crowd(c: cell, p: player) -> set cell:
    {y in yard(c) where sheep.at[y] > 0 and y.owner == p and any(z in yard(y) where z != y and sheep.at[z] > 0)}

procedure play():
    repeat at most 30:
        for p in player:
            decide turn by p:
                option fence(c in cell, d in direction where not edge[c, d].wall and count(yard(c)) > 3):
                    set edge[c, d].wall to true
                option open(c in cell, d in direction where edge[c, d].wall and count(yard(c)) < 5):
                    set edge[c, d].wall to false
                option graze(c in cell where sheep.at[c] == 0 and count(grazed(c, p)) + walls(c) < 4):
                    require sheep.stock > 0
                    move 1 of sheep from stock to at[c]
                    set c.owner to p
                option drive(c in cell where sheep.at[c] > 0 and count(yard(c)) > 2):
                    move 1 of sheep from at[c] to stock
                    leave_behind(p, c)
                option part(c in cell where (count(yard(c)) once close(c)) + 1 < count(yard(c))):
                    close(c)
                option scatter(c in cell where count(crowd(c, p)) > 0):
                    for y in crowd(c, p):
                        set y.owner to none
                    if count(crowd(c, p)) == 0:
                        set c.owner to next(p)
                option stop:
                    pass

procedure close(c: cell):
    for d in {up, right}:
        set edge[c, d].wall to true

procedure leave_behind(p: player, c: cell):
    let mine = grazed(c, p)
    if count(mine) > 1:
        set c.owner to none
        for y in mine - grazed(c, next(p)):
            set y.owner to next(p)

scoring p in player:
    score sum(count(grazed(c, p)) for c in cell where c.owner == p)
--- kinds.yaml
kinds:
  cell: {state: {owner: {type: "player?"}}}
  direction: {}
  edge: {product: [cell, direction], state: {wall: {type: bool}}}
pieces:
  sheep: {places: {stock: {}, at: {index: cell}}}
--- setup.yaml
setup:
  pieces: {sheep.stock: 5}
--- boards.yaml
boards:
  cell:
    grid: {columns: a..c, rows: 1..3}
    directions: {up: {step: [0, 1]}, down: {step: [0, -1]}, right: {step: [1, 0]}, left: {step: [-1, 0]}}
"""


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(small(tmp_path / "yards", YARDS), 2)


@needs_wasm
@pytest.mark.parametrize("machine", ["wasm", pytest.param("batch", marks=pytest.mark.proof)])
def test_a_kept_set_is_what_is_reached(table: Table, machine: str) -> None:
    for seed in (0, 2):
        beside_the_interpreter(machine, table, Length(40, 4), random.Random(seed))


def test_reached_sets_are_kept_with_the_cells_that_they_read(table: Table) -> None:
    p, occupancy = with_occupancy(optimized(count_work(lowered(table.ruleset, table.seats, {}))))
    memos = ClosureMemos(p, occupancy)

    def names(memos: Iterable[ClosureMemo]) -> set[frozenset[str]]:
        return {frozenset(p.cells[at].name for cells in k.reads for at in cells if at < len(p.cells)) for k in memos}

    sets, definitions = memos._memos.values(), memos.functions.values()
    assert names(sets) == {frozenset({"wall"}), frozenset({"wall", "sheep", "owner"})}
    assert {len(k.keys) for k in sets} == {1, 2}
    assert frozenset({"wall", "sheep", "owner"}) in names(definitions)
    assert len({k.number for k in (*sets, *definitions)}) == len(sets) + len(definitions)


MEADOW = """
procedure play():
    repeat at most 30:
        for p in player:
            decide turn by p:
                option fence(c in cell where count(yard(c)) > 3, d in direction where not edge[c, d].wall):
                    set edge[c, d].wall to true
                    set edge[c, d.turned].wall to true
                option stop:
                    pass
--- kinds.yaml
"""


def meadow(folder: Path, columns: str, rows: int) -> Table:
    """A table with a board of cells, each with a yard, in which a fence closes one side of a cell only."""
    rules = YARDS[: YARDS.index("def grazed")] + MEADOW + YARDS.split("--- kinds.yaml")[1]
    rules = rules.replace("  direction: {}", "  direction: {facts: {turned: direction}}")
    for side, turned in (("[0, 1]", "right"), ("[0, -1]", "left"), ("[1, 0]", "down"), ("[-1, 0]", "up")):
        rules = rules.replace(f"{{step: {side}}}", f"{{step: {side}, turned: {turned}}}")
    return Table(small(folder, rules.replace("columns: a..c, rows: 1..3", f"columns: {columns}, rows: 1..{rows}")), 2)


@needs_wasm
@pytest.mark.parametrize("machine", ["wasm", pytest.param("batch", marks=pytest.mark.proof)])
def test_a_set_is_composed_of_sets_already_searched(tmp_path: Path, machine: str) -> None:
    """A cell may reach one that does not reach it; sets of 66 cells take two words."""
    for columns, rows, plies in (("a..d", 3, 30), ("a..k", 6, 4)):
        table = meadow(tmp_path / columns, columns, rows)
        beside_the_interpreter(machine, table, Length(plies, 4), random.Random(1))


@needs_wasm
def test_searching_the_sets_of_all_members_takes_little_more_than_searching_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time to list the options on an open board grows with its cells, not with their square."""
    import wasmtime

    config, full = wasmtime.Config(), 1 << 40
    config.consume_fuel = True
    metered = wasmtime.Engine(config)

    class Store(wasmtime.Store):
        def __init__(self, of: wasmtime.Engine) -> None:
            super().__init__(of)
            self.set_fuel(full)

    monkeypatch.setattr(engine, "_engine", lambda: metered)
    monkeypatch.setattr(wasmtime, "Store", Store)

    def instructions(side: int) -> int:
        games = WasmGames(WasmProgram(lowered(meadow(tmp_path / f"{side}", f"a..{'dh'[side > 4]}", side)[0], 2, {})), 0)
        before = games._instance._store.get_fuel()
        (played,) = games.play(0, range(1), 1)
        assert played.decisions == 1
        return int(before - games._instance._store.get_fuel())

    assert instructions(8) < 6 * instructions(4)


@needs_wasm
def test_what_is_written_from_outside_is_seen(table: Table) -> None:
    game, plain = (Game(table.ruleset, ["A", "B"], {}, backend) for backend in ("wasm", "interpreter"))
    for wall in ("true", "false", "true"):
        for each in (game, plain):
            for place in ("edge[a1, up].wall", "edge[a1, right].wall", "edge[a2, down].wall", "edge[b1, left].wall"):
                each.omniscient.set_value(place, wall)
        assert [str(o) for o in game.legal_options] == [str(o) for o in plain.legal_options]
        option = next(o for o in plain.legal_options if str(o) == "stop")
        game.apply(option)
        plain.apply(option)


@needs_wasm
def test_positions_that_are_taken_back_have_their_own_sets(table: Table) -> None:
    game = Game(table.ruleset, ["A", "B"])
    assert wasm_perft(game, 2) == perft(game, 2)
