"""A picture as named items: static items, and dynamic ones that depend on the position.

A page that steps through a game loads the static items once and, for each position, only the items that changed.
"""

from __future__ import annotations

from msgspec import Struct

from rulespec.drawing.colours import PALETTE
from rulespec.drawing.svg import Box, Point, clean, element, group, number
from rulespec.drawing.text_width import FONTS
from rulespec.records import Brief

LAYERS = ("ground", "areas", "borders", "links", "names", "marks", "pieces", "tables", "faults")
"""The layers of a picture, bottom first."""


class Place(Brief, Struct, frozen=True):
    """An entity that the pointer can select.

    Attributes:
        id: its kind and name, such as `region.oak`; the value of `data-place` of its element.
        title: its title.
        box: its bounding box.
        middle: the point to aim at, which is the place of its pieces.
        outline: the path data of its outline; "" if the outline is the box itself.
    """

    id: str
    title: str
    box: Box
    middle: Point
    outline: str = ""


class SceneItem(Brief, Struct, frozen=True):
    """A part of a picture.

    Attributes:
        id: its unique name in a scene, such as `region.oak` or `piece.oak.cart.red`.
        layer: one of `LAYERS`.
        svg: an SVG fragment, in coordinates of the whole picture.
        places: the entities that only this item shows.
        panel: the separate picture of an owner's board that contains it; "" for the others.
    """

    id: str
    layer: str
    svg: str
    places: tuple[Place, ...] = ()
    panel: str = ""


class Scene(Brief, Struct, frozen=True):
    """A picture of a position.

    Attributes:
        width, height: its size in points.
        title, description: the texts for screen readers.
        static: the items common to all positions of a game.
        dynamic: the items of this position.
    """

    width: float
    height: float
    title: str
    description: str
    static: tuple[SceneItem, ...]
    dynamic: tuple[SceneItem, ...]

    def changed(self, before: Scene) -> dict[str, str | None]:
        """The dynamic items that differ from those of `before`, by id; removed items are None."""
        old = {item.id: item.svg for item in before.dynamic}
        new = {item.id: item.svg for item in self.dynamic}
        gone: dict[str, str | None] = {id_: None for id_ in old if id_ not in new}
        return gone | {id_: svg for id_, svg in new.items() if old.get(id_) != svg}


def to_svg(scene: Scene, fonts: str = FONTS) -> str:
    """The picture as one self-contained SVG document: no script, no link, no embedded font."""
    layers = []
    for name in LAYERS:
        static = [item.svg for item in scene.static if item.layer == name]
        dynamic = [group([item.svg], data_item=item.id) for item in scene.dynamic if item.layer == name]
        for kind, items in (("static", static), ("dynamic", dynamic)):
            if items:
                layers.append(group(items, class_=f"{name} {kind}"))
    return document(scene.width, scene.height, scene.title, scene.description, "".join(layers), fonts)


def panel(box: Box, title: str, content: str) -> str:
    """One part of a sheet as SVG, in the sheet's coordinates, for a page that shows the parts separately."""
    left, top, right, bottom = box
    ground = element("rect", x=left, y=top, width=right - left, height=bottom - top, fill=PALETTE["paper"])
    view = " ".join(number(part) for part in (left, top, right - left, bottom - top))
    roles = {"role": "graphics-document document", "aria_label": title, "font_family": FONTS}
    return element("svg", ground + content, viewBox=view, **roles)


def document(width: float, height: float, title: str, description: str, content: str, fonts: str = FONTS) -> str:
    """An SVG document on a paper-coloured background; `content` is SVG."""
    size = {"width": width, "height": height}
    ground = element("rect", **size, fill=PALETTE["paper"])
    texts = f'<title id="scene-title">{clean(title)}</title>'
    texts += f'<desc id="scene-description">{clean(description)}</desc>'
    head = {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {number(width)} {number(height)}"}
    roles = {"role": "graphics-document document", "aria_labelledby": "scene-title", "font_family": fonts}
    described = {"aria_describedby": "scene-description"}
    return element("svg", texts + ground + content, **head, **size, **roles, **described)
