"""Lowering of typed expressions to expressions over cells and slots."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.lower.alternatives import lower_cases, lower_choice, lower_some
from rulespec.engine.lower.boards import BoardLowering
from rulespec.engine.lower.derived_operators import extreme, lower_subsets, perhaps
from rulespec.engine.lower.layout import Layout, by_name, type_name
from rulespec.engine.lower.paths import lower_along, lower_path, lower_query, lower_ways, path_op, rear
from rulespec.engine.lower.places import capacities, count_in, how_many, numbered
from rulespec.engine.lower.ranges import ARGUMENT, MOST, NUMBERS, ProgramRanges, Range, declared, within
from rulespec.engine.lower.scope import Marks, Scope, working_out
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, NONE, cell, fallback, logic, op, together
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.language.operators import NOT_ONE, OPERATORS
from rulespec.typed import nodes as typed
from rulespec.types import Ent, Maybe, Num, Order, PathOf, SetOf, Type

_KEY_BITS = 64
"""Bits per key of a table, enough that no two rows collide for any numbers."""


class ExpressionLowering:
    """The lowering of expressions, in which facts, tables and settings become constants.

    Args:
        layout: the layout of the state.
        settings: the values of the ruleset's settings, as text.
        program: the program to which arrays, tables, functions and sites are added.
        marks: a hook that is notified of everything lowered.

    Attributes:
        most_slots: the number of slots needed by all expressions so far.
        ranges: the value ranges of numbers.
        results: procedure → cell of its return value.
        worked_out: the evaluator of start values and capacities.
        capacities: kind of token → capacity of each place, filled on demand.
        limits: shared capacity → limit for each entity of its index, filled on demand.
    """

    def __init__(
        self, layout: Layout, settings: Mapping[str, str], program: ir.Program, marks: Marks | None = None
    ) -> None:
        self.layout = layout
        self.settings = settings
        self.p = program
        self.marks = marks
        self.most_slots, self.worked_out = 8, working_out(program)
        self.ranges = ProgramRanges(program)
        self.results: Mapping[typed.Procedure, int] = {}
        self.boards = BoardLowering(self.row, self.helper)
        self._arrays: dict[tuple[int, ...], int] = {}
        self._tables: dict[typed.TableDecl, int] = {}
        self._functions: dict[typed.Definition, int] = {}
        self._sites: dict[tuple[Span, str], int] = {}
        self.capacities: dict[typed.Kind, tuple[int, ...]] = {}
        self.limits: dict[typed.CapacityDecl, tuple[int, ...]] = {}

    def site(self, span: Span, message: str) -> int:
        """The number of a fault site, which is added if it is new."""
        key = (span, message)
        if key not in self._sites:
            self._sites[key] = len(self.p.sites)
            self.p.sites.append(key)
        return self._sites[key]

    def functions(self, definitions: Mapping[str, typed.Definition]) -> None:
        """Lowers all definitions, callees before callers."""
        for definition in by_name(definitions):
            self._function(definition)

    def _function(self, definition: typed.Definition) -> int:
        if definition in self._functions:
            return self._functions[definition]
        scope = Scope()
        for i, var in enumerate(definition.params):
            scope = scope.in_slot(var, i)
            self._bind(i, var, NUMBERS if isinstance(var.type, Maybe) else ARGUMENT)
        lets = []
        for var, value in definition.lets:
            slot = self.slot(scope)
            lets.append((slot, self.expr(value, scope)))
            scope = scope.in_slot(var, slot)
            self._bind(slot, var, self.ranges.of(lets[-1][1]))
        assert definition.body is not None
        body = self.argument(definition.body, definition.result, scope)
        body = declared(definition, body, lets, self.slot(scope), self.site)
        self._functions[definition] = len(self.p.functions)
        if self.marks is not None:
            self.marks.definition(definition, len(self.p.functions))
        self.ranges.function(body)
        self.p.functions.append(ir.Function(definition.name, len(definition.params), tuple(lets), body))
        return self._functions[definition]

    def helper(self, name: str, params: int, lets: tuple[tuple[int, ir.Expr], ...], body: ir.Expr) -> int:
        """Adds a function without a definition in the rules; returns its number."""
        self.ranges.function(body)
        self.p.functions.append(ir.Function(name, params, lets, body))
        return len(self.p.functions) - 1

    def expr(self, e: typed.Expr, scope: Scope) -> ir.Expr:
        """The lowered expression, constant if possible."""
        known = scope.sources.get(id(e))
        # A table, because a negative `isinstance` is slow for classes created in C.
        lowered = _FORMS[type(e)](self, e, scope) if known is None else known
        return lowered if self.marks is None else self.marks.expression(e, lowered)

    def argument(self, e: typed.Expr, type_: Type, scope: Scope) -> ir.Expr:
        """The lowered expression as an argument of a given type; if the type is optional, numbers are checked for
        overflow.
        """
        lowered = self.expr(e, scope)
        return self.bounded(lowered, e.span) if isinstance(type_, Maybe) and isinstance(e.type, Num) else lowered

    def _given_to(self, e: typed.Op, scope: Scope) -> list[ir.Expr]:
        """The operands of an operator on optional numbers; the last one of `??` has the operator's type."""
        return [self.argument(a, e.type if e.op == "??" and i else Maybe(), scope) for i, a in enumerate(e.args)]

    def bounded(self, e: ir.Expr, span: Span, bounds: Range = NUMBERS) -> ir.Expr:
        """The expression for a number, with a check unless the number is known to be within bounds."""
        if within(self.ranges.of(e), bounds):
            return e
        return op("fit", e, site=self.site(span, "this number has more than 15 digits"))

    def _bind(self, slot: int, var: typed.Var, bounds: Range) -> None:
        """Records whether a slot holds a number, and its bounds."""
        if isinstance(var.type, Num | Maybe):
            self.ranges.slots[slot] = bounds
        else:
            self.ranges.slots.pop(slot, None)

    def slot(self, scope: Scope) -> int:
        """The first free slot, reserved for an entity."""
        self.ranges.slots.pop(scope.slots, None)
        self.most_slots = max(self.most_slots, scope.slots + 1)
        return scope.slots

    def _field(self, e: typed.Field, scope: Scope) -> ir.Expr:
        base = self.layout.field_at[e.decl]
        if e.owner is None:
            return cell(base)
        return cell(base, self.expr(e.owner, scope), self.layout.size(e.decl.kind))

    def _fact(self, e: typed.Fact, scope: Scope) -> ir.Expr:
        assert isinstance(e.owner.type, Ent)
        return self.row(self.layout.values(e.owner.type.kind, e.decl), self.expr(e.owner, scope))

    def _piece_count(self, e: typed.PieceCount, scope: Scope) -> ir.Expr:
        kinds = [*e.piece.each, *([e.place.index] if e.place.index else [])]
        parts = [*e.ids, *([e.index] if e.index is not None else [])]
        return self._indexed(self.layout.place_at[e.place], kinds, parts, scope)

    def _product_entity(self, e: typed.ProductEntity, scope: Scope) -> ir.Expr:
        total: ir.Expr = FALSE
        for part, stride in zip(e.parts, self.layout.strides(list(e.kind.product)), strict=True):
            total = op("+", total, op("*", self.expr(part, scope), ir.Const(stride)))
        return total

    def _kind_set(self, e: typed.KindSet, scope: Scope) -> ir.Expr:
        return ir.Const((1 << self.layout.size(e.kind.name)) - 1)

    def _call(self, e: typed.Call, scope: Scope) -> ir.Expr:
        args = []
        for a, var in zip(e.args, e.definition.params, strict=True):
            value = self.argument(a, var.type, scope)
            args.append(self.bounded(value, a.span, ARGUMENT) if isinstance(var.type, Num) else value)
        return ir.Call(self._function(e.definition), tuple(args))

    def _reach(self, e: typed.Reach, scope: Scope) -> ir.Expr:
        slot = self.slot(scope)
        start = self.expr(e.start, scope)
        return ir.Closure(slot, start, self.expr(e.step, scope.in_slot(e.var, slot)))

    def row(self, values: tuple[int, ...], index: ir.Expr) -> ir.Expr:
        """The value of a constant array at an index, folded if possible."""
        if isinstance(index, ir.Const) and 0 <= index.value < len(values):
            return ir.Const(values[index.value])
        if values and all(v == values[0] for v in values):
            return ir.Const(values[0])
        if values not in self._arrays:
            self._arrays[values] = len(self.p.arrays)
            self.p.arrays.append(values)
        return ir.Row(self._arrays[values], index)

    def _indexed(self, base: int, kinds: list[str], parts: list[typed.Expr], scope: Scope) -> ir.Expr:
        index: ir.Expr = FALSE
        size = 1
        for kind, stride, part in zip(kinds, self.layout.strides(kinds), parts, strict=True):
            index = op("+", index, op("*", self.expr(part, scope), ir.Const(stride)))
            size *= self.layout.size(kind)
        return cell(base, index, size)

    def _table(self, e: typed.TableRow, scope: Scope) -> ir.Expr:
        table = e.table
        keys = [self.expr(k, scope) for k in e.keys]
        kinds = [k.kind for k in table.keys if isinstance(k, Ent)]
        if len(kinds) == len(keys):
            rows = tuple(table.rows[k] for k in sorted(table.rows))
            index: ir.Expr = FALSE
            for key, stride in zip(keys, self.layout.strides(kinds), strict=True):
                index = op("+", index, op("*", key, ir.Const(stride)))
            return self.row(rows, index)
        # Some keys are numbers: all keys are packed into one number.
        if table not in self._tables:
            self._tables[table] = len(self.p.tables)
            self.p.tables.append({_packed(k): v for k, v in table.rows.items()})
        if all(isinstance(k, ir.Const) for k in keys):
            value = table.rows.get(tuple(k.value for k in keys if isinstance(k, ir.Const)))
            if value is not None:
                return ir.Const(value)
        packed: ir.Expr = FALSE
        for key in keys:
            packed = op("+", op("*", packed, ir.Const(1 << _KEY_BITS)), key)
        site = self.site(e.span, f"the table `{table.name}` has no such row")
        return ir.Lookup(self._tables[table], packed, site)

    def _track(self, e: typed.TrackOp, scope: Scope) -> ir.Expr:
        args = [self.expr(a, scope) for a in e.args]
        size = ir.Const(self.layout.size(e.track.kind))
        site = self.site(e.span, "this ring has no spaces")
        if e.op == "steps":
            return op("%", op("-", args[1], args[0]), size, site=site)
        if e.op == "ahead":
            return op("%", op("+", args[0], args[1]), size, site=site)
        return op("passed", args[0], *map(ir.Const, e.track.upto))  # counts the spaces that end below the value

    def _each(self, e: typed.Each, scope: Scope) -> ir.Expr:
        b = e.binder
        if b.keys:
            return self.ranked(e.op, b, scope)
        source, start = self.expr(b.source, scope), self.start(b, scope)
        slot = self.slot(scope)
        inner = scope.in_slot(b.var, slot)
        where = self.expr(b.where, inner) if b.where is not None else None
        if where == ir.Const(1):
            where = None
        if e.op in ("min", "max"):
            return _extreme(self, e, slot, source, where, scope, inner)
        body = self.expr(e.body, inner) if e.body is not None else None
        if e.op == "the":
            result = source if where is None else ir.Fold("set", slot, source, None, where, None, None)
            return self._only(result, e)
        if where is None and body is None:
            if e.op == "count":
                return op("count", source)
            if e.op == "any":
                return op("!=", source, FALSE)
            if e.op == "set":
                return source
            if e.op == "first":
                return op("pick", source, start or FALSE)
        if e.op == "set" and e.body is not None and body is not None and _may_be_none(e.body):
            return ir.Fold("union", slot, source, start, where, op("one", body), None)  # sets do not contain none
        result = ir.Fold(e.op, slot, source, start, where, body, None)
        return self.bounded(result, e.span, MOST) if e.op == "sum" else result

    def set_of(self, e: typed.Expr, lowered: ir.Expr) -> ir.Expr:
        """The lowered set; a single entity becomes a singleton set."""
        return lowered if isinstance(e.type, SetOf) else _singleton(e, lowered)

    def _only(self, source: ir.Expr, e: typed.Expr) -> ir.Expr:
        """The only member of a set."""
        assert isinstance(e.type, Ent)
        site = self.site(e.span, NOT_ONE.message)
        self.p.members[site] = tuple(self.layout.titles(e.type.kind))
        return op("the", source, site=site)

    def ranked(self, op: str, b: typed.Binder, scope: Scope) -> ir.Ranked:
        """A ranking of a set's members by keys."""
        slot = self.slot(scope)
        inner = scope.in_slot(b.var, slot)
        where = self.expr(b.where, inner) if b.where is not None else None
        keys = tuple([self.expr(key, inner) for key in b.keys])
        kind = type_name(b.var.type)
        return ir.Ranked(op, slot, self.expr(b.source, scope), self.start(b, scope), where, keys, self.bits(kind).value)

    def bits(self, kind: str) -> ir.Const:
        """The width in bits of a member of an order over a kind's entities."""
        return ir.Const(self.layout.size(kind).bit_length())

    def start(self, b: typed.Binder, scope: Scope) -> ir.Expr | None:
        """The entity at which the cyclic order of a set starts; None for the default start."""
        if b.start is None:
            return None
        start = self.expr(b.start, scope)
        if b.order == "after" and isinstance(b.var.type, Ent):
            start = op("next", start, ir.Const(self.layout.size(b.var.type.kind)))
        return start

    def _op(self, e: typed.Op, scope: Scope) -> ir.Expr:
        if e.op in ("and", "or"):
            return logic(e.op, [self.expr(a, scope) for a in e.args])
        if e.op in ("??", "some") and isinstance(e.args[0].type, Num | Maybe):
            return perhaps(e.op, self._given_to(e, scope))
        if e.op in ("==", "!=") and any(isinstance(a.type, Maybe) for a in e.args):
            return perhaps(e.op, self._given_to(e, scope))
        args = [self.expr(a, scope) for a in e.args]
        if args and isinstance(e.args[0].type, PathOf):
            return path_op(self, e, args, scope)
        if e.op == "rear":
            return rear(self, e, args[0], scope)
        if e.op in _OPS:
            return _OPS[e.op](self, e, args)
        if e.op in _OF_ORDERS:
            of = e.args[0].type
            assert isinstance(of, Order | SetOf)
            if e.op != "order":
                return op(e.op, *args, self.bits(of.kind))
            return ir.Ranked("order", self.slot(scope), args[0], None, None, (), self.bits(of.kind).value)
        return self._plain(e.op, e, args)

    def _plain(self, name: str, e: typed.Op, args: list[ir.Expr]) -> ir.Expr:
        """A program operator with its fault site, if any, and with a check if the number may become too large."""
        record = OPERATORS[name]
        if record.chooses and len(args) < record.operands:
            return args[0]
        site = self.site(e.span, record.fault.message) if record.fault is not None else 0
        result = op(name, *args, site=site)
        return self.bounded(result, e.span, MOST) if isinstance(e.type, Num) else result


