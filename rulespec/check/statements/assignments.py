"""Statements that assign variables and state, change orders, or transfer money and pieces."""

from __future__ import annotations

from msgspec.structs import replace

from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.expressions.names import no_shadow
from rulespec.check.origins import typed_at
from rulespec.check.scope import Env, field_name, known_if
from rulespec.check.statements.context import Outcome, StatementContext, StatementPlace
from rulespec.check.statements.several import Ends, bag_of, each_pile, move_bag, set_of
from rulespec.check.statements.tables import note_held, unknown_table
from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.suggestions import nearest
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import ANY, BAD, INT, Bad, BagOf, Ent, Num, Order, SetOf, may_be_none, none_of, settled


def type_let(c: StatementContext, s: ast.Let, env: Env, value: typed.Expr | None = None) -> Outcome:
    """Types `let`; `value` is the typed call of the procedure whose value it binds, if any."""
    x = c.x
    new = no_shadow(x, s.name, env)
    value = value or x.infer(s.value, env)
    type_ = settled(value.type)
    if isinstance(type_, Ent | SetOf) and type_.kind == ANY:
        help_ = "give it a start value of a known kind"
        x.error("RS301", "the kind of this value is unknown", s.value.span, help=help_)
        type_ = BAD
    var = typed.Var(s.name.text, type_, s.name.span, 0 if new else 1, value)
    x.decls.refer(var.span, var)
    if isinstance(value, typed.Each) and value.op == "first":
        x.firsts.add(var)
    return typed.Let(s.span, var, value), env.bind(var), True


def type_assign(c: StatementContext, s: ast.Assign, env: Env, value: typed.Expr | None = None) -> Outcome:
    """Types `set`; `value` is the typed call of the procedure whose value it assigns, if any."""
    x = c.x
    if unknown_table(c, s, env):
        return None, env, True
    wide = replace(env, known=frozenset())  # the target accepts any value of its declared type
    if isinstance(s.target, ast.Attribute):
        wide = env.forget(frozenset([s.target.name.text]))
    elif isinstance(s.target, ast.Index) and isinstance(s.target.target, ast.Ref) and s.target.target.name in env.vars:
        wide = env.forget(frozenset([env.vars[s.target.target.name].table]))
    reads = {n: v.reads for n, v in env.vars.items()}
    target = x.infer(s.target, wide)
    if isinstance(target, typed.Local):
        target.var.reads = reads[target.var.name]
    elif isinstance(s.target, ast.Index) and isinstance(s.target.target, ast.Ref) and s.target.target.name in reads:
        env.vars[s.target.target.name].reads = reads[s.target.target.name]
    if isinstance(target.type, Bad):
        _ = value or x.infer(s.value, env)
        return None, env, True
    if isinstance(target, typed.Field) and x.decls.places and target.decl.type == Ent(f"{target.decl.kind}.place"):
        x.error(
            "RS304", "the place of a token cannot be set: tokens only move", s.target.span, help="write `move … to …`"
        )
        return None, env, True
    if isinstance(target, typed.PieceCount) or (isinstance(target, typed.Field) and target.decl.account):
        notes = (Label(target.decl.span, "the account is declared here"),) if isinstance(target, typed.Field) else ()
        help_ = "write `pay … from … to …`" if notes else "write `move … of … from … to …`"
        x.error("RS304", "money and pieces cannot be set: they only move", s.target.span, notes=notes, help=help_)
        return None, env, True
    if not isinstance(target, typed.Local | typed.Field):
        fixed = isinstance(target, typed.Fact) or (
            isinstance(target, typed.Lit) and isinstance(s.target, ast.Attribute)
        )
        help_ = "declare a value that changes under `state`: facts never change" if fixed else ""
        if isinstance(s.target, ast.Chain):
            help_ = f"handle the case of none: `if … is some as x:`, and `set x.{s.target.name.text} to …`"
        elif isinstance(target, typed.Op) and isinstance(target.args[0].type, BagOf):
            help_ = "move the pieces of a bag with `move b of pile from place to place`"
        x.error("RS304", "only variables and state can be set", s.target.span, help=help_)
        return None, env, True
    declared = target.var.span if isinstance(target, typed.Local) else typed_at(target.decl)
    value = value or x.infer(s.value, env, target.type)
    note_held(c, target, value.type)
    solid = isinstance(value.type, Ent | Num) and not may_be_none(value.type)
    value = x.expect(value, target.type, "the new value", declared)
    if isinstance(target, typed.Field) and isinstance(value, typed.Lit):
        low, high = target.decl.low, target.decl.high
        none = may_be_none(value.type) and value.value == none_of(value.type)
        if not none and ((low is not None and value.value < low) or (high is not None and value.value > high)):
            x.error(
                "RS307",
                f"`{target.decl.name}` must be between {low} and {high}",
                value.span,
                notes=(Label(typed_at(target.decl), "declared here"),),
            )
    name: object = target.var if isinstance(target, typed.Local) else field_name(target.decl)
    env = env.forget(frozenset([name]))
    if solid:
        env = env.learn(known_if(typed.Op(INT, s.span, "some", (target,)), True))
    return typed.Assign(s.span, target, value), env, True


