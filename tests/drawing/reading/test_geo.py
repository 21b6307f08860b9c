"""Maps of the earth and of generated worlds: regions with their neighbours, in any supported file."""

from __future__ import annotations

import contextlib
import json
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from limits import soon

from rulespec.cli.main import cli
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.drawing.map_findings import warn
from rulespec.drawing.map_import import DrawnMap, regions_of
from rulespec.drawing.outlines import area, holds, rings_of
from rulespec.drawing.reading.contexts import Part
from rulespec.drawing.reading.geo import read_geo
from rulespec.drawing.reading.sketch import read_sketch

WIDE, HIGH = 4, 3
Ring = list[list[float]]


def drawn(tmp_path: Path, data: Any, part: Part | None = None) -> DrawnMap:
    text = data if isinstance(data, str) else json.dumps(data)
    (tmp_path / "map.geojson").write_text(text, "utf-8")
    return regions_of(read_geo(tmp_path / "map.geojson", part))


def pairs(result: DrawnMap) -> set[frozenset[str]]:
    return {frozenset((region.name, other)) for region in result.regions for other in region.touches}


def feature(name: str, *polygons: Any) -> dict[str, Any]:
    geometry = (
        {"type": "Polygon", "coordinates": polygons[0]}
        if len(polygons) == 1
        else {"type": "MultiPolygon", "coordinates": [*polygons]}
    )
    return {"type": "Feature", "properties": {"name": name}, "geometry": geometry}


def collection(*features: dict[str, Any]) -> dict[str, Any]:
    return {"type": "FeatureCollection", "features": [*features]}


def box(left: float, bottom: float, right: float, top: float) -> Ring:
    return [[left, bottom], [right, bottom], [right, top], [left, top], [left, bottom]]


def net(seed: int) -> tuple[dict[str, Ring], set[frozenset[str]]]:
    """Twelve countries on a randomly distorted grid, with a point in each edge, and their neighbours."""
    choose = random.Random(seed)
    at = {
        (i, j): [i * 10 + choose.uniform(-3, 3), 20 + j * 10 + choose.uniform(-3, 3)]
        for i in range(WIDE + 1)
        for j in range(HIGH + 1)
    }
    rings, touching = {}, set()
    for i in range(WIDE):
        for j in range(HIGH):
            ring = []
            corners = [at[i, j], at[i + 1, j], at[i + 1, j + 1], at[i, j + 1]]
            for p, q in zip(corners, [*corners[1:], corners[0]], strict=True):
                low, high = sorted((p, q))
                ring += [p, [(2 * low[0] + high[0]) / 3, (2 * low[1] + high[1]) / 3]]
            rings[f"c{i}{j}"] = [*ring, ring[0]]
            touching |= {
                frozenset((f"c{i}{j}", f"c{a}{b}")) for a, b in ((i + 1, j), (i, j + 1)) if a < WIDE and b < HIGH
            }
    return rings, touching


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.sampled(1)
def test_a_geojson_has_its_regions_and_their_neighbours(seed: int, tmp_path: Path) -> None:
    rings, touching = net(seed)
    result = drawn(tmp_path, collection(*(feature(name, [ring]) for name, ring in rings.items())))
    assert {region.name for region in result.regions} == {*rings} and pairs(result) == touching
    places = {region.name: region.position or (0, 0) for region in result.regions}
    assert places["c00"][0] < places["c30"][0] and places["c00"][1] > places["c02"][1]  # north is above


def topology(rings: dict[str, Ring], *, quantized: bool) -> dict[str, Any]:
    """A TopoJSON topology of rings, with one arc per edge, reversed on its other side."""
    arcs: list[Ring] = []
    numbers: dict[tuple[tuple[float, ...], tuple[float, ...]], int] = {}
    geometries = []
    for name, ring in rings.items():
        used = []
        for p, q in pairwise(ring):
            back = numbers.get((tuple(q), tuple(p)))
            if back is None:
                numbers[tuple(p), tuple(q)] = len(arcs)
                arcs.append([p, q])
            used.append(~back if back is not None else len(arcs) - 1)
        geometries.append({"type": "Polygon", "arcs": [used], "id": name, "properties": {"name": name.upper()}})
    result: dict[str, Any] = {
        "type": "Topology",
        "objects": {
            "land": {"type": "Polygon", "arcs": [[0]]},
            "countries": {"type": "GeometryCollection", "geometries": geometries},
        },
        "arcs": arcs,
    }
    if quantized:
        result["transform"] = {"scale": [0.001, 0.001], "translate": [-10, 5]}
        steps = []
        for arc in arcs:
            whole = [[round((x + 10) * 1000), round((y - 5) * 1000)] for x, y in arc]
            steps.append([whole[0], [whole[1][0] - whole[0][0], whole[1][1] - whole[0][1]]])
        result["arcs"] = steps
    return result