def _beside(x: ExpressionLowering, e: typed.Op, args: list[ir.Expr]) -> ir.Expr:
    """The next or previous entity of a kind."""
    assert isinstance(e.args[0].type, Ent)
    size = x.layout.size(e.args[0].type.kind)
    return op("next", args[0] if e.op == "next" else op("+", args[0], ir.Const(size - 2)), ir.Const(size))


_OPS: dict[str, Callable[[ExpressionLowering, typed.Op, list[ir.Expr]], ir.Expr]] = {
    "the": lambda x, e, args: x._only(args[0], e),
    "first": lambda x, e, args: op("pick", args[0], FALSE),
    "last": lambda x, e, args: op("pick", op("until", args[0], args[0], FALSE), FALSE),
    "index": lambda x, e, args: args[0],
    "some": lambda x, e, args: op(">=", args[0], FALSE),
    "??": lambda x, e, args: fallback(args[0], args[1]),
    "in": lambda x, e, args: op("in?" if _may_be_none(e.args[0]) else "in", *args),
    "set": lambda x, e, args: together("|", [_singleton(a, arg) for a, arg in zip(e.args, args, strict=True)]),
    **dict.fromkeys(["next", "previous"], _beside),
    **dict.fromkeys(["lot", "entities"], lambda x, e, args: op(e.op, *args, x.layout.entities(e))),
    "*": lambda x, e, args: x._plain("*" if within(x.ranges.of(ir.Op("*", tuple(args))), MOST) else "mul", e, args),
}
"""Operators of the language that differ from those of programs."""


