"""Clip paths and masks let through what a browser shows."""

from __future__ import annotations

import random
from io import BytesIO
from itertools import pairwise
from math import hypot
from pathlib import Path
from typing import Any

import pytest
from browser import browser  # noqa: F401
from random_drawings import content_of
from six_regions import FILLS, IDS, NAMES, SVG, all_, corner, path, read

from rulespec.drawing.outlines import area, holds, rings_of
from rulespec.drawing.reading.clipping import Clip, ClipArea, Rings, within
from rulespec.drawing.reading.texts import rounds
from rulespec.drawing.svg import Point


def distance(at: Point, p: Point, q: Point) -> float:
    dx, dy = q[0] - p[0], q[1] - p[1]
    size = dx * dx + dy * dy
    along = min(max(((at[0] - p[0]) * dx + (at[1] - p[1]) * dy) / size, 0), 1) if size else 0
    return hypot(p[0] + along * dx - at[0], p[1] + along * dy - at[1])


def is_in(rings: Rings, evenodd: bool, at: Point) -> bool:
    return holds(rings, *at) if evenodd else rounds(rings, *at) != 0


def faults(seed: int) -> int:
    """The number of points that a random clip of a random shape has on another side than both say."""
    choose = random.Random(seed)
    whole = choose.random() < 0.6  # then corners lie on one another, and edges along one another

    def rings() -> list[list[Point]]:
        number = choose.randint if whole else choose.uniform
        return [
            [(number(0, 8), number(0, 8)) for _ in range(choose.randint(3, 9))] for _ in range(choose.randint(1, 2))
        ]

    shape, evenodd = rings(), choose.random() < 0.5
    areas = [ClipArea(rings(), choose.random() < 0.5, choose.random() < 0.7) for _ in range(choose.randint(1, 3))]
    areas = [ClipArea(shape[:1])] if choose.random() < 0.2 else areas
    result = within(shape, evenodd, Clip(tuple(areas)))
    lines = [edge for ring in [*shape, *(r for a in areas for r in a.rings)] for edge in pairwise([*ring, ring[0]])]
    count = 0
    for _ in range(30):
        at = choose.uniform(-0.5, 8.5), choose.uniform(-0.5, 8.5)
        if min(distance(at, *edge) for edge in lines) > 1e-3:
            over = [each.opens for each in areas if is_in(each.rings, each.evenodd, at)]
            wanted = is_in(shape, evenodd, at) and over[-1:] == [True]
            count += wanted != is_in(result, len(areas) > 1 or evenodd or not convex(areas[0]), at)
    return count


def convex(each: ClipArea) -> bool:
    return Clip((each,)).convex is not None


def test_the_part_within_a_clip_is_what_is_in_both() -> None:
    assert [seed for seed in (*range(20), 1264) if faults(seed)] == []  # the last one turns back at a corner


@pytest.mark.proof
def test_the_part_within_many_clips_is_what_is_in_both() -> None:
    assert [seed for seed in range(20, 3_000) if faults(seed)] == []


def shape_of(choose: random.Random, more: str = "") -> str:
    """A shape of a clip path or a mask."""
    n = [choose.randint(0, 400) for _ in range(10)]
    points = " ".join(f"{a},{b}" for a, b in zip(n[::2], n[1::2], strict=True))
    kind = choose.choice(
        (
            f'polygon points="{points}"',
            f'circle cx="{n[0]}" cy="{n[1]}" r="{40 + n[2] // 3}"',
            f'rect x="{n[0] / 2}" y="{n[1] / 2}" width="{50 + n[2]}" height="{50 + n[3] / 2}" rx="9"',
            f'path d="M{n[0]} {n[1]}Q{n[2]} {n[3]} {n[4]} {n[5]}T{n[6]} {n[7]}zM{n[2]} {n[3]}h90v90h-90z"',
        )
    )
    return f'<{kind} clip-rule="{choose.choice(("evenodd", "nonzero"))}" transform="rotate({n[9] / 10})"{more}/>'


def clipped_drawing(seed: int) -> str:
    choose = random.Random(seed)
    parts = "".join(shape_of(choose) for _ in range(choose.randint(1, 3)))
    if choose.random() < 0.3:
        parts += '<use href="#kept" x="30" y="20"/>'
    further = ' clip-path="url(#d)"' if choose.random() < 0.3 else ""
    units = choose.random() < 0.2
    if units:
        parts, more = '<circle cx=".5" cy=".5" r=".4"/><rect width=".5" height=".3"/>', "objectBoundingBox"
    else:
        more = "userSpaceOnUse"
    colours = ("#fff", "white", "#000", "#FFF")
    mask = "".join(shape_of(choose, f' fill="{choose.choice(colours)}"') for _ in range(choose.randint(1, 4)))
    how = choose.choice(('clip-path="url(#c)"', 'style="mask:url(#m)"', 'clip-path="url(#c)" mask="url(#m)"'))
    on_group = f"<g {how}>" if not units and choose.random() < 0.5 else "<g>"
    return f"""<svg {SVG} width="400" height="400" viewBox="0 0 400 400"><defs>{shape_of(choose, ' id="kept"')}
      <clipPath id="d">{shape_of(choose)}</clipPath><clipPath id="c" clipPathUnits="{more}"{further}>{parts}</clipPath>
      <mask id="m" maskUnits="userSpaceOnUse" x="0" y="0" width="400" height="400"><g>{mask}</g></mask></defs>
      <g transform="translate(9 5)">{on_group}<path id="one" fill="#f00" {how if on_group == "<g>" else ""}
      d="M20 20H380V200L200 380L20 300z"/></g></g></svg>"""


