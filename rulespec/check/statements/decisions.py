"""Decisions, their options, and option parameters; `roll` and `choose` as decisions with one option."""

from __future__ import annotations

from msgspec.structs import replace

from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.expressions.names import no_shadow
from rulespec.check.expressions.operators import common_number
from rulespec.check.expressions.paths import after_steps, type_path
from rulespec.check.expressions.seers import seers
from rulespec.check.expressions.sets import type_binder
from rulespec.check.scope import Env, known_if
from rulespec.check.statements.context import Outcome, StatementContext, StatementPlace
from rulespec.check.statements.heads import report_unused, split, type_head
from rulespec.check.statements.several import report_equal_odds, type_several
from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.suggestions import nearest
from rulespec.syntax import ast
from rulespec.syntax.shared import members
from rulespec.typed import nodes as typed
from rulespec.types import ANY, BAD, INT, Ent, Num, SetOf, Type, or_none

MAX_PARAMS = 12
"""Maximum number of parameters of an option."""


def type_decide(c: StatementContext, s: ast.Decide, env: Env, place: StatementPlace) -> Outcome:
    """Types `decide` and `chance`, in all their forms."""
    x = c.x
    if place.together:
        x.error("RS408", "a simultaneous decision cannot lead to another decision", s.span)
    player = Ent(x.decls.player_kind)
    options = _options(c, s)
    bodies = tuple(st for o in options for st in o.body)
    env = c.forget(env, bodies)
    by, lead, each, scope = None, None, None, env
    if s.by is not None:
        by, lead = decider(c, s.name.text, s.by, env)
    if s.each is not None:
        each, scope = type_binder(x, s.each, env)
        if each.var.type not in (player, BAD):
            x.error("RS301", f"only players can decide, but this is {each.var.type}", s.each.span)
    together = s.form == "together"
    changed = bodies if together else ()
    seen: dict[str, ast.OptionDef] = {}
    typed_options: list[typed.OptionDef] = []
    ends: list[Env] = []
    for o in options:
        if o.name.text in seen and seen[o.name.text].name.span != o.name.span:  # otherwise its group is included twice
            notes = (Label(seen[o.name.text].span, "the first option"),)
            message = f"this decision already has an option `{o.name.text}`"
            edit = f"`change option {o.name.text} of {s.name.text}:`"
            help_ = f"give it another name, or edit the first option in an overlay: {edit}"
            x.error("RS223", message, o.name.span, notes=notes, help=help_)
        passes = None if together else place.passes
        inside = StatementPlace(place.in_loop and not together, not together, together, passes)
        option, after, alive = _option(c, o, scope, inside, s.form, changed)
        typed_options.append(option)
        if o.name.text not in seen:
            one_form(c, s.name.text, option)
        seen[o.name.text] = o
        if alive:
            ends.append(after)
    understood = all(isinstance(o, ast.OptionDef) or o.text in c.effects.groups for o in members(s.options))
    if together or not understood:  # possibly nobody is asked, or an unknown option is chosen
        ends.append(env)
    otherwise = None
    if s.otherwise is not None:  # `ask again` in it belongs to the enclosing decision
        body, after, alive = c.inner(s.otherwise.body, env, place)
        otherwise = typed.Otherwise(body, s.otherwise.span)
        ends += [after] if alive else []
    decide = typed.Decide(
        s.span, s.form, s.name.text, by, each, s.doc.text, tuple(typed_options), lead=lead, otherwise=otherwise
    )
    return decide, replace(env.meet(ends), vars=env.vars), bool(ends) or together


def decider(
    c: StatementContext, decision: str, e: ast.Expr | ast.AnyOf, env: Env
) -> tuple[typed.Expr, typed.Expr | None]:
    """The typed decider of a decision: a player, or a set of players with an optional leader."""
    if not isinstance(e, ast.AnyOf):
        return _one(c, decision, e, env), None
    player = c.x.decls.player_kind
    by = c.x.check(e.source, env, SetOf(player), "the set of deciders")
    return by, None if e.lead is None else c.x.check(e.lead, env, Ent(player), "the leader")