def _link(x: ExpressionLowering, e: typed.LinkBetween, scope: Scope) -> ir.Expr:
    a, b = (x.expr(end, scope) for end in e.ends)
    out, into = (x.layout.values(e.link.region, fact) for fact in (e.link.out, e.link.into))
    result = op("&", x.row(out, a), x.row(into, b))
    if e.link.two_way:
        result = op("|", result, op("&", x.row(out, b), x.row(into, a)))
    return result if isinstance(e.type, SetOf) else op("pick", result, FALSE)


def _setting(x: ExpressionLowering, e: typed.SettingValue, scope: Scope) -> ir.Expr:
    value = x.settings.get(e.setting.name, e.setting.default)
    if e.setting.bounds is not None:
        return ir.Const(int(value))
    return ir.Const(int(value == "true") if e.setting.values is None else e.setting.values.index(value))


def _constant(x: ExpressionLowering, e: typed.Expr, known: dict[typed.Var, ir.Expr]) -> int:
    """The value of a capacity's expression."""
    lowered = x.expr(e, Scope(known))
    x.p.slots = x.most_slots
    try:
        return x.worked_out(lowered, [], e.span)
    except ProgramFaultError as fault:
        message = f"the capacity cannot be computed: {x.p.sites[fault.site][1]}"
        raise DiagnosticsError((Diagnostic("RS702", Severity.ERROR, message, e.span),)) from None