@pytest.mark.parametrize("quantized", [False, True])
def test_a_topojson_has_its_regions_and_their_neighbours(quantized: bool, tmp_path: Path) -> None:
    rings, touching = net(7)
    result = drawn(tmp_path, topology(rings, quantized=quantized))
    assert {region.name: region.label for region in result.regions} == {name: name.upper() for name in rings}
    assert pairs(result) == touching
    report = Report()
    warn(result, report)
    assert [(d.code, "`land`" in d.message) for d in report.diagnostics] == [("RS474", False), ("RS856", True)]
    chosen = drawn(tmp_path, topology(rings, quantized=quantized), Part(("Countries",), ("C00", "c11")))
    assert {region.name for region in chosen.regions} == {*rings} - {"c00", "c11"}


def test_holes_and_islands_are_those_of_the_region(tmp_path: Path) -> None:
    hole = box(4, 4, 6, 6)
    outer = feature("outer", [box(0, 0, 10, 10), hole[::-1]], [box(20, 0, 22, 2)])
    result = drawn(tmp_path, collection(outer, feature("inner", [hole])))
    assert pairs(result) == {frozenset(("outer", "inner"))}
    rings = {region.name: rings_of(region.outline) for region in result.regions}
    assert len(rings["outer"]) == 3 and len(rings["inner"]) == 1
    (x, y) = next(region.position for region in result.regions if region.name == "inner") or (0, 0)
    assert holds(rings["inner"], x + 0.1, y + 0.1) and not holds(rings["outer"], x + 0.1, y + 0.1)


@pytest.mark.parametrize(
    "east",
    [
        [[170, 60], [180, 60], [-170, 60], [-170, 70], [180, 70], [170, 70], [170, 60]],
        [[170, 60], [190, 60], [190, 70], [170, 70], [170, 60]],
        [[170, 60], [-170, 60], [-170, 70], [170, 70], [170, 60]],
        [[-170, 60], [-170, 70], [170, 70], [170, 60], [-170, 60]],
    ],
)
def test_a_region_over_the_180th_meridian_is_in_one_piece(east: Ring, tmp_path: Path) -> None:
    west, beyond = feature("west", [box(120, 60, 170, 70)]), feature("beyond", [box(-170, 60, -140, 70)])
    result = drawn(tmp_path, collection(west, feature("east", [east]), beyond))
    places = {region.name: (region.position or (0, 0))[0] for region in result.regions}
    assert places["west"] < places["east"] < places["beyond"]
    sizes = {region.name: abs(area(rings_of(region.outline)[0])) for region in result.regions}
    assert sizes["east"] == pytest.approx(sizes["west"] * 20 / 50, rel=0.02)


def test_what_is_cut_at_the_meridian_is_put_together_where_no_land_is(tmp_path: Path) -> None:
    """Chukotka, cut as on a world map, in a map of the northern Pacific."""
    halves = feature("chukotka", [box(160, 60, 180, 70)], [box(-180, 60, -170, 70)])
    result = drawn(tmp_path, collection(halves, feature("alaska", [box(-168, 60, -140, 70)])))
    rings = [ring for region in result.regions if region.name == "chukotka" for ring in rings_of(region.outline)]
    assert max(x for ring in rings for x, _ in ring) < 600 and len(rings) <= 2
    assert abs(sum(area(ring) for ring in rings)) > 0


def test_coordinates_in_another_order_are_noticed(tmp_path: Path) -> None:
    """Latitude before longitude, a common mistake: a longitude above 90 reveals it."""
    names = {"west": box(120, 10, 140, 30), "east": box(140, 10, 160, 30), "north": box(120, 30, 160, 40)}
    right = drawn(tmp_path, collection(*(feature(n, [ring]) for n, ring in names.items())))
    turned = {name: [[y, x] for x, y in ring] for name, ring in names.items()}
    wrong = drawn(tmp_path, collection(*(feature(n, [ring]) for n, ring in turned.items())))
    assert [(r.name, r.position) for r in wrong.regions] == [(r.name, r.position) for r in right.regions]


