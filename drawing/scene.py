"""A picture as items, each with a name that stays: what never changes in a game, and what a position shows.

A page that steps through a game has the static items once, and takes of each position only the items that changed.
"""

from __future__ import annotations

from msgspec import Struct

from rulespec.drawing.colours import PALETTE
from rulespec.drawing.svg import clean, element, group, number
from rulespec.drawing.text_width import FONTS
from rulespec.records import Brief

LAYERS = ("ground", "areas", "borders", "links", "names", "marks", "pieces", "tables", "faults")
"""Layers of a picture, the lowest first."""


class Item(Brief, Struct, frozen=True):
    """A part of a picture.

    Attributes:
        id: names it among the items of a scene, such as `region.oak` or `piece.oak.cart.red`.
        layer: one of `LAYERS`.
        svg: an SVG fragment, with coordinates of the whole picture.
    """

    id: str
    layer: str
    svg: str


class Scene(Brief, Struct, frozen=True):
    """A picture of a position.

    Attributes:
        width, height: its size in points.
        title, description: what screen readers say of the whole.
        static: the items that are the same in all positions of a game.
        dynamic: those of this position.
    """

    width: float
    height: float
    title: str
    description: str
    static: tuple[Item, ...]
    dynamic: tuple[Item, ...]

    def changed(self, before: Scene) -> dict[str, str | None]:
        """The dynamic items that are new or other than before, by id; None for those that are gone."""
        old = {item.id: item.svg for item in before.dynamic}
        new = {item.id: item.svg for item in self.dynamic}
        gone: dict[str, str | None] = {id_: None for id_ in old if id_ not in new}
        return gone | {id_: svg for id_, svg in new.items() if old.get(id_) != svg}


def to_svg(scene: Scene, fonts: str = FONTS) -> str:
    """The picture as one SVG document that needs nothing else: no script, no link, no font of its own."""
    layers = []
    for name in LAYERS:
        for kind, items in (("static", scene.static), ("dynamic", scene.dynamic)):
            inner = "".join(item.svg for item in items if item.layer == name)
            if inner:
                layers.append(group([inner], class_=f"{name} {kind}"))
    return document(scene.width, scene.height, scene.title, scene.description, "".join(layers), fonts)


def document(width: float, height: float, title: str, description: str, content: str, fonts: str = FONTS) -> str:
    """An SVG document on paper; `content` is SVG already."""
    size = {"width": width, "height": height}
    ground = element("rect", **size, fill=PALETTE["paper"])
    texts = f'<title id="scene-title">{clean(title)}</title>'
    texts += f'<desc id="scene-description">{clean(description)}</desc>'
    head = {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {number(width)} {number(height)}"}
    roles = {"role": "graphics-document document", "aria_labelledby": "scene-title", "font_family": fonts}
    described = {"aria_describedby": "scene-description"}
    return element("svg", texts + ground + content, **head, **size, **roles, **described)