@pytest.mark.proof
def test_a_browser_shows_the_same_parts(browser: Any, tmp_path: Path) -> None:  # noqa: F811
    image = pytest.importorskip("PIL.Image")
    page = browser.new_page(viewport={"width": 400, "height": 400})
    tried = 0
    for seed in range(120):
        drawing = tmp_path / "x.svg"
        drawing.write_text(clipped_drawing(seed), "utf-8")
        page.goto(drawing.as_uri())
        pixels = image.open(BytesIO(page.screenshot())).convert("RGB")
        content = content_of(drawing)
        assert not any("the parts that they" in what for what in content.notes.left_out), seed
        shapes = [piece.shape for piece in content.pieces]
        edges = [edge for s in shapes for ring in s.outlines for edge in pairwise([*ring, ring[0]])]
        choose = random.Random(seed)
        for _ in range(60):
            x, y = choose.randint(2, 397), choose.randint(2, 397)
            at = x + 0.5, y + 0.5
            if any(distance(at, *edge) < 1.5 for edge in edges):
                continue
            around = {pixels.getpixel((x + a, y + b)) for a in (-1, 0, 1) for b in (-1, 0, 1)}
            if around in ({(255, 0, 0)}, {(255, 255, 255)}):
                tried += 1
                ours = any(is_in(shape.outlines, shape.evenodd, at) for shape in shapes)
                assert ours == (around == {(255, 0, 0)}), (seed, at)
    page.close()
    assert tried > 4_000


def coast() -> str:
    cells = all_(lambda n, name, fill, d: f'<path id="{name}" fill="{fill}" d="{d}"/>')
    line = "M20 10 L150 30 L280 10 L290 100 L270 190 L150 160 L20 190 L40 100Z"
    return f'<clipPath id="coast"><path d="{line}"/></clipPath><g clip-path="url(#coast)">{cells}</g>'


def land_of_a_mask() -> str:
    return coast().replace("clipPath", "mask").replace("clip-path", "mask").replace("<path d=", '<path fill="#fff" d=')


def copies() -> str:
    return all_(
        lambda n, name, fill, d: (
            f'<path id="d{n}" display="none" d="{d}"/><clipPath id="c{n}"><use href="#e{n}"/></clipPath>'
            f'<defs><path id="e{n}" d="{d}"/></defs><g clip-path="url(#c{n})"><rect id="{name}" fill="{fill}" '
            f'x="{corner(n)[0] - 30}" y="{corner(n)[1] - 30}" width="170" height="170"/></g>'
        )
    )


@pytest.mark.parametrize("manner", [coast, land_of_a_mask, copies])
def test_regions_end_where_a_clip_cuts_them_off(manner: Any, tmp_path: Path) -> None:
    result, report = read(tmp_path, f'<svg {SVG} viewBox="0 0 300 200">{manner()}</svg>')
    assert [region.name for region in result.regions] == IDS
    assert [region.fill for region in result.regions] == FILLS
    assert report.ok and not [d for d in report.diagnostics if "cut off" in d.message or d.code == "RS906"]
    sizes = [sum(abs(area(ring)) for ring in rings_of(region.outline)) for region in result.regions]
    whole = (1000 / 300) ** 2 * 10_000
    assert all(size < 0.93 * whole for size in sizes) == (manner is not copies)
    assert all(0.5 * whole < size < 1.06 * whole for size in sizes)
    assert len({frozenset((r.name, o)) for r in result.regions for o in r.touches}) == 7


@pytest.mark.parametrize(
    "how, what",
    [
        ('clip-path="circle(40%)"', "clip paths that are not understood"),
        ('mask="url(#grey)"', "masks that are not black and white"),
        ('clip-path="url(#words)"', "clip paths that are not understood"),
    ],
)
def test_what_is_not_understood_is_said(how: str, what: str, tmp_path: Path) -> None:
    kinds = '<mask id="grey"><rect width="9" height="9" fill="#777"/></mask>'
    kinds += '<clipPath id="words"><text>Oak</text></clipPath>'
    _, report = read(tmp_path, f'<svg {SVG}>{kinds}<g {how}><path id="{NAMES[0]}" d="{path(0)}"/></g></svg>')
    assert [(d.code, what in d.message) for d in report.diagnostics] == [("RS564", True)]


def test_a_clip_of_many_points_is_left_out(tmp_path: Path) -> None:
    d = "M0 0" + "".join(f"L{n / 20:.2f} {100 + n % 2}" for n in range(3_200)) + "V0"
    kinds = f'<clipPath id="c"><path d="{d}z"/></clipPath>'
    _, report = read(tmp_path, f'<svg {SVG}>{kinds}<g clip-path="url(#c)"><path id="oak" d="{d}z"/></g></svg>')
    assert any("clip paths with too many points" in d.message for d in report.diagnostics)
