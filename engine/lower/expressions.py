"""Where everything lies in the state, and typed expressions as expressions over cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import product

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, cell, choose, fallback, logic, op, together
from rulespec.engine.program.interpreter import ProgramFaultError, evaluate
from rulespec.typed import nodes as typed
from rulespec.types import Bool, Ent, Num, SetOf, Type

SMALL = 10**6
"""Products with a constant up to here need no bound of their own: there are not enough of them in an expression."""
MAX_CELLS = 200_000


@dataclass(frozen=True, slots=True)
class Scope:
    """Where variables are: in slots of the expression, or in cells. `sources` stand for whole set expressions."""

    where: dict[typed.Var, ir.Expr] = field(default_factory=dict)
    slots: int = 0
    sources: dict[int, ir.Expr] = field(default_factory=dict)

    def in_slot(self, var: typed.Var, slot: int) -> Scope:
        """With a variable in a slot."""
        return replace(self, where={**self.where, var: ir.Local(slot)}, slots=max(self.slots, slot + 1))

    def in_cell(self, var: typed.Var, at: int) -> Scope:
        """With a variable in a cell."""
        return replace(self, where={**self.where, var: cell(at)})

    def with_source(self, expr: typed.Expr, value: ir.Expr) -> Scope:
        """With one expression standing for a value that is known already."""
        return replace(self, sources={**self.sources, id(expr): value})


class Layout:
    """The cells of fields, accounts and piles, one after the other."""

    def __init__(self, declarations: typed.Declarations, seats: int, program: ir.Program) -> None:
        self.d = declarations
        self.seats = seats
        self.p = program
        self.field_at: dict[typed.FieldDecl, int] = {}
        self.place_at: dict[typed.PlaceDecl, int] = {}
        for name in ("position", "ending", "winners"):
            self.add(ir.CellName("rules", "", name, "int"))
        self.p.start[ir.WINNERS] = -1
        for field_ in declarations.fields.values():
            self.field_at[field_] = self.add(
                ir.CellName("game", "game", field_.name, type_name(field_.type), private=field_.private)
            )
        for kind in declarations.kinds.values():
            for field_ in kind.state.values():
                self.field_at[field_] = len(self.p.cells)
                self._room([kind.name])
                for owner in self.names(kind.name):
                    type_ = type_name(field_.type)
                    self._add(ir.CellName(kind.name, owner, field_.name, type_, private=field_.private))
        for piece in declarations.pieces.values():
            for place in piece.places.values():
                self.place_at[place] = len(self.p.cells)
                self._room([*piece.each, *([place.index] if place.index else [])])
                for owner in self._owners(piece.each):
                    for index in range(self.size(place.index)) if place.index else [-1]:
                        of = owner or "-"
                        self._add(ir.CellName("pieces", of, piece.name, "int", place.name, place.index, index))

    def _room(self, kinds: list[str]) -> None:
        """Refuses more cells than there may be, one for each tuple of entities."""
        needed = 1
        for kind in kinds:
            needed *= self.size(kind)
        if len(self.p.cells) + needed > MAX_CELLS:
            message = f"this game needs more than {MAX_CELLS:,} cells"
            help_ = "pieces or state over kinds with many entities multiply: give them fewer places"
            raise DiagnosticsError((Diagnostic("RS701", Severity.ERROR, message, None, help=help_),))

    def add(self, name: ir.CellName) -> int:
        """A new cell."""
        self._room([])
        return self._add(name)

    def _add(self, name: ir.CellName) -> int:
        self.p.cells.append(name)
        self.p.start.append(0)
        return len(self.p.cells) - 1

    def size(self, kind: str) -> int:
        """Number of entities of a kind."""
        return self.seats if self.d.kinds[kind].is_player else len(self.d.kinds[kind].entities)

    def names(self, kind: str) -> list[str]:
        """Names of the entities of a kind; seats are called by their number here."""
        found = self.d.kinds[kind]
        return [str(i) for i in range(self.seats)] if found.is_player else [e.name for e in found.entities]

    def _owners(self, kinds: tuple[str, ...]) -> list[str]:
        owners = [""]
        for kind in kinds:
            owners = [f"{o}.{n}" if o else n for o in owners for n in self.names(kind)]
        return owners

    def strides(self, kinds: list[str]) -> list[int]:
        """How far apart the cells of neighbouring entities are, for each of several indices."""
        strides = [1] * len(kinds)
        for i in range(len(kinds) - 2, -1, -1):
            strides[i] = strides[i + 1] * self.size(kinds[i + 1])
        return strides

    def fill_start(self, x: ExpressionLowering) -> None:
        """Start values of fields, then the placements of the set-up."""
        state = self.p.start
        self.p.slots = x.most_slots
        for field_, base in self.field_at.items():
            if field_.start is not None:
                value = self._value(field_.start, x)
                self._check_start(field_, value, field_.start.span)
            elif isinstance(field_.type, Ent):
                value = -1
            else:
                continue
            for i in range(self.size(field_.kind) if field_.kind else 1):
                state[base + i] = value
        for placement in self.d.placements:
            if placement.players is None:
                self._placement(placement, x)
        for placement in self.d.placements:
            if placement.players == self.seats:
                self._placement(placement, x)

    def _value(self, e: typed.Expr, x: ExpressionLowering, known: Mapping[typed.Var, int] | None = None) -> int:
        lowered = x.expr(e, Scope({var: ir.Const(value) for var, value in (known or {}).items()}))
        self.p.slots = x.most_slots
        try:
            return evaluate(self.p, lowered, self.p.start, [0] * (x.most_slots + 1))
        except ProgramFaultError as fault:
            span, message = self.p.sites[fault.site]
            raise DiagnosticsError((Diagnostic("RS702", Severity.ERROR, f"no start value: {message}", span),)) from None

    def _check_start(self, field_: typed.FieldDecl, value: int, span: Span) -> None:
        low, high = field_.low, field_.high
        if field_.account and not field_.unlimited:
            low = 0
        if (low is not None and value < low) or (high is not None and value > high):
            what = f"between {low} and {high}" if high is not None else "never below 0"
            message = f"`{field_.name}` is {what}, and would start at {value}"
            raise DiagnosticsError((Diagnostic("RS702", Severity.ERROR, message, span),))

    def _placement(self, placement: typed.Placement, x: ExpressionLowering) -> None:
        target = placement.target
        if isinstance(target, typed.FieldDecl):
            base = self.field_at[target]
            kinds = [target.kind] if target.kind else []
        else:
            base = self.place_at[target[1]]
            kinds = [*target[0].each, *([target[1].index] if target[1].index else [])]
        members = [
            range(self.size(kind)) if isinstance(key, typed.Var) else [key]
            for kind, key in zip(kinds, placement.keys, strict=True)
        ]
        strides = self.strides(kinds)
        each = [(at, key) for at, key in enumerate(placement.keys) if isinstance(key, typed.Var) and key.reads]
        value = 0 if each else self._start_of(placement, x, {})
        for ids in product(*members):
            if each:
                value = self._start_of(placement, x, {var: ids[at] for at, var in each})
            self.p.start[base + sum(i * stride for i, stride in zip(ids, strides, strict=True))] = value

    def _start_of(self, placement: typed.Placement, x: ExpressionLowering, known: Mapping[typed.Var, int]) -> int:
        value = self._value(placement.value, x, known)
        if isinstance(placement.target, typed.FieldDecl):
            self._check_start(placement.target, value, placement.value.span)
        elif value < 0:
            message = "there cannot be less than no pieces"
            raise DiagnosticsError((Diagnostic("RS702", Severity.ERROR, message, placement.span),))
        return value


class ExpressionLowering:
    """Typed expressions to expressions over cells and slots; facts, tables and options become constants."""

    def __init__(self, layout: Layout, settings: Mapping[str, str], program: ir.Program) -> None:
        self.layout = layout
        self.settings = settings
        self.p = program
        self.most_slots = 8
        self._arrays: dict[tuple[int, ...], int] = {}
        self._tables: dict[typed.TableDecl, int] = {}
        self._functions: dict[typed.Definition, int] = {}
        self._sites: dict[tuple[Span, str], int] = {}

    def site(self, span: Span, message: str) -> int:
        """The number of a place where a fault may be reported."""
        key = (span, message)
        if key not in self._sites:
            self._sites[key] = len(self.p.sites)
            self.p.sites.append(key)
        return self._sites[key]

    def functions(self, definitions: Mapping[str, typed.Definition]) -> None:
        """All definitions, each with its number, those that others use first."""
        for definition in definitions.values():
            self._function(definition)

    def _function(self, definition: typed.Definition) -> int:
        if definition in self._functions:
            return self._functions[definition]
        scope = Scope()
        for i, var in enumerate(definition.params):
            scope = scope.in_slot(var, i)
        lets = []
        for var, value in definition.lets:
            slot = self.slot(scope)
            lets.append((slot, self.expr(value, scope)))
            scope = scope.in_slot(var, slot)
        assert definition.body is not None
        body = self.expr(definition.body, scope)
        self._functions[definition] = len(self.p.functions)
        self.p.functions.append(ir.Function(definition.name, len(definition.params), tuple(lets), body))
        return self._functions[definition]

    def expr(self, e: typed.Expr, scope: Scope) -> ir.Expr:
        """The expression; constant where it can be."""
        # `type(…) is`, because `isinstance` says no slowly where classes are made in C.
        if id(e) in scope.sources:
            return scope.sources[id(e)]
        if type(e) is typed.Lit:
            return ir.Const(e.value)
        if type(e) is typed.Seats:
            return ir.Const(self.layout.seats)
        if type(e) is typed.SettingValue:
            return ir.Const(self._option(e.option))
        if type(e) is typed.Local:
            return scope.where[e.var]
        if type(e) is typed.Field:
            base = self.layout.field_at[e.decl]
            if e.owner is None:
                return cell(base)
            return cell(base, self.expr(e.owner, scope), self.layout.size(e.decl.kind))
        if type(e) is typed.Fact:
            return self._row(tuple(e.decl.values), self.expr(e.owner, scope))
        if type(e) is typed.PieceCount:
            kinds = [*e.piece.each, *([e.place.index] if e.place.index else [])]
            parts = [*e.ids, *([e.index] if e.index is not None else [])]
            return self._indexed(self.layout.place_at[e.place], kinds, parts, scope)
        if type(e) is typed.TableRow:
            return self._table(e, scope)
        if type(e) is typed.ProductEntity:
            total: ir.Expr = FALSE
            for part, stride in zip(e.parts, self.layout.strides(list(e.kind.product)), strict=True):
                total = op("+", total, op("*", self.expr(part, scope), ir.Const(stride)))
            return total
        if type(e) is typed.KindSet:
            return ir.Const((1 << self.layout.size(e.kind.name)) - 1)
        if type(e) is typed.Call:
            return ir.Call(self._function(e.definition), tuple(self.expr(a, scope) for a in e.args))
        if type(e) is typed.TrackOp:
            return self._track(e, scope)
        if type(e) is typed.Choice:
            return choose(self.expr(e.condition, scope), self.expr(e.then, scope), self.expr(e.other, scope))
        if type(e) is typed.Each:
            return self._each(e, scope)
        if type(e) is typed.Reach:
            slot = self.slot(scope)
            start = self.expr(e.start, scope)
            return ir.Closure(slot, start, self.expr(e.step, scope.in_slot(e.var, slot)))
        assert isinstance(e, typed.Op)
        return self._op(e, scope)

    def slot(self, scope: Scope) -> int:
        """The first free slot."""
        self.most_slots = max(self.most_slots, scope.slots + 1)
        return scope.slots

    def _option(self, option: typed.SettingDecl) -> int:
        value = self.settings.get(option.name, option.default)
        return int(value == "true") if option.values is None else option.values.index(value)

    def _row(self, values: tuple[int, ...], index: ir.Expr) -> ir.Expr:
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
            return self._row(rows, index)
        # Numbers among the keys: packed into one number, 32 bits for each key.
        if table not in self._tables:
            self._tables[table] = len(self.p.tables)
            self.p.tables.append({_packed(k): v for k, v in table.rows.items()})
        if all(isinstance(k, ir.Const) for k in keys):
            value = table.rows.get(tuple(k.value for k in keys if isinstance(k, ir.Const)))
            if value is not None:
                return ir.Const(value)
        packed: ir.Expr = FALSE
        for key in keys:
            packed = op("+", op("*", packed, ir.Const(1 << 32)), key)
        site = self.site(e.span, f"the table `{table.name}` has no such row")
        return ir.Lookup(self._tables[table], packed, site)

    def _track(self, e: typed.TrackOp, scope: Scope) -> ir.Expr:
        args = [self.expr(a, scope) for a in e.args]
        size = ir.Const(self.layout.size(e.track.kind))
        site = self.site(e.span, "a ring has spaces")
        if e.op == "steps":
            return op("%", op("-", args[1], args[0]), size, site=site)
        if e.op == "ahead":
            return op("%", op("+", args[0], args[1]), size, site=site)
        return op("passed", args[0], *map(ir.Const, e.track.upto))  # a line: the spaces whose end is below the value

    def _each(self, e: typed.Each, scope: Scope) -> ir.Expr:
        b = e.binder
        source = self.expr(b.source, scope)
        start = self.expr(b.start, scope) if b.start is not None else None
        if start is not None and b.order == "after" and isinstance(b.var.type, Ent):
            start = op("next", start, ir.Const(self.layout.size(b.var.type.kind)))
        slot = self.slot(scope)
        inner = scope.in_slot(b.var, slot)
        where = self.expr(b.where, inner) if b.where is not None else None
        if where == ir.Const(1):
            where = None
        body = self.expr(e.body, inner) if e.body is not None else None
        default = self.expr(e.default, scope) if e.default is not None else None
        if where is None and body is None:
            if e.op == "count":
                return op("count", source)
            if e.op == "any":
                return op("!=", source, FALSE)
            if e.op == "set":
                return source
            if e.op == "first":
                return op("pick", source, start or FALSE)
        return ir.Fold(e.op, slot, source, start, where, body, default)

    def _op(self, e: typed.Op, scope: Scope) -> ir.Expr:
        if e.op in ("and", "or"):
            return logic(e.op, [self.expr(a, scope) for a in e.args])
        args = [self.expr(a, scope) for a in e.args]
        if e.op == "index" or (e.op in ("min", "max") and len(args) == 1):
            return args[0]
        if e.op == "some":
            return op(">=", args[0], FALSE)
        if e.op == "??":
            return fallback(args[0], args[1])
        if e.op == "in":
            optional = isinstance(e.args[0].type, Ent) and e.args[0].type.optional
            return op("in?" if optional else "in", *args)
        if e.op == "set":
            return together("|", [op("bit", arg) for arg in args])
        if e.op == "next":
            assert isinstance(e.args[0].type, Ent)
            return op("next", args[0], ir.Const(self.layout.size(e.args[0].type.kind)))
        if e.op in ("/", "%"):
            return op(e.op, *args, site=self.site(e.span, "this divides by zero"))
        if e.op == "*" and not any(isinstance(a, ir.Const) and abs(a.value) <= SMALL for a in args):
            return op("mul", *args, site=self.site(e.span, "this product has more than 15 digits"))
        return op(e.op, *args)


def _packed(key: tuple[int, ...]) -> int:
    total = 0
    for k in key:
        total = (total << 32) + k
    return total


def type_name(type_: Type) -> str:
    """The type as `ir.Shown`, `ir.Param` and `ir.CellName` write it."""
    if isinstance(type_, Bool):
        return "bool"
    if isinstance(type_, Num):
        return "int"
    if isinstance(type_, SetOf):
        return f"set {type_.kind}"
    assert isinstance(type_, Ent)
    return type_.kind
