"""Projections: declarations of how a log records an option."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.documents.yaml_nodes import Mapping as YamlMapping
from rulespec.documents.yaml_nodes import Node
from rulespec.records import Brief


class StandingOrder(Brief, Struct, frozen=True):
    """The type of the entries that give a standing order, and the types of the entries that end it."""

    type: str
    until: frozenset[str]


class Projection(Brief, Struct, frozen=True):
    """A form in which a log records an option.

    Attributes:
        type: the type of the entry; empty if there is no entry.
        match: (path, expression, optional) for each compared field.
        when: an additional condition; may be empty.
        item: the path of a list shared by several decisions; each of its elements records one decision.
        part: whether `item` is instead the path of a single value, which records one decision.
        ordered: whether the elements of the list record the decisions in order.
        closes: the path of a shared list; the record denotes the option only after all elements of the list are
            matched.
        list: the name of the list in the first entry whose elements record the option.
        by: the path of the acting seat; may be empty.
        automatic: whether the other system takes the option automatically.
        not_compared: paths of fields that are meaningless for this option.
        order: the standing order by which the other system takes the option; the entry that gives the order is then the
            record.
    """

    type: str
    match: tuple[tuple[str, str, bool], ...]
    when: str
    item: str
    closes: str
    list: str
    by: str
    automatic: bool
    not_compared: tuple[str, ...] = ()
    part: bool = False
    ordered: bool = False
    order: StandingOrder | None = None


def places(node: Node | None) -> dict[str, Span]:
    """The source spans of the keys of a YAML mapping, by key."""
    return {key: place.span for key, (place, _) in node.entries.items()} if isinstance(node, YamlMapping) else {}


def as_text(expression: str | int | bool) -> str:
    """The text of an expression that YAML may have read as a number or boolean."""
    return str(expression).lower() if isinstance(expression, bool) else str(expression)


def projections(data: Any) -> tuple[Projection, ...]:
    """The projections of an option, one per form in the log."""
    return tuple(_projection(form) for form in (data if isinstance(data, list) else [data]))


def _projection(data: Mapping[str, Any]) -> Projection:
    match = data.get("match", {})
    fields = {"": match} if not isinstance(match, dict) else match
    rows = []
    for path, expr in fields.items():
        rows.append((path.removesuffix("?"), as_text(expr), path.endswith("?")))
    item = data.get("item", "")
    item, automatic = {"list": item} if isinstance(item, str) else item, data.get("automatic", False)
    order = (
        None
        if isinstance(automatic, bool)
        else StandingOrder(automatic["order"], frozenset(automatic.get("until", [])))
    )
    return Projection(
        data.get("type", ""),
        tuple(rows),
        data.get("when", ""),
        item.get("part", item.get("list", "")),
        data.get("closes", ""),
        data.get("list", ""),
        data.get("by", ""),
        automatic is True,
        tuple(data.get("not_compared", {})),
        "part" in item,
        item.get("ordered", False),
        order,
    )