def capacities_of(x: ExpressionLowering, kind: typed.Kind) -> tuple[int, ...]:
    """The capacity of each place for tokens of a kind; -1 if it is unbounded.

    Raises:
        DiagnosticsError: RS702 if a capacity has no value.
    """
    if kind not in x.capacities:
        x.capacities[kind] = capacities(x.layout, kind, partial(_constant, x))
    return x.capacities[kind]


def limits_of(x: ExpressionLowering, capacity: typed.CapacityDecl) -> tuple[int, ...]:
    """The limits of a shared capacity, one for each entity of its index.

    Raises:
        DiagnosticsError: RS702 if a limit has no value.
    """
    if capacity not in x.limits:
        assert capacity.at_most is not None
        results = []
        for number in range(x.layout.size(capacity.index) if capacity.index else 1):
            known: dict[typed.Var, ir.Expr] = {} if capacity.var is None else {capacity.var: ir.Const(number)}
            results.append(max(0, _constant(x, capacity.at_most, known)))
        x.limits[capacity] = tuple(results)
    return x.limits[capacity]


def _room_together(x: ExpressionLowering, e: typed.RoomTogether, scope: Scope) -> ir.Expr:
    index = x.expr(e.index, scope) if e.index is not None else FALSE
    slot = x.slot(scope)
    x.slot(scope.after(slot))
    there = how_many(x.layout, e.capacity, index, slot)
    return x.bounded(op("-", x.row(limits_of(x, e.capacity), index), there), e.span, MOST)


