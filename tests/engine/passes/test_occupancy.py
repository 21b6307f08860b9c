"""Occupancy cells in generated Python always agree with the cells they are derived from."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from cases import small
from folders import RULESETS
from msgspec.structs import replace

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import TakenBack
from rulespec.engine.lower.lowering import lower
from rulespec.engine.passes.occupancy import Occupancy, with_occupancy
from rulespec.engine.passes.pipeline import optimized
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, op
from rulespec.engine.python.backend import PythonBackend
from rulespec.engine.python.features import ALL_FEATURES
from rulespec.load import load_ruleset

V, W = ir.Local(0), ir.Local(1)
SEATS = ("Ann", "Bob", "Cid")


def program(cells: int) -> ir.Program:
    return ir.Program(1, start=[0] * cells)


def row(index: ir.Expr, count: int, stride: int, *, base: int = 4, size: int = 24) -> ir.Positive:
    return ir.Positive(base, index, count, stride, size)


def read(e: ir.Positive) -> tuple[ir.Expr | None, Occupancy]:
    """The expression that reads a set when nothing is stored, and the occupancy."""
    p = program(28)
    p.functions.append(ir.Function("f", 2, (), e))
    changed, occupancy = with_occupancy(p)
    result = changed.functions[0].body
    return (None if result == e else result), occupancy


@pytest.mark.parametrize(
    "e, wanted",
    [
        (row(op("*", V, ir.Const(6)), 6, 1), (V, 4)),  # a row of four
        (row(V, 4, 6), (V, 6)),  # a column of six
        (row(op("+", op("*", V, ir.Const(12)), W), 3, 4), (op("+", op("*", V, ir.Const(4)), W), 8)),  # between
        (row(ir.Const(0), 24, 1), (ir.Const(0), 1)),  # the whole set
        (row(op("+", op("*", V, ir.Const(12)), ir.Const(2)), 3, 4), (op("+", op("*", V, ir.Const(4)), ir.Const(2)), 8)),
    ],
)
def test_sets_along_a_dimension_are_maintained(e: ir.Positive, wanted: tuple[ir.Expr, int]) -> None:
    result, occupancy = read(e)
    index, sets = wanted
    (family,) = occupancy.families.values()
    assert result == ir.Cell(family.at, index, sets) and family.sets == sets


def test_a_part_of_a_set_is_read_from_the_whole() -> None:
    result, occupancy = read(row(op("*", V, ir.Const(6)), 5, 1))
    (family,) = occupancy.families.values()
    assert result == ir.Op("&", (ir.Cell(family.at, V, 4), ir.Const(31)))


def test_the_set_of_an_entity_that_is_named_is_one_of_those_of_all() -> None:
    """Two rows of four sets of three; one row and one of its named sets are maintained."""
    any_, named, first = op("+", op("*", V, ir.Const(12)), op("*", W, ir.Const(3))), ir.Const(6), FALSE
    p = program(28)
    for number, index in enumerate((any_, op("+", op("*", V, ir.Const(12)), named), op("*", V, ir.Const(12)), first)):
        p.functions.append(ir.Function(f"f{number}", 2, (), row(index, 3, 1)))
    changed, occupancy = with_occupancy(p)
    (family,) = occupancy.families.values()
    rows = op("*", V, ir.Const(4))
    indices = [op("+", rows, W), op("+", rows, ir.Const(2)), rows, FALSE]
    assert [f.body for f in changed.functions] == [ir.Cell(family.at, index, 8) for index in indices]


@pytest.mark.parametrize("count, size", [(3, 6), (6, 6)])
def test_one_family_serves_for_a_part_of_its_members(count: int, size: int) -> None:
    p = program(28)
    for number, members in enumerate((count, size)):
        p.functions.append(ir.Function(f"f{number}", 1, (), row(op("*", V, ir.Const(6)), members, 1)))
    (family,) = with_occupancy(p)[1].families.values()
    assert family.count == size


@pytest.mark.parametrize(
    "e",
    [
        row(V, 6, 1),  # a window with any start
        row(op("*", V, ir.Const(5)), 5, 1),  # the last row is incomplete
        row(op("+", op("*", V, ir.Const(6)), ir.Const(1)), 5, 1),  # starts inside a row
        row(op("*", V, ir.Const(-6)), 6, 1),
    ],
)
def test_others_are_not(e: ir.Positive) -> None:
    result, occupancy = read(e)
    assert result is None and not occupancy.families and occupancy.cells == 28


def test_sets_of_cells_that_are_assigned_are_not_maintained() -> None:
    p = program(28)
    p.functions.append(ir.Function("f", 1, (), row(op("*", V, ir.Const(6)), 6, 1)))
    p.blocks.append(ir.Block([ir.Store(ir.Cell(27, ir.Const(0), 1), ir.Const(1), None, None, 0)]))
    assert not with_occupancy(p)[1].families


def test_there_are_not_too_many_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    p = program(100)
    for number, e in enumerate([row(V, 4, 6), row(op("*", V, ir.Const(6)), 6, 1), row(V, 2, 20, base=40, size=40)]):
        p.functions.append(ir.Function(f"f{number}", 1, (), e))
    monkeypatch.setattr("rulespec.engine.passes.occupancy.MAX_CELLS", 64)
    assert sorted(f.size for f in with_occupancy(p)[1].families.values()) == [24, 40]
    monkeypatch.setattr("rulespec.engine.passes.occupancy.MAX_MEMBERS", 3)
    assert [f.count for f in with_occupancy(p)[1].families.values()] == [2]


def test_an_index_that_is_none_finds_nothing_that_a_set_cannot_hold() -> None:
    p = program(28)
    p.start = [1] * 28
    for number, (e, count) in enumerate([(row(op("*", V, ir.Const(6)), 6, 1), 6), (row(V, 4, 6), 4)]):
        p.functions.append(ir.Function(f"f{number}", 1, (), e))
        _, occupancy = with_occupancy(p)
        state = occupancy.start(p.start)
        for family in occupancy.families.values():
            before = state[family.at - family.sets : family.at]
            assert len(before) == family.sets and all(0 <= each < 1 << family.count for each in before), (e, count)


def as_they_should_be(game: Game) -> list[int]:
    machine = game.omniscient.numbers.machine
    assert isinstance(machine, PythonBackend)
    return machine.occupancy.start(game.omniscient.numbers.cells)


@pytest.mark.parametrize("ref", ["imperial", "imperial_2030", "imperial_asia", "tutorial", "imperial+playimperial"])
@pytest.mark.sampled(1)
def test_they_follow_every_decision_back_and_forth(ref: str) -> None:
    game = Game(load_ruleset(ref), SEATS)
    rng = random.Random(7)
    crossed = 0
    while not game.is_over and game.ply < 250:
        before = list(game.omniscient.numbers.state)
        game.apply(rng.choice(game.legal_options))
        assert game.omniscient.numbers.state == as_they_should_be(game)
        crossed += (
            before[len(game.omniscient.numbers.cells) :]
            != game.omniscient.numbers.state[len(game.omniscient.numbers.cells) :]
        )
        if rng.random() < 0.3:
            again = game.undo()
            assert game.omniscient.numbers.state == before
            game.apply(again)
    assert crossed > 50


def test_they_follow_what_is_put_into_the_state_from_outside() -> None:
    game = Game(load_ruleset("imperial"), SEATS)
    rng = random.Random(3)
    while game.ply < 60:
        game.apply(rng.choice(game.legal_options))
    before, twin = list(game.omniscient.numbers.state), game.copy()
    game.omniscient.set_value("army[france].at[paris]", "3")
    game.omniscient.set_value("army[italy].guest[paris]", "1")
    assert game.omniscient.numbers.state == as_they_should_be(game) != before
    game.undo()
    assert game.omniscient.numbers.state == as_they_should_be(game)
    game.omniscient.take_back(TakenBack(2, ("nation.position",)))
    assert game.omniscient.numbers.state == as_they_should_be(game)
    assert twin.omniscient.numbers.state == before == as_they_should_be(twin)


def test_who_is_where_is_kept_whatever_moves() -> None:
    ruleset = load_ruleset(str(RULESETS / "harbour"))
    rng = random.Random(5)
    crossed = 0
    for _ in range(40):
        game = Game(ruleset, SEATS)
        machine = game.omniscient.numbers.machine
        assert isinstance(machine, PythonBackend) and machine.occupancy.holdings
        while not game.is_over:
            before = list(game.omniscient.numbers.state)
            game.apply(rng.choice(game.legal_options))
            assert game.omniscient.numbers.state == as_they_should_be(game)
            crossed += (
                before[len(game.omniscient.numbers.cells) :]
                != game.omniscient.numbers.state[len(game.omniscient.numbers.cells) :]
            )
            again = game.undo()
            assert game.omniscient.numbers.state == before
            game.apply(again)
        game.omniscient.set_value("ant.place", "at[dover]")
        game.omniscient.set_value("Bob_sailor_2.place", "guest[Cid]")
        assert game.omniscient.numbers.state == as_they_should_be(game)
    assert crossed > 200


PLOTS = """
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 2, max: 3}
start: play
--- kinds.yaml
kinds:
  crop: {entities: {rye: {}, oats: {}, hops: {}}}
  plot:
    state: {owner: {type: "player?"}, crop: {type: crop, start: rye}}
    entities: {p1: {}, p2: {}, p3: {}, p4: {}, p5: {}, p6: {}, p7: {}, p8: {}, p9: {}}
