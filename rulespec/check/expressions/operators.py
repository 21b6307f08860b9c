"""Operators and the units of their operands."""

from __future__ import annotations

from rulespec.check.expressions.context import ExpressionContext, bag_help
from rulespec.check.scope import Env, known_if, path_of
from rulespec.diagnostics.diagnostic import Diagnostic, Label, Severity
from rulespec.language.operators import OPERATORS
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import (
    ANY,
    BAD,
    BOOL,
    INT,
    LITERAL,
    MAX_NUMBER,
    Bad,
    BagOf,
    Ent,
    Maybe,
    Num,
    Order,
    PathOf,
    SetOf,
    Type,
    may_be_none,
    never_none,
    or_none,
    unify,
)

_ARITHMETIC = {"+", "-", "*", "/", "%"}
_ORDER = {"<", "<=", ">", ">="}


def infer_unary(x: ExpressionContext, e: ast.Unary, env: Env) -> typed.Expr:
    """Types `not`, `-`, `is some` and `is none`."""
    if e.op == "not":
        return typed.Op(BOOL, e.span, "not", (x.condition(e.operand, env),))
    operand = x.infer(e.operand, env)
    if e.op == "-":
        operand = x.number(operand, "`-` takes a number")
        if isinstance(operand, typed.Lit):
            return typed.Lit(operand.type, e.span, -operand.value)
        return typed.Op(operand.type, e.span, "neg", (operand,))
    if not isinstance(operand.type, Ent | Num | Maybe | Bad):
        return x.wrong(operand, "only an entity or a number may be none")
    # The test is allowed for the first member of a kind: it may be none with another overlay, or another binder.
    asked = isinstance(operand, typed.Local) and operand.var in x.firsts
    sure = isinstance(operand.type, Ent | Num) and not may_be_none(operand.type)
    if sure and not asked and path_of(operand) not in env.known:
        x.report.warning(
            "RS309", "this is never none", e.span, str(operand.type), x.declared(operand), "remove the test"
        )
    some = typed.Op(BOOL, e.span, "some", (operand,))
    return some if e.op == "is some" else typed.Op(BOOL, e.span, "not", (some,))


def infer_binary(x: ExpressionContext, e: ast.Binary, env: Env, want: Type | None) -> typed.Expr:
    """Types a binary operator."""
    if e.op in ("and", "or"):
        left = x.condition(e.left, env)
        if e.op == "or" and isinstance(e.right, ast.Nothing):
            help_ = "for an optional parameter, write `x in s or none` before `where`"
            return x.bad("RS301", "`or` joins conditions, but `none` is not a condition", e.right.span, help=help_)
        right = x.condition(e.right, env.learn(known_if(left, e.op == "and")))
        return typed.Op(BOOL, e.span, e.op, (left, right))
    if e.op in ("in", "not in"):
        return _membership(x, e, env)
    if e.op == "??":
        return _coalesce(x, e, env, want)
    left, right = _pair(x, e.left, e.right, env, want if e.op not in ("==", "!=") else None)
    if isinstance(left.type, Bad) or isinstance(right.type, Bad):
        result = BOOL if e.op in ("==", "!=") or e.op in _ORDER else BAD
        return typed.Lit(result, e.span, 0) if result == BAD else typed.Op(BOOL, e.span, e.op, (left, right))
    if e.op in ("==", "!="):
        if unify(left.type, right.type) is None or _compares_none(left, right, env):
            code = "RS302" if isinstance(left.type, Num) and isinstance(right.type, Num) else "RS301"
            return _mismatch(x, code, e, left, right, "cannot be compared")
        return typed.Op(BOOL, e.span, e.op, (x.fitted(left, right.type), x.fitted(right, left.type)))
    if e.op in _ORDER | _ARITHMETIC and isinstance(left.type, Num | Maybe) and isinstance(right.type, Num | Maybe):
        left, right = (x.number(side, f"`{e.op}` takes numbers") for side in (left, right))
        if BAD in (left.type, right.type):
            return typed.Lit(BOOL if e.op in _ORDER else BAD, e.span, 0)
    if e.op in _ORDER and isinstance(left.type, Ent) and isinstance(right.type, Ent) and left.type.kind != ANY:
        return _in_order(x, e, left, right)
    if e.op in _ORDER:
        if not isinstance(left.type, Num) or not isinstance(right.type, Num):
            return _mismatch(x, "RS301", e, left, right, f"cannot be compared with `{e.op}`")
        if unify(left.type, right.type) is None:
            return _mismatch(x, "RS302", e, left, right, "cannot be compared")
        return typed.Op(BOOL, e.span, e.op, (left, right))
    if e.op in ("|", "&", "-"):
        left, right = x.as_set(left), x.as_set(right)
    if isinstance(left.type, SetOf) and isinstance(right.type, SetOf) and e.op in ("|", "&", "-"):
        common = unify(left.type, right.type)
        if common is None:
            return _mismatch(x, "RS301", e, left, right, f"cannot be combined with `{e.op}`")
        return typed.Op(common, e.span, "diff" if e.op == "-" else e.op, (left, right))
    if isinstance(left.type, Num) and isinstance(right.type, Num) and e.op in _ARITHMETIC:
        return _arithmetic(x, e, left, right)
    return _mismatch(x, "RS301", e, left, right, f"cannot be combined with `{e.op}`")


