"""Generates a ruleset's `outlines.yaml` from the recipe beside its map.

python -m tools.coasts games/imperial --atlas node_modules/world-atlas/countries-50m.json
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import shapely
import yaml
from shapely import Geometry, Polygon

from rulespec.drawing.board import board_of
from rulespec.drawing.map_ground import ground
from rulespec.drawing.map_links import pairs_of
from rulespec.drawing.outlines import MAX_RINGS, Ring, data_of
from rulespec.drawing.place_looks import badge_room, lettering_of, side_of
from rulespec.engine.words.titles import languages
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset
from tools.coasts.atlas import countries
from tools.coasts.land import OUTSIDE, WATER, Land, polygons, regions_of
from tools.coasts.spots import Name, Spot, spots

RECIPE, RESULT = "coasts.yaml", "outlines.yaml"
SCENERY = {OUTSIDE: ("land", "stone"), WATER: ("water", "mist")}
"""The areas that are not regions: owner → name in the drawing, and colour."""


def main() -> None:
    """Writes the file, and prints disagreements with the map's links."""
    parser = argparse.ArgumentParser(prog="python -m tools.coasts", description=__doc__)
    parser.add_argument("ruleset", type=Path, help="its folder, with a recipe in it")
    parser.add_argument("--atlas", type=Path, required=True, help="countries-50m.json of npm's world-atlas 2.0.2")
    args = parser.parse_args()
    recipe = yaml.safe_load((args.ruleset / RECIPE).read_text("utf-8"))
    jsonschema.validate(recipe, json.loads(Path(__file__).with_name("recipe.schema.json").read_text("utf-8")))
    how = recipe["coasts"]
    land = Land(how, countries(args.atlas, how["atlas"]["sha256"]))
    areas = regions_of(land)
    names = _names(args.ruleset, how["board"])
    if strangers := sorted(set(areas) - {OUTSIDE, WATER} - set(names)):
        parser.error(f"the recipe names what is no {how['board']}: {', '.join(strangers)}")
    if absent := sorted(set(names) - set(areas)):
        parser.error(f"the recipe gives nothing to {', '.join(absent)}")
    water = shapely.union_all([area for name, area in areas.items() if name == WATER or name in how["seas"]])
    where = spots({name: areas[name] for name in names}, names, water, land.sheet.frame, Polygon())
    lines = "".join(_lines(how, areas, where, (land.sheet.width, land.sheet.height)))
    (args.ruleset / RESULT).write_text(lines, "utf-8")
    for line in _report(args.ruleset, how["board"], where):
        print(line)


def _head(how: dict[str, Any]) -> Iterator[str]:
    """The first lines of the file."""
    yield "# yaml-language-server: $schema=../../rulespec/schemas/drawing.schema.json\n"
    yield f"# Written by tools/coasts from {RECIPE}; change that, not this. {how['source']}: {how['licence']}.\n"
    yield "drawing:\n  boards:\n"


def _scenery(area: Geometry, title: str, colour: str) -> Iterator[str]:
    """The lines for the scenery."""
    rings = _rings(area)
    for number, first in enumerate(range(0, len(rings), MAX_RINGS), 1):
        data = data_of(rings[first : first + MAX_RINGS])
        yield f"        {title}_{number}: {{outline: {data}, colour: {colour}}}\n"


def _names(folder: Path, kind: str) -> dict[str, Name]:
    """The names of a ruleset's regions in all its languages."""
    ruleset = load_ruleset(str(folder))
    sheet = board_of(ruleset, ()).sheet
    board = sheet.style.boards[kind]
    titles = [Words(ruleset, language).titles(kind, {}) for language in (None, *languages(ruleset))]
    return {
        name: Name([each[i] for each in titles], lettering_of(side_of(sheet, board, i)), badge_room(sheet, board, i))
        for i, name in enumerate(sheet.names(kind))
    }


def _lines(
    how: dict[str, Any], areas: Mapping[str, Geometry], where: Mapping[str, Spot], size: tuple[int, int]
) -> Iterator[str]:
    """The lines for the outlines, one per region."""
    yield from _head(how)
    yield f"    {how['board']}:\n      frame: [0, 0, {size[0]}, {size[1]}]\n      outlines:\n"
    for name in sorted(where):
        spot = where[name]
        turned = f", turned: {spot.turned}" if spot.turned else ""
        pieces = f", pieces: [{spot.pieces[0]}, {spot.pieces[1]}]" if spot.pieces else ""
        label = f"label: [{spot.label[0]}, {spot.label[1]}]"
        yield f"        {name}: {{outline: {data_of(_rings(areas[name]))}, {label}{turned}{pieces}}}\n"
    yield "      scenery:\n"
    for owner in [owner for owner in SCENERY if owner in areas]:
        title, colour = SCENERY[owner]
        yield from _scenery(areas[owner], title, how.get(title, colour))


def _rings(area: Geometry) -> list[Ring]:
    """The rings of an area in whole numbers; rings that collapse are dropped."""
    results = []
    for part in polygons(area):
        for line in (part.exterior, *part.interiors):
            ring: Ring = []
            for x, y in line.coords:
                if not ring or (round(x), round(y)) != ring[-1]:
                    ring.append((round(x), round(y)))
            if ring[0] == ring[-1]:
                ring.pop()
            if len(ring) > 2:
                results.append(ring)
    return results


def _report(folder: Path, kind: str, where: Mapping[str, Spot]) -> Iterator[str]:
    """Links without a border, borders without a link, and regions without room for names or pieces."""
    sheet = board_of(load_ruleset(str(folder)), ()).sheet
    board = sheet.style.boards[kind]
    layout = ground(sheet, board)
    links, touching = pairs_of(board, layout.links), layout.areas.touching()
    names = sheet.names(kind)
    for title, pairs in (("link without a border", links - touching), ("border without a link", touching - links)):
        yield from (f"{title}: {names[a]} {names[b]}" for a, b in sorted(pairs))
    yield from (f"name wider than its area: {name}" for name, spot in where.items() if not spot.fits)
    yield from (f"little room for pieces: {name} ({spot.room:.0f})" for name, spot in where.items() if spot.room < 11)


if __name__ == "__main__":
    main()
