"""Values and stakes: the worth of positions and endings for bots, declared in `measures.yaml` and overlays."""

from __future__ import annotations

from rulespec.check.context import Context
from rulespec.check.measures import measured
from rulespec.documents.yaml_nodes import Node, Scalar, entries, get, text
from rulespec.typed import nodes as typed
from rulespec.typed.teams import ALL

HORIZON = 20
"""The default number of decisions after which a playout is cut off."""


def check_values(c: Context) -> None:
    """Types the values of positions, and checks the stakes; neither affects a game."""
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
        help_ = "write a `scoring`, or remove `stakes`"
    elif d.teams == ALL:
        message = "bots cannot play for points against one another: all players win together"
        help_ = "declare a value in place of `stakes`"
    elif d.values:
        message = f"bots cannot play for points and for the value `{next(iter(d.values))}`"
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
        message = f"the value `{name}` is the same for all players, who do not win together"
        c.report.error("RS576", message, place.span, help=f"write `of: {player}`, and `{player}.…` in the value")
        return None
    measure = measured(c, "value", name, place, node)
    if measure is None:
        return None
    decides, horizon = (int(text(get(node, key)) or usual) for key, usual in (("decides", 0), ("horizon", HORIZON)))
    m = measure
    return typed.PositionValue(m.name, m.title, m.doc, m.var, m.value, m.span, decides, horizon)