def _in_order(x: ExpressionContext, e: ast.Binary, left: typed.Expr, right: typed.Expr) -> typed.Expr:
    """Types a comparison of two entities by their order in their kind."""
    assert isinstance(left.type, Ent) and isinstance(right.type, Ent)
    if left.type.kind != right.type.kind:
        return _mismatch(x, "RS301", e, left, right, f"cannot be compared with `{e.op}`")
    sides = [x.expect(side, Ent(left.type.kind), f"each side of `{e.op}`") for side in (left, right)]
    if any(side.type == BAD for side in sides):
        return typed.Lit(BOOL, e.span, 0)
    return typed.Op(BOOL, e.span, e.op, tuple(typed.Op(INT, side.span, "index", (side,)) for side in sides))


def _compares_none(left: typed.Expr, right: typed.Expr, env: Env) -> bool:
    """Whether one side is the literal none, and the other a number that is never none."""
    sides = ((left, right), (right, left))
    none = Ent(ANY, True)
    return any(a.type == none and isinstance(b.type, Num) and path_of(b) not in env.known for a, b in sides)


def _pair(
    x: ExpressionContext, a: ast.Expr, b: ast.Expr, env: Env, want: Type | None = None
) -> tuple[typed.Expr, typed.Expr]:
    """Types two operands; the type of each resolves ambiguous entity names in the other."""
    if isinstance(a, ast.Ref) and len(x.decls.entities.get(a.name, ())) > 1 and a.name not in env.vars:
        right = x.infer(b, env, want)
        return x.infer(a, env, right.type), right
    left = x.infer(a, env, want)
    return left, x.infer(b, env, left.type)


def _arithmetic(x: ExpressionContext, e: ast.Binary, left: typed.Expr, right: typed.Expr) -> typed.Expr:
    a, b = left.type, right.type
    assert isinstance(a, Num) and isinstance(b, Num)
    result: Type | None
    if e.op in ("+", "-", "%"):
        result = unify(a, b)
    elif e.op == "*":
        result = {(True, True): LITERAL}.get((a.unit == ANY, b.unit == ANY))
        if result is None:
            plain = ("", ANY)
            result = b if a.unit in plain and b.unit != ANY else a if b.unit in plain else None
    else:
        result = LITERAL if a.unit == b.unit == ANY else a if b.unit in ("", ANY) else INT if a == b else None
        if isinstance(result, Num) and result.unit == ANY and b.unit == "":
            result = INT
    if result is None:
        return _mismatch(x, "RS302", e, left, right, f"cannot be combined with `{e.op}`")
    if e.op in ("/", "%") and isinstance(right, typed.Lit) and right.value == 0:
        return x.bad("RS310", "this divides by zero", right.span, notes=x.declared(right))
    if isinstance(left, typed.Lit) and isinstance(right, typed.Lit):
        value = OPERATORS[e.op].meaning(left.value, right.value)
        if abs(value) > MAX_NUMBER:
            help_ = "make one of the two numbers smaller"
            return x.bad("RS311", "this number has more than 15 digits", e.span, help=help_)
        return typed.Lit(result, e.span, value)
    return typed.Op(result, e.span, e.op, (left, right))


def _membership(x: ExpressionContext, e: ast.Binary, env: Env) -> typed.Expr:
    source = x.as_set(x.infer(e.right, env))
    if not isinstance(source.type, SetOf | Bad):
        return x.wrong(source, "`in` takes a set")
    want = Ent(source.type.kind) if isinstance(source.type, SetOf) and source.type.kind != ANY else None
    member = x.infer(e.left, env, want)
    if want is not None and unify(Ent(want.kind, True), member.type) is None:
        return _mismatch(x, "RS301", e, member, source, "do not match")
    test = typed.Op(BOOL, e.span, "in", (member, source))
    return test if e.op == "in" else typed.Op(BOOL, e.span, "not", (test,))


