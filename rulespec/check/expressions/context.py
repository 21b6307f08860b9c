"""Context of the typing modules: declarations, types denoted by source text, and reports."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from msgspec import Struct

from rulespec.check.expressions.foreign import TYPES
from rulespec.check.origins import constants_in, origins
from rulespec.check.scope import Env
from rulespec.diagnostics.diagnostic import Diagnostic, Label, Severity, Span
from rulespec.diagnostics.report import MAX_ERRORS, Report
from rulespec.diagnostics.suggestions import nearest, one
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import (
    ANY,
    BAD,
    BOOL,
    NO_NUMBER,
    Bad,
    BagOf,
    Ent,
    Maybe,
    Num,
    Order,
    PathOf,
    SetOf,
    Type,
    accepts,
    may_be_none,
    never_none,
    unify,
)

ENTITY = Ent("entity")
"""The expected type in reports where an entity of any kind is allowed."""


class Dispute(Struct, frozen=True):
    """A unit conflict: the constants that may have the wrong unit, each with its expected unit."""

    constants: tuple[tuple[typed.ConstantDecl, Type], ...]
    diagnostic: Diagnostic


def _converted(source: Type, target: Type) -> str:
    """A hint at the usual conversion from one type to another, or ""."""
    if isinstance(target, SetOf) and source == Ent(target.kind):
        return "put it in braces to make a set: `{…}`"
    if isinstance(target, SetOf) and source == BOOL:
        return "the members for which a condition holds are `{x in s where c}`"
    if isinstance(target, Ent) and isinstance(source, SetOf) and source.kind == target.kind:
        return "one of its members is `first(x in s by k)`, or `the(s)` if it never has more"
    if isinstance(target, Order) and isinstance(source, PathOf):
        return "empty the order, then fill it along the path: `for x in …: add x to o`"
    if isinstance(source, PathOf):
        return "keep a part of it: the last stop `last(…)`, the number of stops `count(…)`, their set `{x for x in …}`"
    if isinstance(source, BagOf):
        return "keep a part of it: the number of pieces `count(…)`, or those of one entity `b[x]`"
    if isinstance(source, SetOf) and isinstance(target, Num):
        return "the number of members is `count(…)`"
    if isinstance(source, SetOf) and target == BOOL:
        return "write `s != {}` to test whether the set has members"
    if isinstance(source, Num) and isinstance(target, Num) and "" in (source.unit, target.unit):
        return f"write `… * 1 {target}`" if source.unit == "" else f"write `… / 1 {source}` for a plain number"
    if target == BOOL and may_be_none(source):
        return "write `… is some` to test for a value, or `… ?? y` to replace none by y"
    return ""


def bag_help(bag: typed.Var) -> str:
    """The help text for a bag or path that is used where a number or an entity is required."""
    if isinstance(bag.type, PathOf):
        return f"write `count({bag.name})` for the number of stops, `last({bag.name})` for the last stop"
    return (
        f"write `count({bag.name})` for the number of pieces, `{bag.name}[x]` for those of one {bag.type.kind}"
        if isinstance(bag.type, BagOf)
        else ""
    )


class ExpressionContext(ABC):
    """The declarations, rules and report of one run; `infer` types the parts of an expression.

    Attributes:
        decls: declarations of the ruleset.
        rules: its definitions and procedures, of which only the signatures are known at first.
        report: receives the diagnostics.
        seats: names of the seats in a running game; each names an entity of the players' kind.
        firsts: variables that a `let` binds to the first member of a non-empty set.
        assigned: maps a procedure to the names that it may assign; None means that any procedure may assign any name.
        disputes: receives the unit conflicts that involve constants; None means that they are reported at once.
    """

    def __init__(
        self, declarations: typed.Declarations, rules: typed.Rules, report: Report, seats: Sequence[str] = ()
    ) -> None:
        self.decls = declarations
        self.rules = rules
        self.report = report
        self.seats = tuple(seats)
        self.firsts: set[typed.Var] = set()
        self.disputes: list[Dispute] | None = None
        self.assigned: Callable[[str], frozenset[object]] | None = None

    @abstractmethod
    def infer(self, e: ast.Expr, env: Env, want: Type | None = None) -> typed.Expr:
        """The typed form of an expression; `want` selects among entities that have the same name."""

    def check(self, e: ast.Expr, env: Env, target: Type, what: str, asked: Span | None = None) -> typed.Expr:
        """The typed form of an expression with a required type; for `asked`, see `expect`."""
        return self.expect(self.infer(e, env, target), target, what, asked)

    def condition(self, e: ast.Expr, env: Env) -> typed.Expr:
        """The typed form of a condition."""
        return self.check(e, env, BOOL, "a condition")

    def expect(self, expr: typed.Expr, target: Type, what: str, asked: Span | None = None) -> typed.Expr:
        """The expression converted to a type; reports a mismatch. `asked` is the declaration that requires the type."""
        expr = self.fitted(expr, target)
        if accepts(target, expr.type):
            if isinstance(expr.type, Num) and expr.type.unit == ANY and isinstance(expr, typed.Lit):
                return typed.Lit(target, expr.span, expr.value)
            return expr
        notes = self.declared(expr) + ((Label(asked, f"{target} is expected here"),) if asked else ())
        if may_be_none(expr.type) and unify(target, never_none(expr.type)) is not None and never_none(target) == target:
            a = "a" if isinstance(target, Ent) else "of type"
            return self.perhaps(expr, f"{what} must be {a} `{target}`", notes)
        message = f"{what} must be {'an entity' if target == ENTITY else target}, but this is {expr.type}"
        help_ = _converted(expr.type, target)
        if isinstance(target, Num | Maybe) and isinstance(expr.type, Num | Maybe):
            d = Diagnostic("RS302", Severity.ERROR, message, expr.span, str(expr.type), notes, help_)
            self.units(d, (expr, target))
            return typed.Lit(BAD, expr.span, 0)
        return self.bad("RS301", message, expr.span, str(expr.type), notes, help_)

    def as_set(self, e: typed.Expr) -> typed.Expr:
        """Converts an order, a bag or a path to the set of its members; returns any other expression unchanged."""
        if isinstance(e.type, PathOf):
            return typed.Op(SetOf(e.type.kind), e.span, "visited", (e,))
        if isinstance(e.type, BagOf):
            return typed.Op(SetOf(e.type.kind), e.span, "entities", (e,))
        return typed.Op(SetOf(e.type.kind), e.span, "members", (e,)) if isinstance(e.type, Order) else e

    def perhaps(
        self, expr: typed.Expr, what: str, notes: tuple[Label, ...] = (), in_operator: bool = False
    ) -> typed.Expr:
        """Reports an expression that may be none where a value is required; the message starts with `what`."""
        fallback = f"x ?? {'0' if isinstance(expr.type, Maybe) else 'y'}"
        fallback = f"`({fallback})`, in brackets" if in_operator else f"`{fallback}`"
        help_ = f"check it first: `if x is some:`, `x is some and …`, or give a fallback: {fallback}"
        if what.startswith("the owner of `."):
            help_ += "; or write `?.` in place of `.`, which gives none for none"
        if isinstance(expr, typed.Each | typed.Op) and expr.op == "first":
            help_ = "write `the(…)` if there is always exactly one; otherwise give a fallback: `x ?? y`"
        elif isinstance(expr, typed.Each | typed.Ways):
            help_ = f"give the value for an empty set: `{expr.op}(… , else 0)`, or `{expr.op}(…) ?? 0`"
        return self.bad("RS303", f"{what}, but this may be none", expr.span, str(expr.type), notes, help_)

    def number(self, expr: typed.Expr, what: str) -> typed.Expr:
        """The expression if it is a number; otherwise reports an error whose message starts with `what`."""
        if isinstance(expr.type, Maybe):
            return self.perhaps(expr, what, self.declared(expr), in_operator=what.startswith("`"))
        return expr if isinstance(expr.type, Num | Bad) else self.wrong(expr, what)

    def fitted(self, e: typed.Expr, target: Type) -> typed.Expr:
        """Converts the expression to the target type: an order to its set, a set to the order of its kind, or none to a
        number.
        """
        if isinstance(target, Num | Maybe) and e.type == Ent(ANY, True):
            return typed.Lit(Maybe(target.unit), e.span, NO_NUMBER)
        if isinstance(target, SetOf):
            return self.as_set(e)
        if isinstance(target, Order) and isinstance(e.type, SetOf) and e.type.kind in (ANY, target.kind):
            empty = isinstance(e, typed.Lit) and not e.value
            return typed.Lit(target, e.span, 0) if empty else typed.Op(target, e.span, "order", (e,))
        return e

    def units(self, d: Diagnostic, *sides: tuple[typed.Expr, Type]) -> None:
        """Reports a unit conflict: at once, or as a dispute if a constant determines the unit of one side.

        `sides` are the conflicting expressions, each with the type required by the other side.
        """
        if self.disputes is not None and len(self.disputes) < MAX_ERRORS:
            named = [(constant, want) for e, want in sides if (constant := self._constant(e)) is not None]
            if named:
                self.disputes.append(Dispute(tuple(named), d))
                return
        self.report.error(d.code, d.message, d.span, d.label, d.notes, d.help)

    def _constant(self, e: typed.Expr) -> typed.ConstantDecl | None:
        """The constant that alone determines an expression's unit, or None."""
        named = self.decls.references.get(e.span)
        if isinstance(named, typed.ConstantDecl):
            return named
        if isinstance(e, typed.Lit):  # a folded expression
            results = [c for c in constants_in(e.span, self.decls) if c.type == e.type]
        else:
            places = {label.span for label in self.declared(e)}
            results = [c for c in self.decls.constants.values() if c.span in places]
        return results[0] if len(results) == 1 else None

    def type_of(self, ref: ast.TypeRef) -> Type:
        """The type denoted by a type reference; reports unknown names."""
        name = ref.name.text
        if name == "int" or name in self.decls.units:
            self.refer_to_unit(ref.name)
            unit = "" if name == "int" else name
            if ref.form in ("plain", "range"):
                return Num(unit)
            if ref.form in ("optional", "optional range"):
                return Maybe(unit)
            self.error("RS224", f"{one(ref.form)} cannot hold numbers", ref.span, help="write the name of a kind")
            return BAD
        if name == "bool":
            if ref.form == "plain":
                return BOOL
            does = "have a range" if "range" in ref.form else f"be in {one(ref.form)}"
            does = "be optional" if ref.form == "optional" else does
            self.error("RS224", f"a bool cannot {does}", ref.span)
            return BAD
        kind = self.decls.kinds.get(name)
        if kind is None:
            places: dict[str, Span | None] = {"int": None, "bool": None, **self.decls.units}
            hint, notes = nearest(name, places | {k.name: k.span for k in self.decls.kinds.values()})
            if name in self.decls.pieces and ref.form == "bag" and (each := self.decls.pieces[name].each):
                hint, notes = f"name the kind that owns the pieces: `bag {each[0]}`", ()
            hint = hint or TYPES.get(name, "")
            self.error("RS224", f"`{name}` is not a type", ref.name.span, notes=notes, help=hint)
            return BAD
        self.decls.used.add(name)
        self.decls.refer(ref.name.span, kind)
        if ref.form in ("range", "optional range"):
            self.error("RS224", f"only numbers have a range, but `{name}` is a kind", ref.span)
            return BAD
        if ref.form == "order":
            return Order(name)
        if ref.form == "bag":
            return BagOf(name)
        if ref.form == "path":
            return PathOf(name)
        return SetOf(name) if ref.form == "set" else Ent(name, ref.form == "optional")

    def stored_type(self, ref: ast.TypeRef) -> Type:
        """The type denoted by a type reference; reports bags and paths, which cannot be stored."""
        type_ = self.type_of(ref)
        if isinstance(type_, PathOf):
            help_ = "store a value computed from the path, such as the set of its stops"
            self.error("RS356", "only a parameter can be a path", ref.span, help=help_)
            return BAD
        if not isinstance(type_, BagOf):
            return type_
        help_ = "store the pieces in places under `pieces:`"
        self.error("RS316", "only a parameter can be a bag", ref.span, help=help_)
        return BAD

    def refer_to_unit(self, name: ast.Name) -> None:
        """Records a reference to a unit; ignores other names."""
        if name.text in self.decls.units:
            self.decls.refer(name.span, typed.Unit(name.text, self.decls.units[name.text]))

    def error(
        self,
        code: str,
        message: str,
        span: Span,
        label: str = "",
        notes: tuple[Label, ...] = (),
        help: str = "",
    ) -> None:
        """Reports an error."""
        self.report.error(code, message, span, label, notes, help)

    def bad(
        self,
        code: str,
        message: str,
        span: Span,
        label: str = "",
        notes: tuple[Label, ...] = (),
        help: str = "",
    ) -> typed.Expr:
        """Reports an error, and returns a replacement for the expression that suppresses follow-up errors."""
        self.error(code, message, span, label, notes, help)
        return typed.Lit(BAD, span, 0)

    def wrong(self, expr: typed.Expr, what: str, help: str = "") -> typed.Expr:
        """Reports an expression of the wrong type; the message starts with `what`, the requirement."""
        message = f"{what}, but this is {expr.type}"
        return self.bad("RS301", message, expr.span, str(expr.type), self.declared(expr), help)

    def declared(self, expr: typed.Expr) -> tuple[Label, ...]:
        """Notes on the origin of an expression's type."""
        return origins(expr, self.decls)