def type_pay(c: StatementContext, s: ast.Pay, env: Env) -> typed.Stmt | None:
    """Types `pay`, a transfer of money between two accounts."""
    x = c.x
    ends: list[typed.Field] = []
    for e in (s.source, s.target):
        end = x.infer(e, env)
        if isinstance(end, typed.Field) and end.decl.account:
            ends.append(end)
        elif not isinstance(end.type, Bad):
            message, notes = "`pay` moves money between accounts, but this is not an account", x.declared(end)
            x.error("RS305", message, end.span, str(end.type), notes, _accounts_of(x, end))
    amount = x.infer(s.amount, env)
    if len(ends) < 2:
        return None
    source, target = ends
    if source.type != target.type:
        x.error(
            "RS306",
            f"an account of {source.type} cannot pay into one of {target.type}",
            target.span,
            notes=(Label(typed_at(source.decl), str(source.type)), Label(typed_at(target.decl), str(target.type))),
        )
        return None
    return typed.Transfer(s.span, x.expect(amount, source.type, "the amount", typed_at(source.decl)), source, target)


def _accounts_of(x: ExpressionContext, end: typed.Expr) -> str:
    """The help for an owner of accounts in place of an account."""
    if isinstance(end, typed.IfSome):
        return "handle the case of none: `if … is some as x:`, and `pay … x.…`"
    kind = x.decls.kinds.get(end.type.kind) if isinstance(end.type, Ent) else None
    accounts = [f"`….{f.name}`" for f in kind.state.values() if f.account] if kind is not None else []
    return f"write {' or '.join(accounts[:4])}" if accounts else ""


def type_move(c: StatementContext, s: ast.Move, env: Env) -> typed.Stmt | typed.Block | None:
    """Types `move e of pile[ids] from place to place`, or `move b of pile …` for a bag.

    For a bag, the pile is given without its entity, and places are named without the pile.
    """
    x = c.x
    bag = bag_of(x, s.amount, env)
    if bag is None and (chosen := set_of(x, s.amount, env)) is not None:
        message = f"pieces are moved by number or as a bag, but `{chosen.name}` is a set"
        help_ = f"move tokens with `move {chosen.name} to …`, or choose pieces with `choose … of pile.place`"
        x.error("RS315", message, s.amount.span, str(chosen.type), (Label(chosen.span, "chosen here"),), help_)
        return None
    if bag is None:
        amount = x.check(s.amount, env, INT, "the number of pieces")
        ends = pile_ends(c, s, s.pile, env)
        return typed.Transfer(s.span, amount, *ends) if ends is not None else None
    piles = each_pile(x, bag, s.pile, env)
    if piles is None:
        return None
    var, pile, inner = piles
    ends = pile_ends(c, s, pile, inner)
    return move_bag(s, bag, var, ends) if ends is not None else None


