"""Narrowing: conditions on cells and on their neighbours become sets, and mean the same in every machine."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from cases import small
from machines_alike import MACHINES, Length, Table, beside_the_interpreter
from proofs import examples

from rulespec.engine.lower.lowering import lower
from rulespec.engine.passes.fold_constants import fold_constants
from rulespec.engine.passes.narrow import narrow
from rulespec.engine.passes.occupancy import with_occupancy
from rulespec.engine.passes.pipeline import optimized
from rulespec.engine.program import ir
from rulespec.engine.program.builder import op
from rulespec.engine.program.traversal import walk

BOARD = """
procedure play():
    repeat:
        for p in player:
            turn(p)

procedure turn(p: player):
    decide turn by p:
        option put(c in cell where {condition}):
            set c.disc to p
            set p.latest to c
        option take(c in cell where c.disc is some):
            set c.disc to none
        option stop():
            end game as stopped won by {{p}}
    if all(c in cell: {all}):
        end game as all won by {{}}
--- kinds.yaml
kinds:
  player: {{state: {{latest: {{type: "cell?"}}}}}}
  cell: {{state: {{disc: {{type: "player?"}}}}}}
  direction: {{}}
--- boards.yaml
boards:
  cell:
    grid: {{columns: a..{column}, rows: 1..4}}
    directions: {{up: {{step: [0, 1]}}, down: {{step: [0, -1]}}, right: {{step: [1, 0]}}, slant: {{step: [-1, -1]}}}}
"""
SETS = [
    "c.disc is none",
    "c.disc is none and (c.to(down) is none or c.to(down).disc is some)",
    "c.disc is none and (c.to(up) is none or c.to(up).disc is none)",
    "c.to(slant) is some and c.to(slant).disc is none",
    "c.to(right) is none or c.to(right).disc == p or c.disc == p",
    "not (c.to(right) is some and c.to(right).disc is some)",
    "c.to(up) is none or c.to(up).to(up) is none or c.to(up).to(up).disc is none",
]
COMMON = [
    "p.latest is none or c in {p.latest}",
    "p.latest is none or p.latest.to(down) is none or c == p.latest.to(down) or c in ray(p.latest, up)",
    "not (p.latest is some and c in {p.latest} and c.disc is some)",
    "p.latest is none or c.to(up) is some and c.to(up) in {p.latest} or c.disc is none",
    "c.disc is none and (p.latest is none or p.latest.disc is some) or c.disc is some and not (p.latest is none)",
]
LOOPS = ["c.disc is none or c.to(down) is some and c.to(down).disc == c.disc"]
ALL = ["c.disc is some", "c.disc is none", "c.to(down) is none or c.to(down).disc is some"]


def board(folder: Path, condition: str, every: str, column: str = "d") -> Table:
    text = BOARD.format(condition=condition, all=every, column=column)
    return Table(small(folder / "board", text), 2)


def put(table: Table) -> ir.Param:
    """The parameter of the first option after all passes."""
    (decision,) = optimized(lower(table.ruleset, table.seats, {})).decisions
    return decision.choices[0].params[0]


@pytest.mark.parametrize("condition", SETS)
def test_a_condition_on_cells_and_their_neighbours_is_a_set(tmp_path: Path, condition: str) -> None:
    assert put(board(tmp_path, condition, ALL[0])).where is None


@pytest.mark.parametrize("condition", COMMON)
def test_a_guard_that_is_not_about_a_member_is_all_or_nothing(tmp_path: Path, condition: str) -> None:
    assert put(board(tmp_path, condition, ALL[0])).where is None


@pytest.mark.parametrize("condition", LOOPS)
def test_two_cells_of_a_member_make_a_loop(tmp_path: Path, condition: str) -> None:
    assert put(board(tmp_path, condition, ALL[0])).where is not None


@pytest.mark.parametrize("column", ["d", "p", "q"], ids=["16 cells", "64 cells", "68 cells"])
def test_neighbours_are_found_by_moving_sets_of_one_word(tmp_path: Path, column: str) -> None:
    domain = put(board(tmp_path, SETS[1], ALL[0], column))
    moved = any(isinstance(e, ir.Op) and e.op == "moved" for e in walk(domain.low))
    assert moved == (column != "q") == (domain.where is None)


@pytest.mark.parametrize("every", ALL)
def test_what_holds_for_all_is_an_empty_set(tmp_path: Path, every: str) -> None:
    table = board(tmp_path, SETS[0], every)
    blocks = optimized(lower(table.ruleset, table.seats, {})).blocks
    tests = [b.exit.condition for b in blocks if isinstance(b.exit, ir.Branch)]
    assert not any(isinstance(e, ir.Fold) for test in tests for e in walk(test))


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("number", range(0, len(SETS + COMMON + LOOPS), 3))
def test_machines_agree(tmp_path: Path, machine: str, number: int) -> None:
    """Games are long enough for boards that are full at some columns."""
    table = board(tmp_path, [*SETS, *COMMON, *LOOPS][number], ALL[number % len(ALL)])
    beside_the_interpreter(machine, table, Length(30), random.Random(number))


@pytest.mark.proof  # four machines of 3 boards for each condition: 20 s
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("condition", [*SETS, *COMMON, *LOOPS])
@pytest.mark.parametrize("column", ["d", "p", "q"])
def test_machines_agree_on_every_condition(tmp_path: Path, machine: str, condition: str, column: str) -> None:
    for number, every in enumerate(ALL):
        table = board(tmp_path / str(number), condition, every, column)
        beside_the_interpreter(machine, table, Length(40, 4), random.Random(f"{condition} {every}"))


def test_what_no_set_says_in_the_state_stays_a_loop() -> None:
    """A set of truths is found by looking at all cells, where a loop ends at the first."""
    p = ir.Program(1, start=[0] * 16, cells=[ir.CellName("cell", f"c{i}", "open", "bool") for i in range(16)])
    is_open = ir.Cell(0, ir.Local(0), 16)
    p.functions.append(ir.Function("f", 0, (), ir.Fold("all", 0, ir.Const(0xFFFF), None, None, is_open, None)))
    p.functions.append(
        ir.Function("g", 0, (), ir.Fold("all", 0, ir.Const(0xFFFF), None, None, op("not", is_open), None))
    )
    for f in fold_constants(narrow(p)).functions:
        assert isinstance(f.body, ir.Fold) and f.body.op == "all"


GUARDED = """
def alike(p: pawn) -> set cell:
    {c in cell where p.cell is some and c.hue == p.cell.hue}
