"""Measurements of pictures for tests: the boxes of their texts, read from the SVG itself."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from rulespec.drawing.svg import Box, text_box

SVG = "{http://www.w3.org/2000/svg}"
_EDGE = 0.6  # points that letters may reach into one another


def texts(svg: str) -> list[tuple[str, Box]]:
    """All texts that are drawn, and where."""
    results = []
    for node in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        size = float(node.attrib["font-size"])
        x, y = float(node.attrib["x"]), float(node.attrib["y"]) - size * 0.36
        bold, anchor = node.attrib.get("font-weight") == "bold", node.attrib.get("text-anchor", "start")
        results.append((node.text or "", text_box(node.text or "", x, y, size, bold=bold, anchor=anchor)))
    return results


def overlaps(svg: str) -> list[tuple[str, str]]:
    """Pairs of texts that stand on one another."""
    result = texts(svg)
    return [
        (one, other)
        for i, (one, box) in enumerate(result)
        for other, against in result[:i]
        if box.meets(against, -_EDGE)
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