def _place(x: ExpressionLowering, e: typed.PlaceValue, scope: Scope) -> ir.Expr:
    return numbered(x.layout, e, x.expr(e.index, scope) if e.index is not None else None)


def _room(x: ExpressionLowering, e: typed.Room, scope: Scope) -> ir.Expr:
    place = x.expr(e.place, scope)
    return op("-", x.row(capacities_of(x, e.place.kind), place), count_in(x.layout, e.place.kind, place, x.slot(scope)))


def _extreme(
    x: ExpressionLowering, e: typed.Each, slot: int, source: ir.Expr, where: ir.Expr | None, scope: Scope, inner: Scope
) -> ir.Expr:
    """The lowered form of `min` and `max`."""
    assert e.body is not None
    body, default = (
        x.argument(e.body, e.type, inner),
        None if e.default is None else x.argument(e.default, e.type, scope),
    )
    if isinstance(e.body.type, Maybe):
        return extreme(e.op, slot, source, where, body, default)
    if default is None:  # never used, as the set is known to have members
        default = FALSE if isinstance(e.type, Num) else NONE
    return ir.Fold(e.op, slot, source, None, where, body, default)


def _hypothetical(x: ExpressionLowering, e: typed.Once, scope: Scope) -> ir.Expr:
    args = []
    for a in e.args:
        value = x.expr(a, scope)
        args.append(x.bounded(value, a.span) if isinstance(a.type, Num) else value)
    block, (back, *params) = x.p.entries[e.procedure.name]
    site = x.site(e.call, "the call in `once` takes too long")
    return ir.Suppose(block, back, tuple(params), tuple(args), x.expr(e.value, scope), site)