def pile_ends(c: StatementContext, s: ast.Move, of: ast.Expr, env: Env) -> Ends | None:
    """The typed source and target of moved pieces; if one is invalid, reports an error and returns None."""
    x = c.x
    pile = of.target if isinstance(of, ast.Index) else of
    if not isinstance(pile, ast.Ref) or pile.name not in x.decls.pieces:
        if isinstance(pile, ast.Ref) and pile.name in x.decls.broken:
            return None
        word = pile.name if isinstance(pile, ast.Ref) else ""
        hint, notes = nearest(word, {p.name: p.span for p in x.decls.pieces.values()})
        help_ = hint or "write `move 1 of pile[e] from supply to at[r]`"
        x.error("RS305", "this is not a type of pieces, so it cannot be moved", of.span, notes=notes, help=help_)
        return None
    ends: list[typed.PieceCount] = []
    for e in (s.source, s.target):
        place = e.target if isinstance(e, ast.Index) else e
        if not isinstance(place, ast.Ref):
            help_ = "write a place of the pieces, such as `supply` or `at[r]`"
            x.error("RS305", "this is not a place of pieces", e.span, help=help_)
            continue
        attribute: ast.Expr = ast.Attribute(e.span, of, ast.Name(place.name, place.span))
        if isinstance(e, ast.Index):
            attribute = ast.Index(e.span, attribute, e.keys)
        end = x.infer(attribute, env)
        if isinstance(end, typed.PieceCount):
            ends.append(end)
    if len(ends) < 2:
        return None
    return ends[0], ends[1]


_INSTEAD = {
    "add": "write `set s to s | {x}` to add a member to a set",
    "take": "write `set s to s - {x}` to remove a member from a set",
    "shuffle": "declare it as an order: `order kind`",
}
_OF_NUMBERS = {"add": "write `set x to x + e`", "take": "write `set x to x - e`"}


def type_rearrange(c: StatementContext, s: ast.Rearrange, env: Env, place: StatementPlace) -> Outcome:
    """Types `add`, `take` and `shuffle`."""
    x = c.x
    target = x.infer(s.target, env)
    type_ = target.type
    if c.tried is not None and s.member is not None and isinstance(of := x.infer(s.member, env).type, Ent):
        note_held(c, target, Order(of.kind))
    if not isinstance(target, typed.Local | typed.Field) or not isinstance(type_, Order):
        if s.member is not None:
            x.infer(s.member, env)
        if type_ != BAD:
            help_ = (_OF_NUMBERS if isinstance(type_, Num) else _INSTEAD).get(s.word, _INSTEAD[s.word])
            x.error("RS301", f"`{s.word}` takes an order, but this is {type_}", s.target.span, str(type_), help=help_)
        return None, env, True
    if s.member is None:
        return _shuffled(c, s, target, type_, place), env, True
    member = x.check(s.member, env, Ent(type_.kind), "a member of an order")
    op = "append" if s.word == "add" else "without"
    return typed.Assign(s.span, target, typed.Op(type_, s.span, op, (target, member))), env, True


def _shuffled(
    c: StatementContext, s: ast.Rearrange, target: typed.Local | typed.Field, type_: Order, place: StatementPlace
) -> typed.Block:
    """The statements for a shuffle: empty the order, and let chance pick each next member until one is left."""
    if place.together:
        c.x.error("RS408", "a simultaneous decision cannot lead to another decision", s.span)
    name = target.var.name if isinstance(target, typed.Local) else target.decl.name
    of = SetOf(type_.kind)
    rest, drawn, last = (
        typed.Var(text, kind, s.span, reads=1)
        for text, kind in ((f"rest of {name}", of), (type_.kind, Ent(type_.kind)), (f"last of {name}", Ent(type_.kind)))
    )

    def value(var: typed.Var) -> typed.Local:
        return typed.Local(var.type, s.span, var)

    def put(var: typed.Var) -> typed.Stmt:
        return typed.Assign(s.span, target, typed.Op(type_, s.span, "append", (target, value(var))))

    one = typed.Op(of, s.span, "set", (value(drawn),))
    fewer = typed.Assign(s.span, value(rest), typed.Op(of, s.span, "diff", (value(rest), one)))
    hidden = typed.Privacy(None, s.span, target) if isinstance(target, typed.Field) else None
    param = typed.OptionParam(drawn, value(rest), None, None, "", s.span, hidden)
    option = typed.OptionDef("next", (param,), None, None, (), (put(drawn), fewer), "", s.span)
    chance = typed.Decide(s.span, "chance", name, None, None, "", (option,))
    count = typed.Op(INT, s.span, "count", (value(rest),))
    times = typed.Op(INT, s.span, "-", (count, typed.Lit(INT, s.span, 1)))
    return (
        typed.Let(s.span, rest, typed.Op(of, s.span, "members", (target,))),
        typed.Assign(s.span, target, typed.Lit(type_, s.span, 0)),
        typed.Repeat(s.span, times, (chance,), draws=True),
        typed.For(s.span, typed.Binder(last, value(rest), "", None, None), (put(last),)),
    )
