"""Linear equations among the invariants: their terms, and what is not linear."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.game.game import Game
from rulespec.engine.passes.equations import Terms, linear_invariants
from rulespec.engine.passes.invariants import split
from rulespec.engine.program import ir
from rulespec.engine.program.builder import op
from rulespec.engine.python.backend import PythonBackend
from rulespec.load import load_ruleset

SEATS = ("Ann", "Bob", "Cid")
A, B = (ir.Cell(at, ir.Const(0), 1) for at in (3, 4))
ALL = ir.Fold("sum", 0, ir.Const(0b111), None, None, ir.Cell(3, ir.Local(0), 3), None)
EVEN = ir.Row(0, ir.Local(0))
TWICE = ir.Call(0, (B,))


def terms(left: ir.Expr, right: ir.Expr, kind: str = "int") -> Terms | None:
    """The terms of an equation over three cells, with an array and a definition that doubles its argument."""
    p = ir.Program(1, start=[0] * 6, arrays=[(1, 0, 1)])
    p.cells = [ir.CellName("game", "", f"c{at}", kind) for at in range(6)]
    p.functions = [ir.Function("twice", 1, (), op("+", ir.Local(0), ir.Local(0)))]
    condition = ir.Condition(ir.Op("==", (left, right)), "", "", (), Span("rules", 1, 1, 1, 1))
    p.invariants = [ir.Invariant("i", condition)]
    return linear_invariants(p).get(0, {}).get(0)


@pytest.mark.parametrize(
    "left, right, expected",
    [
        (A, ir.Const(7), {3: 1}),
        (A, B, {3: 1, 4: -1}),
        (op("+", A, A), A, {3: 1}),
        (ir.Op("neg", (A,)), ir.Op("-", (ir.Const(9), B)), {3: -1, 4: 1}),
        (ir.Op("*", (A, ir.Const(3))), ir.Op("*", (ir.Const(2), B)), {3: 3, 4: -2}),
        (TWICE, A, {4: 2, 3: -1}),
        (ALL, ir.Const(7), {3: 1, 4: 1, 5: 1}),
        (replace(ALL, where=EVEN), B, {3: 1, 5: 1, 4: -1}),
        (ir.If(ir.Op("<", (ir.Const(1), ir.Const(2))), A, B), ir.Const(0), {3: 1}),
        (A, A, {}),
    ],
)
def test_terms(left: ir.Expr, right: ir.Expr, expected: Terms) -> None:
    assert terms(left, right) == terms(left, right, "bool") == expected


@pytest.mark.parametrize(
    "e",
    [
        ir.Op("*", (A, B)),
        ir.Op("max", (A, B)),
        ir.Op("/", (A, ir.Const(2)), 5),
        ir.Op("fit", (A,), 5),
        ir.If(A, B, ir.Const(0)),
        ir.Cell(3, A, 3),
        ir.Cell(3, ir.Const(3), 3),
        replace(ALL, source=A),
        replace(ALL, where=ALL.body),
        replace(ALL, op="max"),
        ir.Local(9),
        ir.Op("*", (A, ir.Const(4_001))),
    ],
)
def test_what_is_not_known_to_be_linear(e: ir.Expr) -> None:
    assert terms(e, ir.Const(1)) is None


@pytest.mark.parametrize("kind", ["int?", "set player", "player"])
def test_only_cells_with_numbers_are_terms(kind: str) -> None:
    assert terms(A, B, kind) is None


def test_conservation_is_linear() -> None:
    p = Game(load_ruleset("imperial"), SEATS).omniscient.numbers.program
    linear = {p.invariants[number].name for number in linear_invariants(split(p))}
    pieces = {f"{kind}_are_complete" for kind in ("armies", "fleets", "flags", "factories")}
    assert linear == {"money_is_conserved", "every_bond_is_one_card", *pieces}


@pytest.mark.parametrize("ref", ["imperial", "imperial_2030", "tetrarchia", "imperial_asia", "tutorial"])
@pytest.mark.sampled(1)
def test_an_equation_fails_if_a_cell_with_a_term_changes(ref: str) -> None:
    game, rng = Game(load_ruleset(ref), SEATS), random.Random(ref)
    for _ in range(30):
        game.apply(rng.choice(game.legal_options))
    machine, p = game.omniscient.numbers.machine, game.omniscient.numbers.program
    assert isinstance(machine, PythonBackend) and not game.is_over
    linear, holds = linear_invariants(split(p)), machine.invariants.holds
    terms = sorted({at for of in linear.values() for equation in of.values() for at in equation})
    assert terms
    for at in {*rng.sample(terms, min(40, len(terms))), *rng.sample(range(3, len(p.cells)), 10)}:
        state = list(game.omniscient.numbers.state)
        machine.write(state, {at: state[at] + 1})
        for number, of in linear.items():
            assert all(bool(holds[number](state, 1 << member)) != (at in equation) for member, equation in of.items())
