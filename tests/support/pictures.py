"""Measurements of pictures for tests: the boxes of their texts, read from the SVG itself."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from rulespec.drawing.svg import Box, text_box

SVG = "{http://www.w3.org/2000/svg}"
_EDGE = 0.6  # points that letters may reach into one another


def texts(svg: str) -> list[tuple[str, Box]]:
    """All texts that are drawn, and where."""
    found = []
    for node in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        size = float(node.attrib["font-size"])
        x, y = float(node.attrib["x"]), float(node.attrib["y"]) - size * 0.36
        bold, anchor = node.attrib.get("font-weight") == "bold", node.attrib.get("text-anchor", "start")
        found.append((node.text or "", text_box(node.text or "", x, y, size, bold=bold, anchor=anchor)))
    return found


def overlaps(svg: str) -> list[tuple[str, str]]:
    """Pairs of texts that stand on one another."""
    found = texts(svg)
    return [
        (one, other) for i, (one, box) in enumerate(found) for other, against in found[:i] if box.meets(against, -_EDGE)
    ]


def outside(svg: str) -> list[str]:
    """Texts that run off the picture."""
    root = ElementTree.fromstring(svg)
    frame = Box((0, 0, float(root.attrib["width"]), float(root.attrib["height"])))
    return [text for text, box in texts(svg) if not frame.holds(box)]


def sizes(svg: str, layer: str) -> list[float]:
    """The sizes of the letters of a layer that never changes."""
    groups = (g for g in ElementTree.fromstring(svg).iter(f"{SVG}g") if g.attrib.get("class") == f"{layer} static")
    return [float(text.attrib["font-size"]) for g in groups for text in g.iter(f"{SVG}text")]
