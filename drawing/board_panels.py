"""Panels: the boards of a page, each as a separate picture."""

from __future__ import annotations

from msgspec import Struct

from rulespec.drawing import svg
from rulespec.drawing.scene import LAYERS, SceneItem, panel
from rulespec.drawing.shown import Entity
from rulespec.drawing.svg import Box
from rulespec.records import Brief

MARGIN_ON_PAGE = 10.0
"""The margin around a board on a page."""


class Panel(Brief, Struct, frozen=True):
    """A board with nested boards, or a scale, as a separate picture in sheet coordinates.

    `at` is its place on the sheet, `turns` is whether it can be rotated to face the other side, `note` is its caption,
    and `owner` is the owner of a board that every owner has.
    """

    id: str
    title: str
    at: str
    turns: bool
    box: Box
    items: list[SceneItem]
    note: str = ""
    owner: Entity | None = None


def scale_id(kind: str, name: str) -> str:
    """The id of a scale's panel."""
    return f"{kind}.{name}"


def part_id(kind: str, number: int) -> str:
    """The id of the panel of an owner's board."""
    return f"{kind}.{number + 1}"


def figure(of: Panel) -> str:
    """A panel as HTML: its static items, with an empty group for the items of each layer."""
    layers = []
    for layer in LAYERS:
        static = "".join(item.svg for item in of.items if item.layer == layer)
        layers += [svg.group([static], class_=layer)] if static else []
        layers.append(svg.element("g", data_layer=layer))
    picture = panel(of.box.grown(MARGIN_ON_PAGE), of.title, "".join(layers))
    data = {"data_panel": of.id, "data_at": of.at, "data_turns": "yes" if of.turns else None, "data_title": of.title}
    owner, number = of.owner or (None, None)
    return svg.element("figure", picture, **data, data_note=of.note or None, data_of=owner, data_number=number)