_OF_ORDERS = frozenset(["members", "order", "append", "without", "place", "front"])
_FORMS: dict[type[typed.Expr], Callable[[ExpressionLowering, Any, Scope], ir.Expr]] = {
    typed.Lit: lambda lowering, e, scope: ir.Const(e.value),
    typed.Seats: lambda lowering, e, scope: ir.Const(lowering.layout.seats),
    typed.SettingValue: _setting,
    typed.Local: lambda lowering, e, scope: scope.where[e.var],
    typed.Result: lambda lowering, e, scope: cell(lowering.results[e.procedure]),
    typed.Field: ExpressionLowering._field,
    typed.Fact: ExpressionLowering._fact,
    typed.PieceCount: ExpressionLowering._piece_count,
    typed.PlaceValue: _place,
    typed.Room: _room,
    typed.RoomTogether: _room_together,
    typed.TableRow: ExpressionLowering._table,
    typed.ProductEntity: ExpressionLowering._product_entity,
    typed.KindSet: ExpressionLowering._kind_set,
    typed.Call: ExpressionLowering._call,
    typed.TrackOp: ExpressionLowering._track,
    typed.BoardOp: lambda lowering, e, scope: lowering.boards.expr(e, [lowering.expr(a, scope) for a in e.args]),
    typed.LinkBetween: _link,
    typed.Choice: lower_choice,
    typed.IfSome: lower_some,
    typed.Cases: lower_cases,
    typed.Each: ExpressionLowering._each,
    typed.Reach: ExpressionLowering._reach,
    typed.Ways: lower_ways,
    typed.PathDomain: lower_path,
    typed.PathQuery: lower_query,
    typed.Along: lower_along,
    typed.OverSubsets: lower_subsets,
    typed.Once: _hypothetical,
    typed.Op: ExpressionLowering._op,
}


def _may_be_none(e: typed.Expr) -> bool:
    return isinstance(e.type, Ent) and e.type.optional


def _singleton(e: typed.Expr, lowered: ir.Expr) -> ir.Expr:
    return op("one" if _may_be_none(e) else "bit", lowered)  # the empty set for none


def _packed(key: tuple[int, ...]) -> int:
    total = 0
    for k in key:
        total = (total << _KEY_BITS) + k
    return total
