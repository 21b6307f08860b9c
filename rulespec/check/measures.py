"""Measures: numbers that describe a position for people or, in the case of values and stakes, for bots.

They are declared in `measures.yaml` and overlays.
"""

from __future__ import annotations

from rulespec.check.context import Context
from rulespec.check.scope import Env
from rulespec.documents.yaml_nodes import Node, Scalar, entries, get, text
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import expressions
from rulespec.typed.seat_kinds import ALL
from rulespec.types import Bad, Ent, Num

SCORE = "score"
"""The name of the implicit measure of points under `scoring`. It is omitted if another measure has this name, or if
counting points is expensive."""
HORIZON = 20
"""The default number of decisions after which a playout is cut off."""


def check_measures(c: Context) -> None:
    """Types the measures. The players' points come first."""
    result = c.declarations.measures
    scoring = c.rules.scoring
    if scoring is not None and not any(isinstance(e, typed.Once) for e in expressions(scoring.score)):
        result[SCORE] = typed.Measure(SCORE, "Score", scoring.doc, scoring.var, scoring.score, scoring.span)
    for name, place, node in entries(get(c.source.root, "measures")):
        measure = measured(c, "measure", name, place, node)
        if measure is not None:
            result[name] = measure


def declares_measures(ruleset: typed.Ruleset) -> bool:
    """Whether a ruleset declares measures other than the points from `scoring`."""
    scoring = ruleset.rules.scoring
    return any(scoring is None or m.span != scoring.span for m in ruleset.declarations.measures.values())


def measured(c: Context, what: str, name: str, place: Scalar, node: Node) -> typed.Measure | None:
    """The typed measure of a position; reports an invalid one and returns None. `what` is its name in messages."""
    of, written = get(node, "of"), get(node, "value")
    var = None
    env = Env()
    if isinstance(of, Scalar):
        if of.text not in c.declarations.kinds:
            hint, notes = c.reader.hint(of)
            c.report.error("RS224", f"`{of.text}` is not a kind", of.span, notes=notes, help=hint)
            return None
        c.reader.refer(of, c.declarations.kinds[of.text])
        var = typed.Var(of.text, Ent(of.text), of.span)  # it hides the kind, as in checks and in the set-up
        env = env.bind(var)
    tree = c.reader.tree(written) if written is not None else None
    if tree is None:
        return None
    value = c.expressions.infer(tree, env)
    title = text(get(node, "title")) or name.replace("_", " ").capitalize()
    measure = typed.Measure(name, title, text(get(node, "doc")), var, value, place.span)
    return measure if _sound(c, f"the {what} `{name}`", measure) else None


def _sound(c: Context, called: str, measure: typed.Measure) -> bool:
    """Whether a measure can be evaluated in every position; reports it otherwise."""
    value, var = measure.value, measure.var
    if isinstance(value.type, Bad):
        return False
    if not isinstance(value.type, Num):
        message = f"{called} must be a number, but it is {value.type}"
        help_ = "write `x ?? 0` for a value that may be none, `1 if … else 0` for a condition, `count(…)` for a set"
        c.report.error("RS571", message, value.span, help=help_)
        return False
    if var is not None and not var.reads:
        message = f"{called} is declared for every `{var.name}`, but does not read `{var.name}`"
        help_ = f"write `{var.name}.…` for the current entity, or remove `of`"
        c.report.error("RS572", message, value.span, help=help_)
        return False
    single = next((e for e in expressions(value) if isinstance(e, typed.Once)), None)
    if single is not None:
        message = f"{called} depends on a hypothetical call of `{single.procedure.name}`"
        c.report.error("RS573", message, single.call, help="remove `once`, and measure the position itself")
        return False
    return True


def check_values(c: Context) -> None:
    """Types the values of positions and checks the stakes, neither of which affects a game."""
    for name, place, node in entries(get(c.source.root, "values")):
        value = _value(c, name, place, node)
        if value is not None:
            c.declarations.values[name] = value
    stakes = get(c.source.root, "stakes")
    if isinstance(stakes, Scalar):
        _check_stakes(c, stakes)


def _check_stakes(c: Context, stakes: Scalar) -> None:
    d = c.declarations
    d.stakes = int(stakes.text)
    if c.rules.scoring is None:
        message = "bots cannot play for points: the rules have no `scoring`"
        help_ = "add a `scoring` to the rules, or remove `stakes`"
    elif d.teams == ALL:
        message = "bots cannot play for points against one another: all players win together"
        help_ = "replace `stakes` with a value under `values`"
    elif d.values:
        message = f"bots cannot play both for points and for the value `{next(iter(d.values))}`"
        help_ = "remove `stakes` or `values`"
    else:
        return
    c.report.error("RS578", message, stakes.span, help=help_)


def _value(c: Context, name: str, place: Scalar, node: Node) -> typed.PositionValue | None:
    d = c.declarations
    of, player = get(node, "of"), d.player_kind
    if isinstance(of, Scalar) and of.text in d.kinds and of.text != player:
        message = f"the value `{name}` is declared for every `{of.text}`, but a position has a value only for players"
        help_ = f"write `of: {player}`; if all win and lose together, remove `of`"
        c.report.error("RS576", message, of.span, help=help_)
        return None
    if of is None and d.teams != ALL and d.max_players > 1:
        message = f"the value `{name}` is the same for all players, but they do not win together"
        c.report.error("RS576", message, place.span, help=f"write `of: {player}`, and `{player}.…` in the value")
        return None
    measure = measured(c, "value", name, place, node)
    if measure is None:
        return None
    decides, horizon = (int(text(get(node, key)) or usual) for key, usual in (("decides", 0), ("horizon", HORIZON)))
    m = measure
    return typed.PositionValue(m.name, m.title, m.doc, m.var, m.value, m.span, decides, horizon)
