"""Options and conditions, lowered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.lower.blocks import BlockBuilder
from rulespec.engine.lower.expressions import Scope
from rulespec.engine.lower.layout import type_name
from rulespec.engine.lower.ranges import KEPT
from rulespec.engine.program import ir
from rulespec.engine.program.cost import Costs
from rulespec.engine.program.limits import LEAST_LISTED, MAX_LISTED
from rulespec.typed import nodes as typed


class OptionLowering:
    """Lowers options and conditions, with the texts that tell why they are not met.

    Args:
        builder: adds blocks and cells.
        sources: the ruleset's files by name.
    """

    def __init__(self, builder: BlockBuilder, sources: Mapping[str, str]) -> None:
        self.b = builder
        self.x = builder.x
        self._costs = Costs(builder.p)
        self._sources = sources
        self._lines: dict[str, list[str]] = {}

    def condition(self, e: typed.Expr, reason: str, span: Span, scope: Scope) -> ir.Condition:
        """A condition with the values to show when it fails."""
        text = self._source(e.span)
        shown = [self._shown(part, scope) for part in atoms(e) if not isinstance(part, typed.Lit)]
        return ir.Condition(self.x.expr(e, scope), reason or text, text, tuple(shown), span)

    def _shown(self, e: typed.Expr, scope: Scope) -> ir.Shown:
        value = self.x.expr(e, scope)
        if not isinstance(e, typed.Once):
            return ir.Shown(self._source(e.span), type_name(e.type), value)
        args = tuple([self._shown(a, scope) for a in e.args])
        return ir.Shown(self._source(e.value.span), type_name(e.type), value, e.procedure.name, args)

    def _source(self, span: Span) -> str:
        """The text at a place of the source, on one line."""
        if span.file not in self._lines:
            self._lines[span.file] = self._sources.get(span.file, "").split("\n")
        return text_at(span, self._lines[span.file])

    def _params(self, option: typed.OptionDef, scope: Scope) -> tuple[tuple[ir.Param, ...], Scope, Scope]:
        """The parameters, the scope of the conditions (parameters in slots) and that of the body (in cells)."""
        params = []
        conditions, body = scope, scope
        for p in option.params:
            slot = self.x.slot(conditions)
            low = self.x.expr(p.low, conditions)
            high = self.x.expr(p.high, conditions) if p.high is not None else None
            if high is not None:
                assert p.high is not None
                low, high = self.x.kept(low, p.low.span), self.x.kept(high, p.high.span)
                self.x.ranges.slots[slot] = KEPT
            inner = conditions.in_slot(p.var, slot)
            where = None
            if p.where is not None:
                where = self.condition(p.where, p.reason, p.where.span, inner)
            at = self.b.local(f"{option.name}.{p.var.name}", type_name(p.var.type))
            text = self._source(p.span)
            params.append(
                ir.Param(p.var.name, type_name(p.var.type), slot, at, low, high, where, p.reason, text, p.span)
            )
            conditions = inner
            body = body.in_cell(p.var, at)
        return tuple(params), conditions, body

    def choice(self, option: typed.OptionDef, scope: Scope) -> tuple[ir.Choice, Scope]:
        """An option, with a block for its body; and the scope of the body."""
        params, conditions, body = self._params(option, scope)
        by = self.x.expr(option.by, conditions) if option.by is not None else None
        weight = self.x.expr(option.weight, conditions) if option.weight is not None else None
        requires = tuple(self.condition(r.condition, r.reason, r.span, conditions) for r in option.requires)
        tests = [*(r.expr for r in requires), *(e for e in (by, weight) if e is not None)]
        params = self._counted(params, sum(map(self._costs.of, tests)))
        return ir.Choice(option.name, params, by, weight, requires, self.b.block(), option.doc, option.span), body

    def _counted(self, params: tuple[ir.Param, ...], steps: int) -> tuple[ir.Param, ...]:
        """The parameters with the most steps of what is evaluated for each of their values, up to the next counted one.

        Numbers are counted; members of sets only if the sizes of the kinds allow more than `MAX_LISTED` steps in all:
        counting takes time, and few options need it.

        Args:
            params: the parameters.
            steps: of what is evaluated when all of them are bound.
        """
        whole = steps
        for param in reversed(params):
            whole += self._costs.of(param.where.expr) if param.where is not None else 0
            whole *= self._costs.members(param.low) if param.high is None else 1
            whole += self._costs.of(param.low)
        found: list[ir.Param] = []
        for param in reversed(params):
            steps += self._costs.of(param.where.expr) if param.where is not None else 0
            if param.high is not None or whole > MAX_LISTED:
                found.append(replace(param, steps=max(steps, LEAST_LISTED)))
                steps = self._costs.of(param.high) if param.high is not None else 0
            else:
                found.append(param)
                steps *= self._costs.members(param.low)
            steps += self._costs.of(param.low)
        return tuple(found[::-1])


def text_at(span: Span, lines: Sequence[str]) -> str:
    """The text at a place of a file, on one line."""
    lines = lines[span.line - 1 : span.end_line]
    if not lines:
        return ""
    if span.line == span.end_line:
        return lines[0][span.column - 1 : span.end_column - 1].strip()
    parts = [lines[0][span.column - 1 :], *lines[1:-1], lines[-1][: span.end_column - 1]]
    return " ".join(p.strip() for p in parts)


def atoms(e: typed.Expr) -> list[typed.Expr]:
    """The parts of a condition whose values tell why it failed."""
    if isinstance(e, typed.Op):
        if e.op in ("and", "or", "not"):
            return [a for arg in e.args for a in atoms(arg)]
        if e.op in ("==", "!=", "<", "<=", ">", ">=", "in", "some"):
            return list(e.args)
    if isinstance(e, typed.Once):
        return [replace(e, type=a.type, value=a) for a in atoms(e.value) if not isinstance(a, typed.Lit)]
    return [e]
