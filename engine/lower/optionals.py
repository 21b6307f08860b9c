"""Optional numbers, in which the least number, `NONE`, represents none."""

from __future__ import annotations

from rulespec.engine.program import ir
from rulespec.engine.program.builder import NONE, fallback, op


def extreme(
    word: str, slot: int, source: ir.Expr, where: ir.Expr | None, body: ir.Expr, default: ir.Expr | None
) -> ir.Expr:
    """The lowered `min` or `max` of optional values, ignoring none; without `default`, the result may be none.

    For `max`, none is already the least number; for `min`, it becomes the greatest.
    """
    if word == "max":
        result: ir.Expr = ir.Fold("max", slot, source, None, where, body, NONE)
    else:
        result = op("flip", ir.Fold("min", slot, source, None, where, op("flip", body), op("flip", NONE)))
    return result if default is None else fallback(result, default, number=True)


def perhaps(word: str, args: list[ir.Expr]) -> ir.Expr:
    """The lowered form of `==`, `!=`, `??` or `some` on optional numbers."""
    if word == "??":
        return fallback(args[0], args[1], number=True)
    return op("!=", args[0], NONE) if word == "some" else op(word, *args)
