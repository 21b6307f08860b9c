"""Constructors of expressions, with constant folding."""

from __future__ import annotations

from collections.abc import Sequence

from rulespec.engine.program.ir import Cell, Const, Expr, If, Logic, Op
from rulespec.engine.program.limits import NO_NUMBER
from rulespec.language.operators import OPERATORS

TRUE, FALSE = Const(1), Const(0)
NONE = Const(NO_NUMBER)
"""The constant that represents none as an optional number."""


_MEANINGS = {name: each.meaning for name, each in OPERATORS.items()}
_FAULTS = {name: each.fault for name, each in OPERATORS.items() if each.fault is not None}


def apply_op(name: str, args: Sequence[int]) -> int | None:
    """The value of an operator; None if it faults."""
    if name in _FAULTS:
        fault = _FAULTS[name]
        if fault.when(*[args[i] for i in fault.operands]):
            return None
    return _MEANINGS[name](*args)


def op(name: str, *args: Expr, site: int = 0) -> Expr:
    """An expression that applies an operator, folded to a constant if the operands are constant."""
    values = [a.value for a in args if isinstance(a, Const)]
    # Sets do not contain none: such an expression is guarded and never evaluated, so it is not folded.
    if len(values) == len(args) and not (name in ("in", "bit") and values[0] < 0):
        value = apply_op(name, values)
        if value is not None:
            return Const(value)
    if name == "not" and isinstance(args[0], Op):
        turned = OPERATORS[args[0].op].turned
        if turned:
            return Op(turned, args[0].args, args[0].site)
    if name == "flip" and isinstance(args[0], Op) and args[0].op == "flip":
        return args[0].args[0]
    if name == "+" and args[1] == FALSE:
        return args[0]
    if name == "+" and args[0] == FALSE:
        return args[1]
    if name == "*" and args[1] == TRUE:
        return args[0]
    return Op(name, args, site)


def together(name: str, args: list[Expr], nothing: Expr = FALSE) -> Expr:
    """An expression that applies an associative operator to any number of operands, as a balanced tree."""
    if len(args) < 2:
        return args[0] if args else nothing
    middle = len(args) // 2
    return op(name, together(name, args[:middle], nothing), together(name, args[middle:], nothing))


def logic(name: str, args: list[Expr]) -> Expr:
    """An expression for `and` or `or`, flattened, without redundant operands."""
    stop, skip = (FALSE, TRUE) if name == "and" else (TRUE, FALSE)
    args_left: list[Expr] = []
    for arg in args:
        if arg == skip:
            continue
        args_left.extend(arg.args if isinstance(arg, Logic) and arg.op == name else [arg])
        if arg == stop:
            break
    if not args_left:
        return skip
    if args_left[0] == stop:
        return stop
    return args_left[0] if len(args_left) == 1 else Logic(name, tuple(args_left))


def choose(condition: Expr, then: Expr, other: Expr) -> Expr:
    """An expression for `if … else`, folded if the condition is constant."""
    if isinstance(condition, Const):
        return then if condition.value else other
    return If(condition, then, other)


def fallback(value: Expr, other: Expr, *, number: bool = False) -> Expr:
    """An expression for `value ?? other`, folded if constant; it contains the value only once, so that chains stay
    small.
    """
    if isinstance(value, Const):
        return other if (value == NONE if number else value.value < 0) else value
    return Logic("?number" if number else "??", (value, other))


def cell(base: int, index: Expr | None = None, size: int = 1) -> Cell:
    """A cell expression, with a constant index added to its base."""
    if index is None:
        return Cell(base, FALSE, 1)
    if isinstance(index, Const):
        return Cell(base + index.value, FALSE, 1)
    return Cell(base, index, size)


def no_more_than(value: Expr, most: int, site: int) -> Expr:
    """An expression for a set, which faults at `site` if the set has more than `most` members."""
    count = op("count", value)
    return If(op("<=", count, Const(most)), value, op("bit", op("/", count, FALSE, site=site)))
