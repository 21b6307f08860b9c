"""Weights of options in playouts, from `playouts` in `measures.yaml`."""

from __future__ import annotations

from collections.abc import Iterable

from rulespec.check.context import Context
from rulespec.check.decisions import offered, on_top
from rulespec.diagnostics.suggestions import nearest
from rulespec.documents.yaml_nodes import Scalar, entries, get, text


def check_playouts(c: Context) -> None:
    """Reads the weights of players' options, which never affect a game.

    An upper layer that removes decisions need not remove their weights.
    """
    declared = list(entries(get(c.source.root, "playouts")))
    if not declared:
        return
    decisions = offered(c.rules, chance=False)
    for name, place, node in declared:
        if name not in decisions:
            _warn(c, f"there is no decision `{name}` of players", place, decisions)
            continue
        for option, own_place, weight in entries(node):
            if option in decisions[name]:
                c.declarations.playouts.setdefault(name, {})[option] = int(text(weight))
            else:
                _warn(c, f"the decision `{name}` has no option `{option}`", own_place, decisions[name])


def _warn(c: Context, message: str, place: Scalar, names: Iterable[str]) -> None:
    if on_top(c, place):
        hint, notes = nearest(place.text, dict.fromkeys(names))
        c.report.warning("RS579", message, place.span, notes=notes, help=hint)