def _one(c: StatementContext, decision: str, e: ast.Expr, env: Env) -> typed.Expr:
    """The typed decider of a decision, a single player."""
    x = c.x
    player = Ent(x.decls.player_kind)
    by = x.infer(e, env, player)
    if by.type == SetOf(player.kind):
        help_ = f"write `decide {decision} together by p in …` to ask each of them, or `by any of …` to ask any of them"
        return x.bad(
            "RS301", f"the decider must be one {player}, but this is {by.type}", by.span, str(by.type), help=help_
        )
    if isinstance(e, ast.Binary) and e.op == "in" and isinstance(e.left, ast.Ref):
        help_ = f"write `decide {decision} together by {e.left.name} in …` to ask each of them"
        return x.wrong(by, f"the decider must be {player}", help_)
    return x.expect(by, player, "the decider")


def _options(c: StatementContext, s: ast.Decide) -> list[ast.OptionDef]:
    """The options of a decision; reports unknown and duplicate groups."""
    groups = c.effects.groups
    seen: dict[str, ast.Name] = {}
    for o in members(s.options):
        if isinstance(o, ast.OptionDef):
            continue
        if o.text not in groups:
            hint, notes = nearest(o.text, {g.name.text: g.name.span for g in groups.values()})
            c.x.error("RS221", f"no option group is called `{o.text}`", o.span, notes=notes, help=hint)
        elif seen.setdefault(o.text, o) is not o:
            first = (Label(seen[o.text].span, "first included here"),)
            c.x.error("RS223", f"the group `{o.text}` is already in this decision", o.span, notes=first)
    return c.effects.options(s)


def _option(
    c: StatementContext, o: ast.OptionDef, env: Env, place: StatementPlace, form: str, changed: tuple[ast.Stmt, ...]
) -> tuple[typed.OptionDef, Env, bool]:
    """The typed option, the scope after its body, and whether its end is reachable.

    `changed` are the statements that may run between the choice and the body.
    """
    x = c.x
    params, scope = option_params(c, o.params, o.name, env)
    by = weight = None
    if o.by is not None:
        by = x.check(o.by, scope, Ent(x.decls.player_kind), "the player who may take this option")
        if form != "decide":
            help_ = "remove `by`: a draft is the plan of a single seat" if form == "draft" else ""
            x.error("RS229", "only an option of a `decide` may have its own `by`", o.by.span, help=help_)
    if o.weight is not None:
        weight = x.check(o.weight, scope, INT, "the weight")
        if form != "chance":
            x.error("RS229", "only an option of a `chance` has a weight", o.weight.span)
    written, body = split(c, o.body)
    head, scope = type_head(c, written, scope)
    block, after, alive = c.inner(body, c.forget(scope, changed), place)
    report_unused(c, head)
    option = typed.OptionDef(o.name.text, params, by, weight, head, block, o.doc.text, o.name.span)
    if form == "chance":
        report_equal_odds(x, o.params, option)
    return option, after, alive


def option_params(
    c: StatementContext, params: tuple[ast.OptionParam, ...], name: ast.Name, env: Env, reads: int = 1
) -> tuple[tuple[typed.OptionParam, ...], Env]:
    """The typed parameters of an option, and the scope after them.

    `reads` is the initial read count of each parameter: being visible in the log or to players counts as a read.
    """
    if len(params) > MAX_PARAMS:
        c.x.error("RS226", f"an option can have at most {MAX_PARAMS} parameters", name.span)
    results: list[typed.OptionParam] = []
    for p in params:
        param, env = _param(c, p, env, reads)
        results.append(param)
    return tuple(results), env


def one_form(c: StatementContext, decision: str, option: typed.OptionDef) -> None:
    """Reports options that logs cannot distinguish: same option and decision names, but different parameters."""
    first = c.options_seen.setdefault((decision, option.name), option)
    if [(p.var.name, p.var.type) for p in first.params] != [(p.var.name, p.var.type) for p in option.params]:
        c.x.error(
            "RS223",
            f"another decision `{decision}` has an option `{option.name}` with different parameters",
            option.span,
            notes=(Label(first.span, "the other option"),),
            help="rename one of the two options, or one of the two decisions",
        )


