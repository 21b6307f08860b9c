"""Lowering of conditions, with the values to display when they fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.lower.expressions import ExpressionLowering
from rulespec.engine.lower.layout import type_name
from rulespec.engine.lower.scope import Scope
from rulespec.engine.program import ir
from rulespec.language.operators import COMPARISONS
from rulespec.typed import nodes as typed


class ConditionLowering:
    """The lowering of conditions.

    Args:
        x: the lowering of expressions.
        sources: the ruleset's files by name.
    """

    def __init__(self, x: ExpressionLowering, sources: Mapping[str, str]) -> None:
        self.x = x
        self._sources = sources
        self._lines: dict[str, list[str]] = {}

    def of(self, e: typed.Expr, reason: str, span: Span, scope: Scope) -> ir.Condition:
        """A lowered condition, with the values to display when it fails."""
        text = self.text(e.span)
        shown = [x for part in atoms(e) for x in self.shown(part, self.x.expr(part, scope), scope)]
        return ir.Condition(self.x.expr(e, scope), reason or text, text, tuple(shown), span)

    def shown(self, e: typed.Expr, value: ir.Expr, scope: Scope) -> tuple[ir.Shown, ...]:
        """The displayed value of a part of a condition; empty for a literal, whose text already gives its value."""
        if isinstance(e, typed.Lit):
            return ()
        if isinstance(e, typed.Once):
            args = tuple([self._of_argument(a, scope) for a in e.args])
            return (ir.Shown(self.text(e.value.span), type_name(e.type), value, e.procedure.name, args),)
        text = self.text(e.span)
        if isinstance(e, typed.PieceCount) and "." not in text:  # a place named without its pile
            ids = ", ".join(self.text(part.span) for part in e.ids)
            text = f"{e.piece.name}{f'[{ids}]' if ids else ''}.{text}"
        return (ir.Shown(text, type_name(e.type), value),)

    def _of_argument(self, e: typed.Expr, scope: Scope) -> ir.Shown:
        return ir.Shown(self.text(e.span), type_name(e.type), self.x.expr(e, scope))

    def text(self, span: Span) -> str:
        """The source text of a span, joined into one line."""
        if span.file not in self._lines:
            self._lines[span.file] = self._sources.get(span.file, "").split("\n")
        return text_at(span, self._lines[span.file])


def text_at(span: Span, lines: Sequence[str]) -> str:
    """The text of a span in the lines of its file, joined into one line."""
    lines = lines[span.line - 1 : span.end_line]
    if not lines:
        return ""
    if span.line == span.end_line:
        return lines[0][span.column - 1 : span.end_column - 1].strip()
    parts = [lines[0][span.column - 1 :], *lines[1:-1], lines[-1][: span.end_column - 1]]
    return " ".join(p.strip() for p in parts)


def atoms(e: typed.Expr) -> list[typed.Expr]:
    """The parts of a condition whose values explain its failure."""
    if isinstance(e, typed.Op):
        if e.op in ("and", "or", "not"):
            return [a for arg in e.args for a in atoms(arg)]
        if e.op in COMPARISONS or e.op in ("in", "some"):
            return list(e.args)
    if isinstance(e, typed.Once):
        return [replace(e, type=a.type, value=a) for a in atoms(e.value) if not isinstance(a, typed.Lit)]
    return [e]
