"""Constant folding: the union of a few sets is written out, of many it stays a loop."""

from __future__ import annotations

import pytest

from rulespec.engine.passes.fold_constants import fold_constants
from rulespec.engine.program import ir
from rulespec.engine.program.builder import op

V, MEMBER = ir.Local(0), ir.Local(1)
SET_OF_MEMBER = ir.Cell(4, op("+", op("*", V, ir.Const(6)), MEMBER), 24)


def folded(source: ir.Expr, where: ir.Expr | None, body: ir.Expr) -> ir.Expr:
    p = ir.Program(1, start=[0] * 28)
    p.functions.append(ir.Function("f", 1, (), ir.Fold("union", 1, source, None, where, body, None)))
    return fold_constants(p).functions[0].body


def read(member: int) -> ir.Expr:
    return ir.Cell(4, op("+", op("*", V, ir.Const(6)), ir.Const(member)), 24)


def test_the_union_of_a_few_sets_is_no_loop() -> None:
    assert folded(ir.Const(0b1101), None, SET_OF_MEMBER) == op("|", read(0), op("|", read(2), read(3)))
    assert folded(ir.Const(0b10), None, SET_OF_MEMBER) == read(1)


@pytest.mark.parametrize(
    "source, where, body",
    [
        (ir.Const(0b111111111), None, SET_OF_MEMBER),  # too many
        (V, None, SET_OF_MEMBER),  # of whom only the state knows
        (ir.Const(0b11), op(">", ir.Cell(0, MEMBER, 2), ir.Const(0)), SET_OF_MEMBER),
        (ir.Const(0b11), None, ir.Op("bit", (ir.Cell(0, MEMBER, 2),))),
        (ir.Const(0b11), None, ir.Cell(4, ir.Call(0, (MEMBER,)), 24)),
    ],
)
def test_other_unions_are(source: ir.Expr, where: ir.Expr | None, body: ir.Expr) -> None:
    assert isinstance(folded(source, where, body), ir.Fold)