def _param(c: StatementContext, p: ast.OptionParam, env: Env, reads: int) -> tuple[typed.OptionParam, Env]:
    x = c.x
    new = no_shadow(x, p.name, env)
    high: typed.Expr | None = None
    several = None
    low: typed.Expr
    type_: Type
    walk = None
    if isinstance(p.low, ast.Path) and p.low.form == "path":
        walk = type_path(x, p.name, p.low, env)
        low = walk or typed.Lit(BAD, p.low.span, 0)
        type_ = low.type
    elif p.several:
        low, type_, several = type_several(x, p, env)
    else:
        low, high, type_ = _one_of(x, p, env)
    var = typed.Var(p.name.text, or_none(type_) if p.none else type_, p.name.span, reads=reads if new else 1)
    if walk is not None:
        var = walk.so_far
    x.decls.refer(var.span, var)
    inner = env.bind(var)
    where = None
    if p.where is not None:
        # The condition does not apply to none.
        asked = inner.learn(frozenset([(var,)])) if p.none else after_steps(inner, walk) if walk is not None else inner
        where = x.condition(p.where, asked)
        inner = inner if p.none else inner.learn(known_if(where, True))
    first, last = p.several[0] if p.several else p.low, p.low if p.high is None else p.high
    span = first.span.to(last.span) if first is not last else first.span
    private = _privacy(c, p.private, inner) if p.private is not None else None
    return typed.OptionParam(var, low, high, where, p.reason.text, span, private, several), inner


def _one_of(x: ExpressionContext, p: ast.OptionParam, env: Env) -> tuple[typed.Expr, typed.Expr | None, Type]:
    """The typed domain of a parameter, a set or two bounds, and the parameter's type."""
    low = x.as_set(x.infer(p.low, env))
    if p.high is not None:
        high = x.infer(p.high, env)
        type_: Type = common_number(x, common_number(x, Num(ANY), low, "..", low), high, "..", low)
        return low, high, INT if type_ == Num(ANY) else type_
    if isinstance(low.type, SetOf) and low.type.kind != ANY:
        return low, None, Ent(low.type.kind)
    if low.type != BAD:
        help_ = "write `1 .. n`" if isinstance(low.type, Num) else ""
        if isinstance(p.low, ast.Each) and p.low.op == "longest":
            help_ = "write `way in path(…)` to choose a path: `longest` gives a number"
        if isinstance(low.type, Ent):
            help_ = "remove the parameter, and use the entity in the body, if necessary after `require x is some`"
        x.wrong(low, "a parameter must range over a set or over numbers `a .. b`", help_)
    return low, None, BAD


def _privacy(c: StatementContext, p: ast.Privacy, env: Env) -> typed.Privacy:
    return typed.Privacy(seers(c.x, p.to, env) if p.to is not None else None, p.span)


def type_draw(c: StatementContext, s: ast.Draw, env: Env, place: StatementPlace) -> Outcome:
    """Types `roll` and `choose` as a decision with one option of the same name, whose parameters stay in scope."""
    if place.together:
        c.x.error("RS408", "a simultaneous decision cannot lead to another decision", s.span)
    name = s.name.text
    by, lead = decider(c, name, s.by, env) if s.by is not None else (None, None)
    params, scope = option_params(c, s.params, s.name, env, reads=0)
    weight = c.x.check(s.weight, scope, INT, "the weight") if s.weight is not None else None
    option = typed.OptionDef(name, params, None, weight, (), (), "", s.name.span)
    one_form(c, name, option)
    form = "chance" if by is None else "decide"
    if form == "chance":
        report_equal_odds(c.x, s.params, option)
    return typed.Decide(s.span, form, name, by, None, "", (option,), draws=True, lead=lead), scope, True
