"""Checks of facts, declared under `checks:` of kinds, the map and boards; a check applies to every entity of a kind."""

from __future__ import annotations

from collections.abc import Iterator

from rulespec.check.context import Context
from rulespec.check.declarations.links import link_kinds
from rulespec.check.scope import Env, known_if
from rulespec.diagnostics.diagnostic import Label
from rulespec.documents.yaml_nodes import Node, Scalar, entries, get, text
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import definition_expressions, expressions
from rulespec.types import Ent


def check_facts(c: Context) -> None:
    """Types the checks; `engine/verify/verified_facts.py` evaluates them if the ruleset has no errors."""
    first: dict[tuple[str, str], Scalar] = {}
    for kind, name, place, node in _written(c):
        if kind.is_player and not kind.facts:
            message = "players are seats, which have no facts to check"
            c.report.error("RS241", message, place.span, help="write an `invariant` in the rules instead")
        elif (kind.name, name) in first:
            notes = [Label(first[kind.name, name].span, "the first check")]
            c.report.error("RS223", f"`{kind.name}` has two checks `{name}`", place.span, notes=notes)
        else:
            first[kind.name, name] = place
            _check(c, kind, name, place, node)
    if c.expressions.disputes:  # all expressions have been typed
        from rulespec.check.unused import report_disputes  # lazily: most rulesets have none

        report_disputes(c, c.expressions.disputes)


def _written(c: Context) -> Iterator[tuple[typed.Kind, str, Scalar, Node]]:
    """The kind, name, place and node of each check."""
    root, kinds = c.source.root, c.declarations.kinds
    owners: list[tuple[str, Node | None]] = [(name, node) for name, _, node in entries(get(root, "kinds"))]
    owners += [(text(get(root, "map", "kind")), get(root, "map"))]
    owners += [(place.text, node) for place, node in link_kinds(root)]
    owners += [(name, node) for name, _, node in entries(get(root, "boards"))]
    for owner, node in owners:
        if owner in kinds and owner not in c.declarations.broken:
            for name, place, check in entries(get(node, "checks")):
                yield kinds[owner], name, place, check


def _check(c: Context, kind: typed.Kind, name: str, place: Scalar, node: Node) -> None:
    x, asked, held = c.expressions, get(node, "where"), get(node, "that")
    var = typed.Var(kind.name, Ent(kind.name), place.span)  # it hides the kind, as in the set-up
    env = Env().bind(var)
    errors = c.report.errors
    where = None
    if asked is not None:
        tree = c.reader.tree(asked)
        where = x.condition(tree, env) if tree is not None else None
        env = env.learn(known_if(where, True)) if where is not None else env
    tree = c.reader.tree(held) if held is not None else None
    if tree is None:
        return
    that = x.condition(tree, env)
    if c.report.errors > errors:
        return
    if not var.reads:
        message = f"the check `{name}` does not use `{kind.name}`"
        help_ = f"write a condition on the current entity, such as `{kind.name}.… > 0`"
        c.report.error("RS241", message, that.span, help=help_)
        return
    parts = [where, that] if where is not None else [that]
    if all(_of_facts(c, name, e) for e in parts):
        check = typed.Check(name, var, where, that, text(get(node, "text")), text(get(node, "help")), place.span)
        c.declarations.checks.append(check)


def _of_facts(c: Context, name: str, root: typed.Expr) -> bool:
    """Whether an expression can be evaluated before any game; reports it otherwise."""
    known: set[typed.Definition] = set()
    stack = [(e, e) for e in expressions(root)]
    while stack:
        written, e = stack.pop()
        if (what := _of_games(e)) is not None:
            called = [Label(e.span, f"{what} is read here")] if written is not e else []
            message = f"the check `{name}` is evaluated before any game, but {what} is known only in a game"
            help_ = "use only facts, constants and tables; write a condition on the game as an `invariant`"
            c.report.error("RS241", message, written.span, notes=called, help=help_)
            return False
        if isinstance(e, typed.Call) and e.definition not in known:
            known.add(e.definition)
            called_parts = [part for inner in definition_expressions(e.definition) for part in expressions(inner)]
            stack += [(written, part) for part in called_parts]
    return True


def _of_games(e: typed.Expr) -> str | None:
    """The part of an expression that has a value only in a running game, or None."""
    match e:
        case typed.Field():
            return f"`{e.decl.name}`"
        case typed.PieceCount():
            return f"`{e.piece.name}.{e.place.name}`"
        case typed.SettingValue():
            return f"the setting `{e.setting.name}`"
        case typed.Seats():
            return "`players`"
        case typed.KindSet() if e.kind.by_seat:
            return f"`{e.kind.name}`"
        case typed.Once():
            return f"the position after `{e.procedure.name}`"
    return None
