"""An atlas of countries: TopoJSON from npm's `world-atlas`, which contains Natural Earth's data (public domain)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from shapely import Geometry, MultiPolygon, Polygon


def countries(path: Path, checksum: str) -> dict[str, Geometry]:
    """Country name → its area, in degrees.

    Raises:
        ValueError: if the file is not the one named in the recipe.
    """
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != checksum:
        raise ValueError(f"{path} is not the atlas of the recipe: its SHA-256 differs")
    data = json.loads(content)
    scale, move = data["transform"]["scale"], data["transform"]["translate"]
    arcs = [np.cumsum(np.array(arc), axis=0) * scale + move for arc in data["arcs"]]
    return {
        shape["properties"]["name"]: shapely.make_valid(MultiPolygon(_polygons(shape, arcs)))
        for shape in data["objects"]["countries"]["geometries"]
    }


def _polygons(shape: dict[str, Any], arcs: list[Any]) -> list[Polygon]:
    parts = shape.get("arcs", [])
    rings = [[_ring(ring, arcs) for ring in part] for part in ([parts] if shape["type"] == "Polygon" else parts)]
    return [Polygon(outer, holes) for outer, *holes in rings if len(outer) > 3]


def _ring(numbers: list[int], arcs: list[Any]) -> list[tuple[float, float]]:
    points: list[Any] = []
    for number in numbers:
        arc = arcs[number] if number >= 0 else arcs[~number][::-1]
        points.extend(arc if not points else arc[1:])
    ring = np.array(points)
    ring[1:, 0] -= 360 * np.cumsum(np.round(np.diff(ring[:, 0]) / 360))  # no jump at 180 degrees
    return [(float(x), float(y)) for x, y in ring]
