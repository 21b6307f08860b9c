"""Corners of a map that is read: what meets at a point, links that rounding has made, and crumbs of a region."""

from __future__ import annotations

from pathlib import Path

import pytest
from six_regions import SVG, read

from rulespec.diagnostics.report import Report
from rulespec.drawing.map_findings import warn
from rulespec.drawing.map_import import DrawnMap

FOUR = {"oak": "M0 0H500V500H0Z", "elm": "M500 0H1000V500H500Z", "ash": "M0 500H500V1000H0Z"}
FIR = {"fir": "M500 500H1000V1000H500Z"}


def drawn(tmp_path: Path, shapes: dict[str, str]) -> tuple[DrawnMap, list[tuple[str, str, str | None]]]:
    paths = "".join(f'<path id="{name}" d="{d}"/>' for name, d in shapes.items())
    result, report = read(tmp_path, f'<svg {SVG} viewBox="0 0 1000 1000">{paths}</svg>')
    return result, [(d.code, d.message, d.help) for d in report.diagnostics]


def test_four_regions_at_a_point_are_two_pairs_without_a_link(tmp_path: Path) -> None:
    result, said = drawn(tmp_path, FOUR | FIR)
    assert result.at_corner == [("oak", "fir"), ("elm", "ash")] and not result.by_corner
    ((code, message, help_),) = said
    assert (
        code == "RS474"
        and message == "no link is proposed for `oak` and `fir`, `elm` and `ash`, which meet only at a point"
    )
    assert help_ is not None and "`rulespec edit --do 'link oak fir'`" in help_


@pytest.mark.parametrize("gap, linked", [(0.4, True), (2.0, False)])
def test_corners_that_rounding_joins_are_links_with_a_way_out(tmp_path: Path, gap: float, linked: bool) -> None:
    """Two tips run beside one another for four units, less than a unit apart."""
    tips = {"east": f"M{500 + gap} 498V502L600 600H1000V400H600Z", "west": "M500 498V502L400 600H0V400H400Z"}
    sea = {"sea": "M0 0H1000V400H600L500 450L400 400H0Z", "bay": "M0 600H400L500 550L600 600H1000V1000H0Z"}
    result, said = drawn(tmp_path, tips | sea)
    assert (("east", "west") in result.by_corner) is linked
    east = next(region for region in result.regions if region.name == "east")
    assert ("west" in east.touches) is linked
    ways_out = [help_ for code, _, help_ in said if code == "RS475"]
    assert len(ways_out) == linked
    assert all("`rulespec edit --do 'unlink east west'`" in str(way_out) for way_out in ways_out)


def test_a_short_border_with_both_of_its_ends_in_common_is_none_of_rounding(tmp_path: Path) -> None:
    oak, elm = "M0 0H500V500H0Z", "M500 0H1000V500H505H500Z"
    ash, fir = "M0 500H500H505V1000H0Z", "M505 500H1000V1000H505Z"
    result, _ = drawn(tmp_path, {"oak": oak, "elm": elm, "ash": ash, "fir": fir})
    assert ("elm" in next(region for region in result.regions if region.name == "ash").touches) and not result.by_corner
    assert result.at_corner == [("oak", "fir")] or not result.at_corner


def test_links_of_a_drawing_without_common_points_are_not_doubted(tmp_path: Path) -> None:
    """Each shape has points of its own along a border: no link is listed, however exact the others are."""
    shapes = {
        "oak": "M0 0H500V500H0Z",
        "elm": "M500.2 0H1000V333H500.2Z",
        "ash": "M500.2 333.2H1000V1000H0.2V500.2H500.2Z",
    }
    result, said = drawn(tmp_path, shapes)
    assert all(len(region.touches) == 2 for region in result.regions)
    assert not result.by_corner and not said


def test_a_crumb_of_a_region_that_meets_another_is_listed(tmp_path: Path) -> None:
    """An enclave too small for an outline is a link that its region has nowhere else."""
    shapes = {"oak": "M0 0H450V1000H0Z", "elm": "M550 0H1000V1000H550Z", "isle": "M480 300H520V340H480Z"}
    shapes["isle"] += "M700 700h1v1h-1Z"
    result, said = drawn(tmp_path, shapes)
    assert result.unlinked == [("elm", "isle")]
    ((code, message, help_),) = said
    assert code == "RS565" and message == (
        "parts of regions are too small for an outline; no link is proposed for `elm` and `isle`"
    )
    assert "`rulespec edit --do 'link elm isle'`" in str(help_)


def test_a_map_of_hexes_has_no_corners_to_list(tmp_path: Path) -> None:
    """Three regions meet at each of them."""
    shapes = {}
    for column in range(6):
        for row in range(6):
            x, y = 100 + 120 * column, 100 + 140 * row + 70 * (column % 2)
            points = [(x - 40, y - 70), (x + 40, y - 70), (x + 80, y), (x + 40, y + 70), (x - 40, y + 70), (x - 80, y)]
            shapes[f"h{column}{row}"] = "M" + "L".join(f"{a} {b}" for a, b in points) + "Z"
    result, said = drawn(tmp_path, shapes)
    assert len(result.regions) == 36 and not said
    report = Report()
    warn(result, report)
    assert not report.diagnostics
