"""The checker's passes over a merged source, in order, and the typed rules they make."""

from __future__ import annotations

from rulespec.check.declare import Declarer
from rulespec.check.expressions import ExpressionChecker
from rulespec.check.scope import Env
from rulespec.check.semantics import check_semantics
from rulespec.check.size import check_size
from rulespec.check.statements import Place, StatementChecker
from rulespec.check.termination import check_loops, check_recursion
from rulespec.check.unused import check_unused
from rulespec.check.work import check_work
from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.report import Report
from rulespec.diagnostics.suggestions import nearest
from rulespec.documents.nodes import get, text
from rulespec.overlays.overlay import Source
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import ANY, BAD, Ent, Num, SetOf

_BUILT_IN = frozenset(
    ["abs", "all", "any", "count", "first", "max", "min", "next", "original", "reach", "sum", "union"]
)


def check_source(source: Source, report: Report) -> tuple[typed.Declarations, typed.Rules]:
    """Names → types → resources → termination → lints; everything is reported.

    Raises:
        DiagnosticsError: if the ruleset is too large, or has so many errors that the rest is not looked for.
    """
    check_size(source.root, report)
    declarer = Declarer(source.root, report)
    declarations = declarer.declare()
    rules = declarer.rules
    groups = {i.name.text: i for i in source.items.values() if isinstance(i, ast.OptionGroup)}
    expressions = ExpressionChecker(declarations, rules, report)
    statements = StatementChecker(expressions, groups)
    _heads(source, expressions, statements)
    _bodies(source, expressions, statements)
    start = _start(source, declarations, rules, report)
    check_recursion(rules, report)
    if statements.understood:
        check_loops(rules, report)
    if report.ok:  # nothing is recursive
        check_work(declarations, rules, report)
    if report.ok:  # what is not understood is not called unused either
        bound = {i.name.text for i in source.items.values() if i.modifier}
        check_unused(declarations, rules, start, groups, bound, report)
        check_semantics(source.root, declarations, rules, report)
    return declarations, rules


def _heads(source: Source, x: ExpressionChecker, statements: StatementChecker) -> None:
    """Signatures first, so that rules may stand in any order."""
    for (_, name), item in source.items.items():
        if isinstance(item, ast.Def | ast.Procedure):
            params: list[typed.Var] = []
            if name in _BUILT_IN:
                x.error("RS223", f"`{name}` is a word of the language", item.name.span)
            for p in item.params:
                if p.name.text in {q.name for q in params}:
                    x.error("RS223", f"two parameters are called `{p.name.text}`", p.name.span)
                type_ = x.type_of(p.type)
                if p.type.form == "range" and type_ != BAD:
                    x.error("RS224", "a parameter has no range", p.type.span)
                x.no_shadow(p.name, Env())
                params.append(typed.Var(p.name.text, type_, p.name.span))
                x.decls.refer(p.name.span, params[-1])
            if isinstance(item, ast.Def):
                result = x.type_of(item.result)
                x.rules.definitions[name] = typed.Definition(
                    name, tuple(params), result, item.doc.text, item.name.span, item.result.span
                )
            else:
                x.rules.procedures[name] = typed.Procedure(name, tuple(params), item.doc.text, item.name.span)
                statements.procedures[name] = item
                statements.originals[name] = source.originals.get(("procedure", name), "")
    for name, definition in x.rules.definitions.items():
        if name in x.rules.procedures:
            notes = (Label(definition.span, "the definition"),)
            x.error("RS223", f"`{name}` is a definition too", x.rules.procedures[name].span, notes=notes)


def _bodies(source: Source, x: ExpressionChecker, statements: StatementChecker) -> None:
    for key, item in source.items.items():
        name = key[1]
        original = source.originals.get(key, "")
        if isinstance(item, ast.Def):
            definition = x.rules.definitions[name]
            env = _env(definition.params, original)
            lets = []
            for let in item.lets:
                x.no_shadow(let.name, env)
                value = x.infer(let.value, env)
                type_ = Num("") if value.type == Num(ANY) else value.type
                if isinstance(type_, Ent | SetOf) and type_.kind == ANY:
                    x.error("RS301", "the kind of this cannot be told", let.value.span)
                    type_ = BAD
                var = typed.Var(let.name.text, type_, let.name.span)
                x.decls.refer(var.span, var)
                env = env.bind(var)
                lets.append((var, value))
            definition.lets = tuple(lets)
            what = f"the value of `{item.name.text}`"
            definition.body = x.check(item.body, env, definition.result, what, item.result.span)
            for var, _ in lets:
                if not var.reads:
                    statements.unused(var)
        elif isinstance(item, ast.Procedure):
            procedure = x.rules.procedures[name]
            procedure.body, _, _ = statements._inner(item.body, _env(procedure.params, original), Place())
        elif isinstance(item, ast.Invariant):
            condition = x.condition(item.condition, Env())
            x.rules.invariants[name] = typed.Invariant(name, item.doc.text, condition, item.name.span)
        elif isinstance(item, ast.Scoring):
            x.rules.scoring = _scoring(item, x)


def _env(params: tuple[typed.Var, ...], original: str) -> Env:
    env = Env(original=original)
    for var in params:
        env = env.bind(var)
    return env


def _scoring(item: ast.Scoring, x: ExpressionChecker) -> typed.Scoring:
    if item.name.text != x.decls.player_kind:
        x.error("RS301", f"`scoring` is of the players, `{item.var.text} in {x.decls.player_kind}`", item.name.span)
    var = typed.Var(item.var.text, Ent(x.decls.player_kind), item.var.span)
    x.decls.refer(var.span, var)
    x.decls.refer(item.name.span, x.decls.kinds[x.decls.player_kind])
    env = Env().bind(var)
    score = _number(x, item.score, env, "the score")
    tiebreaks = []
    for t in item.tiebreaks:
        if t.name is None or t.source is None or t.key is None:
            tiebreaks.append(typed.Tiebreak(None, None, None, _number(x, t.value, env, "a tie-break")))
            continue
        binder, inner = x.binder(ast.Binder(t.name, t.source, "", None, None, t.name.span), env)
        key = _number(x, t.key, inner, "the order")
        tiebreaks.append(typed.Tiebreak(binder.var, binder.source, key, _number(x, t.value, inner, "a tie-break")))
    return typed.Scoring(var, score, tuple(tiebreaks), item.doc.text, item.span)


def _number(x: ExpressionChecker, e: ast.Expr, env: Env, what: str) -> typed.Expr:
    value = x.infer(e, env)
    if not isinstance(value.type, Num) and value.type != BAD:
        return x.wrong(value, f"{what} is a number")
    return value


def _start(source: Source, declarations: typed.Declarations, rules: typed.Rules, report: Report) -> str:
    node = get(source.root, "game", "start")
    name = text(node, "play")
    span = node.span if node is not None else source.root.span
    procedure = rules.procedures.get(name)
    if procedure is None:
        hint, notes = nearest(name, {p.name: p.span for p in rules.procedures.values()})
        report.error("RS221", f"no procedure is called `{name}`", span, notes=notes, help=hint)
    elif procedure.params:
        notes = (Label(procedure.span, "declared here"),)
        report.error("RS226", f"the game starts with `{name}`, which must take no parameters", span, notes=notes)
    if procedure is not None and node is not None:
        declarations.refer(span, procedure)
    return name