def test_an_enclave_in_a_drawing_is_cut_out_once(tmp_path: Path) -> None:
    """A shape with a hole, and another one inside it, with the same form or with the whole area."""
    for hole in ("M40 40v20h20v-20z", ""):
        land = f'<path id="land" fill-rule="evenodd" d="M0 0h100v100h-100z{hole}"/>'
        text = f'<svg xmlns="http://www.w3.org/2000/svg">{land}<path id="isle" d="M40 40h20v20h-20z"/></svg>'
        (tmp_path / "map.svg").write_text(text, "utf-8")
        result = regions_of(read_sketch(tmp_path / "map.svg"))
        assert [len(rings_of(region.outline)) for region in result.regions] == [2, 1]
        assert pairs(result) == {frozenset(("land", "isle"))}


def test_a_plane_is_a_plane(tmp_path: Path) -> None:
    """In metres, north is up; in a topology in screen coordinates, the first row is at the top."""
    names = {"low": box(0, 0, 9_000, 5_000), "high": box(0, 5_000, 9_000, 9_000)}
    data = collection(*(feature(name, [ring]) for name, ring in names.items()))
    places = {region.name: region.position or (0, 0) for region in drawn(tmp_path, data).regions}
    assert places["high"][1] < places["low"][1]
    places = {r.name: r.position or (0, 0) for r in drawn(tmp_path, topology(names, quantized=False)).regions}
    assert places["low"][1] < places["high"][1]


# --- generated worlds -------------------------------------------------------------------------------------------------