def near(p: pawn, c: cell) -> set cell:
    {y in c.beside where p.cell is some and y.hue == p.cell.hue}
def area(c: cell) -> set cell:
    reach(x from {c}: {y in x.beside where y.hue == c.hue and y.wealth > 0})
def other(c: cell) -> int:
    count(y in c.beside where y.wealth > 0 and y.hue is some and not y.hue == c.hue)

procedure play():
    repeat at most 40:
        for q in player:
            decide turn by q:
                option paint(c in cell, h in hue where count(alike(p1)) + count(near(p2, c)) < 5):
                    set c.hue to h
                    set c.wealth to c.wealth + 1
                option stand(p in pawn, c in cell where c.hue is some and c not in near(p, c) and count(area(c)) < 6):
                    set p.cell to c
                option off(p in pawn, c in cell where p.cell is some and c.hue == p.cell.hue or other(c) > 1):
                    set p.cell to none
                    set c.hue to none
                option on(p in pawn, c in cell where p.cell in {c} and c.hue == p.cell.hue):
                    set c.wealth to -1
--- kinds.yaml
kinds:
  hue: {entities: {red: {}, blue: {}, green: {}}}
  cell: {state: {wealth: {type: int, start: 1000000}, hue: {type: "hue?"}}}
  pawn: {entities: {p1: {}, p2: {}}, state: {cell: {type: "cell?"}}}
  direction: {}
--- boards.yaml
boards:
  cell:
    grid: {columns: a..d, rows: 1..4}
    directions: {up: {step: [0, 1]}, down: {step: [0, -1]}, right: {step: [1, 0]}, left: {step: [-1, 0]}}
    links: {beside: [up, down, right, left]}
"""
"""The cell of none is the one before the first: with a wealth of a million, which is no hue."""


def guarded(folder: Path) -> Table:
    return Table(small(folder / "guarded", GUARDED), 2)


@pytest.mark.parametrize("machine", MACHINES)
def test_a_set_selected_by_what_is_none_is_looked_up_without_harm(tmp_path: Path, machine: str) -> None:
    table, rng = guarded(tmp_path), random.Random(machine)
    for _ in range(examples(2, 4)):
        beside_the_interpreter(machine, table, Length(40), rng)


def test_loops_over_neighbours_and_reached_members_read_maintained_sets(tmp_path: Path) -> None:
    table = guarded(tmp_path)
    p, occupancy = with_occupancy(optimized(lower(table.ruleset, table.seats, {})))
    assert occupancy.holdings
    tested = [c for c in cells_tested(p) if p.cells[c.base].name == "hue"]
    assert not tested, "a hue is compared member by member"
    (wealth,) = {p.cells[c.base].name for c in cells_tested(p)}
    assert wealth == "wealth", "more values than entities: no sets of these are maintained"


def cells_tested(p: ir.Program) -> list[ir.Cell]:
    """The cells of their own member that conditions of loops in definitions read."""
    folds = [x for f in p.functions for e in (*(v for _, v in f.lets), f.body) for x in walk(e)]
    return [
        c
        for x in folds
        if isinstance(x, ir.Fold) and x.where is not None
        for c in walk(x.where)
        if isinstance(c, ir.Cell) and c.index == ir.Local(x.slot)
    ]


CELLS = """
procedure play():
    repeat at most 20:
        for p in player:
            decide turn by p:
                option add(n in -1 .. 1, t in tray where lit(p, t) < 2 * {count}):
                    for u in tray where box[p, u].full or box[p, u].level > 0:
                        set box[p, u].level to box[p, u].level - 1
                    set box[p, t].level to box[p, t].level + 2 * n
                    set box[next(p), t].full to n > 0
                option pass_on:
                    set p.best to count(t in tray where box[p, t].full) + lit(p, first(tray))

def lit(p: player, t: tray) -> int: count(u in tray where box[p, u].level > 0) + union_of(p, t)
def union_of(p: player, t: tray) -> int: count(u in tray where u != t and box[p, u].full)

scoring p in player:
    score p.best + lit(p, first(tray))
--- kinds.yaml
kinds:
  player: {{state: {{best: {{type: int}}}}}}
  tray: {{entities: {{{entities}}}}}
  box: {{product: [player, tray], state: {{level: {{type: int}}, full: {{type: bool}}}}}}
"""


def cells(folder: Path, count: int) -> Table:
    """A table with `count` numbers, negative ones among them, and as many truth values for each seat."""
    entities = ", ".join(f"t{i}: {{}}" for i in range(count))
    return Table(small(folder / f"cells{count}", CELLS.format(count=count, entities=entities)), 2)


@pytest.mark.parametrize("count", [8, 32, 33, 70])
@pytest.mark.parametrize("machine", MACHINES)
def test_sets_of_positive_cells_have_the_same_members_in_all_machines(tmp_path: Path, machine: str, count: int) -> None:
    beside_the_interpreter(machine, cells(tmp_path, count), Length(200 // count, 10), random.Random(count))