def _coalesce(x: ExpressionContext, e: ast.Binary, env: Env, want: Type | None) -> typed.Expr:
    left = x.infer(e.left, env, want)
    right = x.infer(e.right, env, left.type if isinstance(left.type, Ent) else want)
    if not isinstance(left.type, Ent | Num | Maybe | Bad):
        return x.wrong(left, "`??` must follow a value that may be none")
    if isinstance(left.type, Num) and path_of(left) not in env.known:
        notes = x.declared(left)
        x.report.warning("RS309", "this is never none", left.span, str(left.type), notes, "remove the `??`")
    left, right = x.fitted(left, right.type), x.fitted(right, left.type)
    common = unify(left.type, right.type)
    if common is None:
        return _mismatch(x, "RS301", e, left, right, "cannot replace one another")
    if isinstance(common, Ent | Num | Maybe):
        common = or_none(never_none(common)) if may_be_none(right.type) else never_none(common)
    return typed.Op(common, e.span, "??", (left, right))


def _mismatch(
    x: ExpressionContext, code: str, e: ast.Binary, left: typed.Expr, right: typed.Expr, what: str
) -> typed.Expr:
    message = f"{left.type} and {right.type} {what}"
    notes = (Label(left.span, str(left.type)), *x.declared(left), *x.declared(right))
    if code == "RS302":
        d = Diagnostic(
            code, Severity.ERROR, message, right.span, str(right.type), notes, _unit_help(left.type, right.type)
        )
        x.units(d, (left, right.type), (right, left.type))
        return typed.Lit(BAD, right.span, 0)
    help_ = ""
    if isinstance(left.type, SetOf) and isinstance(right.type, SetOf | Ent):
        help_ = "join sets with `|`, and subtract them with `-`: `s | {x}`"
        if isinstance(right.type, Ent) and right.type.optional:
            help_ = "test `is none` separately, or write an option without the parameter: no set contains none"
    if isinstance(left.type, SetOf) and isinstance(right.type, Num) and e.op not in _ARITHMETIC:
        help_ = "write `count(…)` for the number of members"
    if isinstance(left.type, Order) and e.op == "+":
        help_ = "write `add x to o` to append one member to an order"
    for side in (right, left):
        if isinstance(side, typed.Local) and isinstance(side.type, BagOf | PathOf):
            help_ = bag_help(side.var)
    entities, number = isinstance(left.type, Ent | SetOf), isinstance(right.type, Num)
    if e.op in _ARITHMETIC and entities and number and not help_:  # `d - 1` converts d to a set
        help_ = "write `next(x)` for the following entity, `x.index` for its number"
    if e.op in _ORDER and isinstance(left.type, Ent) and isinstance(right.type, Ent):
        help_ = "compare two entities of one kind, or numbers such as facts of both"
    return x.bad(code, message, right.span, str(right.type), notes, help_)


def _unit_help(left: Type, right: Type) -> str:
    """The help for a plain number beside one with a unit, or ""."""
    units = [type_.unit for type_ in (left, right) if isinstance(type_, Num) and type_.unit not in ("", ANY)]
    if len(units) != 1:
        return ""
    return f"`… * 1 {units[0]}` gives a plain number the unit, `… / 1 {units[0]}` removes it"


def common_number(x: ExpressionContext, so_far: Type, arg: typed.Expr, op: str, other: typed.Expr) -> Type:
    """The common type of `so_far` and a further number; reports different units.

    Args:
        x: the checker.
        so_far: the common type of the earlier operands.
        arg: the further number.
        op: the operator, for messages.
        other: one of the earlier operands.
    """
    if not isinstance(arg.type, Num | Bad):
        x.number(arg, f"`{op}` takes numbers")
        return BAD
    common = unify(so_far, arg.type)
    if common is None:
        message = f"{so_far} and {arg.type} cannot be combined with `{op}`"
        notes = (Label(other.span, str(so_far)), *x.declared(other), *x.declared(arg))
        help_ = "divide by `1 unit` to get a plain number, multiply a plain number by `1 unit` to give it one"
        d = Diagnostic("RS302", Severity.ERROR, message, arg.span, str(arg.type), notes, help_)
        x.units(d, (other, arg.type), (arg, so_far))
        return BAD
    return common