def world(seed: int, wide: int = 12, *, provinces: bool = True) -> tuple[dict[str, Any], set[frozenset[str]]]:
    """A world as written by Azgaar's generator: square cells, a surrounding ocean, provinces of random form."""
    choose = random.Random(seed)
    owner: dict[tuple[int, int], int] = {}
    seeds = [(choose.randrange(1, wide - 1), choose.randrange(1, wide - 1)) for _ in range(6)]
    for i in range(wide):
        for j in range(wide):
            sea = i in (0, wide - 1) or j in (0, wide - 1)
            near = min(range(6), key=lambda n: abs(seeds[n][0] - i) + abs(seeds[n][1] - j))
            owner[i, j] = 0 if sea else near + 1
    cells: list[dict[str, Any]] = []
    touching = set()
    for (i, j), of in owner.items():
        beside = [(a, b) for a, b in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)) if (a, b) in owner]
        corners = [a * (wide + 1) + b for a, b in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))]
        turned = corners if choose.random() < 0.5 else corners[::-1]
        cell = {"i": len(cells), "v": turned, "c": [a * wide + b for a, b in beside], "h": 30 if of else 5}
        cells.append(
            cell | {"state": 1 + of // 4 if of else 0, "province": of if provinces else 0, "burg": 0, "biome": 3}
        )
        for other in beside:
            if of and owner[other] not in (0, of):
                touching.add(frozenset((f"province_{of}", f"province_{owner[other]}")))
    vertices = [{"p": [i * 10, j * 10], "v": [], "c": []} for i in range(wide + 1) for j in range(wide + 1)]
    names = [0, *({"i": n, "name": f"Province {n}", "color": "#9ecae9", "state": 1 + n // 4} for n in range(1, 7))]
    states = [{"i": 0, "name": "Neutrals"}, {"i": 1, "name": "Aland", "color": "#fc0"}, {"i": 2, "name": "Bland"}]
    pack = {
        "cells": cells,
        "vertices": vertices,
        "provinces": names if provinces else [0],
        "states": states,
        "burgs": [],
    }
    return {"info": {"version": "1.9"}, "settings": {}, "pack": pack, "grid": {"cells": []}}, touching


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.sampled(1)
def test_a_generated_world_has_its_provinces_and_their_neighbours(seed: int, tmp_path: Path) -> None:
    data, touching = world(seed)
    result = drawn(tmp_path, data)
    drawn_names = {f"province_{cell['province']}" for cell in data["pack"]["cells"] if cell["province"]}
    assert {region.name for region in result.regions} == drawn_names and pairs(result) == touching
    assert {region.fill for region in result.regions} == {"#9ecae9"} and all(
        region.outline for region in result.regions
    )
    cells = [cell["province"] for cell in data["pack"]["cells"]]
    unit = (1000 / 100) ** 2  # the map is ten land cells wide
    for region in result.regions:
        size = abs(sum(area(ring) for ring in rings_of(region.outline)))
        assert size == pytest.approx(cells.count(int(region.name[-1])) * unit * 100, rel=0.03)


def test_states_are_regions_if_they_are_chosen_or_alone(tmp_path: Path) -> None:
    for data, part in ((world(1)[0], Part(("states",))), (world(1, provinces=False)[0], Part())):
        result = drawn(tmp_path, data, part)
        assert {region.name for region in result.regions} <= {"aland", "bland"} and result.regions
    with pytest.raises(DiagnosticsError, match="RS904"):
        drawn(tmp_path, world(1)[0], Part(("burgs",)))


# --- strangers --------------------------------------------------------------------------------------------------------

FAR = [[0, 0], [1e300, 0], [0, 1], [0, 0]]


@pytest.mark.parametrize(
    "data, code",
    [
        ("", "RS561"),
        ("{", "RS561"),
        ("[1]", "RS561"),
        ("[" * 100_000, "RS561"),
        ('{"a":' * 100_000, "RS561"),
        (collection(), "RS562"),
        (collection(feature("", [box(0, 0, 1, 1)])), "RS562"),
        (collection(feature("a", [FAR])), "RS561"),
        (collection(feature("a", [[[0, None], [1, 1]]])), "RS561"),
        (collection(feature("a", [[["0", "1"]]])), "RS561"),
        ({"type": "FeatureCollection", "features": {"a": 1}}, "RS561"),
        (collection(*(feature(f"n{i}", [box(i, 0, i + 1, 1)]) for i in range(401))), "RS561"),
        ({"type": "Topology", "objects": {}, "arcs": [[[0, 0]]]}, "RS562"),
        ({"type": "Topology", "objects": {"a": {"type": "Polygon", "id": "x", "arcs": [[5]]}}, "arcs": []}, "RS561"),
        (
            {"type": "Topology", "objects": {"a": {"type": "Polygon", "id": "x", "arcs": [[True]]}}, "arcs": [[]]},
            "RS561",
        ),
        ({"type": "Topology", "objects": [], "arcs": []}, "RS561"),
        ({"type": "Topology", "objects": {}, "arcs": [], "transform": {"scale": 1}}, "RS562"),
        ({"pack": {"cells": [{"v": [9], "c": []}], "vertices": []}}, "RS561"),
        ({"pack": {"cells": [{"v": [], "c": [-1]}], "vertices": []}}, "RS561"),
        ({"pack": {"cells": [], "vertices": []}}, "RS562"),
        ({"pack": {"cells": "x", "vertices": []}}, "RS561"),
    ],
)
def test_what_is_no_map_is_refused(data: Any, code: str, tmp_path: Path) -> None:
    with pytest.raises(DiagnosticsError) as raised:
        drawn(tmp_path, data)
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == code and diagnostic.span is not None and diagnostic.help


@pytest.mark.proof  # 0.9 s
@pytest.mark.parametrize(
    "data",
    [
        {
            "type": "Topology",
            "objects": {"a": {"type": "Polygon", "id": "x", "arcs": [[0] * 9_000]}},
            "arcs": [[[i % 7, i % 5] for i in range(9_000)]],
        },
        {
            "type": "Topology",
            "objects": {"a": {"type": "MultiPolygon", "id": "x", "arcs": [[[0] * 100]] * 900}},
            "arcs": [[[i % 7, i % 5] for i in range(900)]],
        },
        collection(*(feature(f"n{i}", [box(0, 0, 9, 9)]) for i in range(400))),
        collection(feature("a", *([box(i, 0, i + 0.5, 1)] for i in range(9_000)))),
        collection(feature("a", [[[i * 7 % 360 - 180, i * 11 % 180 - 90] for i in range(20_000)]])),
    ],
    ids=["one arc", "arcs", "copies", "islands", "tangle"],
)
def test_maps_that_want_to_take_long_do_not(data: Any, tmp_path: Path) -> None:
    with soon(), contextlib.suppress(DiagnosticsError):
        drawn(tmp_path, data)


def test_a_map_of_the_earth_is_a_ruleset(tmp_path: Path) -> None:
    """Names in a file are only texts, and the map can be updated as from a drawing."""
    evil = '<script>"\n  evil: yes'
    rings, _ = net(3)
    data = collection(*(feature(name, [ring]) for name, ring in rings.items()), feature(evil, [box(50, 30, 60, 40)]))
    file = tmp_path / "earth.geojson"
    file.write_text(json.dumps(data), "utf-8")
    args = ["new", "mine", "--map", str(file), "--to", str(tmp_path)]
    done = CliRunner().invoke(cli, args)
    assert done.exit_code == 0 and "read: 13 regions (named 13 by label), 17 pairs that touch" in done.output
    assert CliRunner().invoke(cli, ["validate", str(tmp_path / "mine")]).exit_code == 0
    assert "\n  evil" not in (tmp_path / "mine" / "map.yaml").read_text("utf-8")
    again = CliRunner().invoke(cli, [*args, "--update"])
    assert "the map already matches the drawing" in again.output
