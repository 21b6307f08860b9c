"""Lowering of options."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from rulespec.engine.lower.blocks import BlockBuilder
from rulespec.engine.lower.conditions import ConditionLowering
from rulespec.engine.lower.heads import Begun, HeadLowering
from rulespec.engine.lower.layout import param_type, type_name
from rulespec.engine.lower.ranges import NUMBERS
from rulespec.engine.lower.scope import Scope
from rulespec.engine.lower.secrecy import seers
from rulespec.engine.program import ir
from rulespec.engine.program.builder import logic, op
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import may_be_hidden
from rulespec.types import Ent


class OptionLowering:
    """The lowering of options, with the texts of their refusals.

    Args:
        builder: the builder of blocks and cells.
        sources: the ruleset's files by name.
    """

    def __init__(self, builder: BlockBuilder, sources: Mapping[str, str]) -> None:
        self.b = builder
        self.x = builder.x
        self.conditions = ConditionLowering(builder.x, sources)
        self._heads = HeadLowering(builder, self.conditions)

    def _params(
        self, option: typed.OptionDef, scope: Scope, *, representatives: bool
    ) -> tuple[tuple[ir.Param, ...], Scope, Scope]:
        """The parameters, the scope of the conditions (parameters in slots), and the scope of the body (in cells)."""
        params = []
        conditions, body = scope, scope
        for p in option.params:
            slot = self.x.slot(conditions)
            low = self.x.expr(p.low, conditions)
            high = self.x.expr(p.high, conditions) if p.high is not None else None
            if high is not None:
                assert p.high is not None
                low, high = self.x.bounded(low, p.low.span), self.x.bounded(high, p.high.span)
                self.x.ranges.slots[slot] = NUMBERS
            several = None
            if p.several is not None:
                numbers = [self.x.bounded(self.x.expr(e, conditions), e.span) for e in p.several]
                several = numbers[0], numbers[1]
            inner = conditions.in_slot(p.var, slot)
            where = None
            if p.where is not None:
                where = self.conditions.of(p.where, p.reason, p.where.span, inner)
            type_ = param_type(p.var.type)
            if where is not None and (none := ir.none_of(type_)) is not None:
                is_none = op("==", ir.Local(slot), ir.Const(none))
                where = replace(where, expr=logic("or", [is_none, where.expr]))
            at = self.b.local(f"{option.name}.{p.var.name}", type_name(p.var.type))
            text = self.conditions.text(p.span)
            to = seers(self.x, p, inner)
            param = ir.Param(p.var.name, type_, slot, at, low, high, where, p.reason, text, p.span)
            param = replace(param, several=several)
            params.append(replace(param, private=may_be_hidden(p), to=to, alike=representatives and self._alike(p.var)))
            conditions = inner
            body = body.in_cell(p.var, at)
        return tuple(params), conditions, body

    def _alike(self, var: typed.Var) -> bool:
        kind = self.b.layout.d.kinds.get(var.type.kind) if isinstance(var.type, Ent) else None
        return kind is not None and kind.alike is not None

    def choice(
        self, option: typed.OptionDef, scope: Scope, *, later: bool = False, representatives: bool = False
    ) -> tuple[ir.Choice, Begun]:
        """The lowered option (with a block for its body) and its prologue.

        Args:
            option: the option.
            scope: the enclosing scope.
            later: see `HeadLowering.begun`.
            representatives: whether one token represents all tokens that are alike.
        """
        params, conditions, body = self._params(option, scope, representatives=representatives)
        by = self.x.expr(option.by, conditions) if option.by is not None else None
        weight = self.x.expr(option.weight, conditions) if option.weight is not None else None
        requires = self._heads.requires(option.head, conditions)
        block = self.b.block()
        choice = ir.Choice(option.name, params, by, weight, requires, block, option.doc, option.span)
        return choice, self.begun(option, body, later=later)

    def begun(self, option: typed.OptionDef, scope: Scope, *, later: bool = False) -> Begun:
        """The lowered prologue of an option; see `HeadLowering.begun`."""
        return self._heads.begun(option, scope, later=later)