--- rules/play.rules
def of(p: player) -> set plot: {x in plot where x.owner == p}

def with_crop(c: crop) -> int: count(x in plot where x.crop == c)

procedure play():
    repeat at most 30:
        for p in player:
            decide act by p:
                option take(x in plot where x.owner is none): set x.owner to p
                option leave(x in of(p)): set x.owner to none
                option sow(x in of(p), c in crop where with_crop(c) < 5): set x.crop to c
                option trade(x in of(p), y in {y in plot where y.owner is some} - of(p)):
                    for z in plot where z.owner != p and z.owner is some:
                        set z.owner to p if z == y else z.owner
                    set x.owner to next(p)
                otherwise: pass
            if all(x in plot: x.owner is some):
                for x in of(first(player)):
                    set x.owner to none
"""


@pytest.mark.proof  # 0.5 s
def test_who_has_what_is_kept_whatever_is_set(tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", PLOTS)
    rng = random.Random(5)
    crossed = 0
    for _ in range(6):
        game = Game(ruleset, SEATS)
        plain = Game(ruleset, SEATS, backend="interpreter")
        machine = game.omniscient.numbers.machine
        assert isinstance(machine, PythonBackend) and len(machine.occupancy.holdings) == 2
        while not game.is_over:
            assert [str(o) for o in game.legal_options] == [str(o) for o in plain.legal_options]
            before = list(game.omniscient.numbers.state)
            chosen = rng.choice(game.legal_options)
            game.apply(chosen)
            plain.apply(plain.parse(str(chosen)))
            assert game.omniscient.numbers.state == as_they_should_be(game)
            assert game.omniscient.numbers.cells == plain.omniscient.numbers.cells
            crossed += (
                before[len(game.omniscient.numbers.cells) :]
                != game.omniscient.numbers.state[len(game.omniscient.numbers.cells) :]
            )
            again = game.undo()
            assert game.omniscient.numbers.state == before
            game.apply(again)
        game.omniscient.set_value("p3.owner", "none")
        game.omniscient.set_value("p4.owner", "Cid")
        assert game.omniscient.numbers.state == as_they_should_be(game)
    assert crossed > 300


@pytest.mark.proof
def test_a_machine_without_the_feature_has_none() -> None:
    ruleset = load_ruleset("tutorial")
    p = lower(ruleset, 3, Game(ruleset, SEATS).settings)
    assert len(PythonBackend(p, features=replace(ALL_FEATURES, occupancy=False)).start()) == len(p.cells)
    assert len(PythonBackend(p).start()) == with_occupancy(optimized(p))[1].cells > len(p.cells)
