"""Drawings are read as a browser shows them: colours, sizes of letters, what is hidden, boxes, points inside."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from math import hypot
from pathlib import Path
from typing import Any

import pytest
from browser import browser  # noqa: F401
from folders import TESTS
from random_drawings import Writer, content_of, seen_by_a_browser, unread_in
from six_regions import SVG, XLINK

from rulespec.drawing.outlines import holds
from rulespec.drawing.reading.paints import colour_of
from rulespec.drawing.reading.shapes import Shape
from rulespec.drawing.reading.texts import rounds
from rulespec.drawing.svg import Point

RECORDED = TESTS / "fixtures" / "drawings_in_a_browser.json"
NEAR, LARGE = 0.5, 1_500
"""Pixels of difference, and the part of what is larger than the page: there a browser draws arcs as cubic curves."""
RADII = (
    *('rx="auto" ry="20"', 'rx="none" ry="20"', 'rx="-3" ry="20"', 'rx="20." ry="20"', 'rx="inherit" ry="20"'),
    *('rx="9foo" ry="20"', 'rx="20"', 'style="rx: auto; ry: 20px"', 'rx="5" style="rx: none; ry: 20px"'),
    *('rx="5" ry="20" style="rx: initial"', 'rx="5" style="ry: max-content"', 'ry="20" style="rx: -3px"'),
)
"""Ways to give two radii."""
STYLES = (
    *("fill: CanvasText", "fill: linktext", "fill: light-dark(red, blue)", "fill: light-dark(red)"),
    *("fill: hsl(90, 10, 10)", "fill: url(#gone) Mark", "color: VisitedText; fill: light-dark(currentColor, red)"),
    *("display: contents", "display: table-row-group", "display: inline list-item", "display: block inline"),
    *("display: none; display: run-in", "display: none; display: -webkit-box", "width: 9foo", "width: stretch"),
    *("width: -webkit-fit-content", "width: 4.px", "font-size: math; width: 2em", "font-size: 9deg; width: 2em"),
    *("font-size: -webkit-xxx-large; width: 2em", "width: unset", "width: inherit", "height: revert"),
)
"""Values that a browser takes or refuses."""
LINES = (
    '<g width="50"><rect data-at="2" x="9" y="9" width="90" height="70" style="width: inherit"/></g>',
    '<g style="width: 5em"><g style="width: inherit"><rect data-at="2" height="70" width="inherit"/></g></g>',
    '<g style="r: 20px"><circle data-at="2" cx="99" cy="99" r="inherit"/></g>',
    '<g style="cx: 7px; y: 9px"><circle data-at="2" r="5" cx="inherit" cy="unset"/></g>',
    '<g width="9" style="r: 20px"><circle data-at="2" cx="99" cy="99" r="50" style="r: inherit"/></g>',
    '<svg width="200"><rect data-at="2" x="9" y="9" width="90" height="70" style="width: inherit"/></svg>',
    '<svg style="height: 40px"><rect data-at="2" x="9" width="90" height="70" style="height: inherit"/></svg>',
    '<rect data-at="2" x="9" y="9" width="50" height="30" style="transform: rotate(9deg); transform-origin: 50% 50%"/>',
    '<rect data-at="2" x="9" y="9" width="50" height="30" style="transform: scale(2); transform-origin: right 20px"/>',
    '<rect data-at="2" x="9" y="9" width="50" height="30" transform="rotate(45)" transform-origin="bottom left"/>',
    '<path data-at="2" d="M9 9h50v30z" style="rotate: 40deg; transform-box: fill-box; transform-origin: center"/>',
    '<circle data-at="2" cx="90" cy="90" r="40" style="transform-box: fill-box; transform: translate(50%, 10px)"/>',
    '<rect data-at="2" x="9" y="9" width="50" height="30" style="translate: 20px 10%; scale: 2 1.5; rotate: 10deg"/>',
    '<rect data-at="2" x="9" y="9" width="50" height="30" rotate="30" scale="2" translate="5"/>',
    '<defs><svg id="s" viewBox="0 0 9 9" width="5" height="5"><rect width="9" height="9"/></svg></defs>\n'
    '<use id="u3" href="#s" x="10" y="10" width="200" height="100" data-at="3"/>',
    "<style>:first-child {font-size: 80%} g circle {r: 9px}</style>"
    '<defs><g><circle id="s" cx="50" r="2em"/></g></defs>\n'
    '<use id="u3" href="#s" data-at="3"/>',
    '<g systemLanguage="de">\n<rect width="9" height="9" data-at="3"/></g>\n<rect requiredExtensions="" width="9" '
    'height="9" data-at="4"/>\n<rect systemLanguage="fr, en-GB" width="9" height="9" data-at="5"/>',
    '<text data-at="2" x="100" y="100" font-size="20" letter-spacing="12">SEA OF NAMES</text>',
    '<g style="letter-spacing: .5em">\n<text data-at="3" x="100" y="100" font-size="20">SEA OF NAMES</text></g>',
    '<text data-at="2" x="300" y="100" font-size="20" text-anchor="middle" style="word-spacing: 40px">A SEA</text>',
    '<text data-at="2" x="100" y="100" font-size="20" textLength="400">SEA OF NAMES</text>',
    '<text data-at="2" x="300" y="100" font-size="20" textLength="400" text-anchor="end">SEA OF NAMES</text>',
    *(
        f'<text data-at="2" x="100" y="100" font-size="40" dominant-baseline="{line}">Name</text>'
        for line in ("auto", "middle", "central", "hanging", "text-before-edge", "text-after-edge", "mathematical")
    ),
    '<text data-at="2" xml:space="preserve" x="9" y="100" font-family="sans-serif">      Name</text>',
    '<g style="white-space: pre" font-family="sans-serif">\n<text data-at="3" x="300" y="99" text-anchor="end">'
    "Name      </text></g>",
    '<text data-at="2" x="100 130 160 190" y="100 140 180 220" font-size="20">Name</text>',
    '<text data-at="2" x="100" dx="0 20 20 20" y="100" font-size="20">Name</text>',
    '<text data-at="2" font-size="20"><tspan x="100 130 160 190" y="100 140 180 220">Name</tspan></text>',
    *(
        f'<path data-at="2" d="{data}"/>'
        for data in (
            "M0 0h90v90h-90zM200 0h90v90 200z",
            "M0 0 90 0 90 90 0 90 500z",
            "M0 0L90 0L90 90L0 90L30 40 xx 500 50z",
            "M0 0L90 0L90 90L0 90B300 40 50 500z",
            "M0 0L90 0L90 90L0 90A30 30 0 2 1 500 50z",
            "M0 0h90v90h-90z 500 50",
            "M0 0h90v90h-90z,L500 50",
            "M0 0h90v90h-90L50 50 5. 500",
            "M0 0h90v90h-90,,z L500 50",
            "M0 0,90 0,90 90.5.5 90,z",
            "M0 0L90 0 90 90 0 90e 500 500",
            "M0 0L90 0 90 90A30 30 0 0140 200 30 30 0 01 500",
            "M0 0L90 0 90 90 0 90&#160;500 500",
            "M0 0H90 50 80V60 70 x",
            "m9 9 80 0 0 80 q 9 9 -90 -9 40",
        )
    ),
    *(
        f'<g transform="{how}">\n<path data-at="3" d="M50 50h90v40z"/></g>'
        for how in (
            *("matrix(1 2)", "translate(10", "translate(10)foo(3)", "translate(10px,5px)", "translate(10 5 3)"),
            *("rotate(30deg)", "translate(10);", "translate(10),,scale(2)", "translate(10),scale(2)", "translate (10)"),
            *("translate(10) scale(2),", "TRANSLATE(10)", "scale(50%)", "rotate(10 5)", "rotate(10,5,5)", "scale()"),
            *("skew(10)", "translate(10,)", "translate(,10)", "translate(1e1 -5)scale(.5)", "skewX(10)", "skewY(9)"),
        )
    ),
    *(
        f'<g style="transform: {how}">\n<path data-at="3" d="M50 50h90v40z"/></g>'
        for how in (
            *("matrix(1 2)", "matrix(1, .1, .2, 1, 5, 5)", "translate(10)", "translate(10px,5%)", "TRANSLATEY(.5in)"),
            *(
                "rotate(30deg)",
                "rotate(.1turn) scale(1.5)",
                "rotate(10)",
                "scale(50%)",
                "skew(9deg, 0)",
                "skewX(.1rad)",
            ),
            *("translate(10px), scale(2)", "translate(0, 1em)", "scale(2 2)", "skew(9deg, 3deg)", "scaleX(-1)"),
        )
    ),
    *(f'<rect data-at="2" x="9" y="9" width="90" height="70" {how}/>' for how in RADII),
    *(f'<ellipse data-at="2" cx="99" cy="99" {how}/>' for how in RADII),
    *(f'<rect data-at="2" x="9" y="9" width="90" height="70" style="{how}"/>' for how in STYLES),
    '<g style="display: contents; opacity: 0; clip-path: url(#n)" transform="translate(90 90)">\n'
    '<rect data-at="3" x="9" y="9" width="50" height="30"/></g>',
    *(
        f'<{tag} style="display: contents">\n<rect data-at="3" x="9" y="9" width="50" height="30"/></{tag}>'
        for tag in ("a", "switch")
    ),
    '<path data-at="2" d="M100 100a30 20 0 1130 40a30,20,0,01.5.5zm50 50l10-10e0 5 5zl9 9 1e1-.5.5.5"/>',
)
"""Drawings of a few lines, each with something that a browser knows."""
Seen = dict[str, dict[str, Any]]


def differences(path: Path, seen: Seen) -> Iterator[str]:
    """Differences of what the program and a browser see, by lines."""
    content, drawing = content_of(path), path.read_text("utf-8")
    shapes: dict[str, Shape] = {str(p.shape.line): p.shape for p in content.pieces if not p.shape.copies}
    texts = {str(text.line): text for text in content.texts.all}
    uses: dict[str, list[Shape]] = {}
    for piece in content.pieces:
        for layer in piece.shape.layers:
            uses.setdefault(layer.id, []).append(piece.shape)
    if any(one.get("themed") for one in seen.values()) and not any("ighlight" in part for part in unread_in(path)):
        yield "a colour that only the system knows is not reported"
    for line, one in seen.items():
        if "box" not in one:
            if one["shown"] != (line in texts):
                yield f"{line}: text is shown: {one['shown']}"
            elif one["shown"] and abs(texts[line].size - one["size"]) > 0.01 + 0.001 * one["size"]:
                yield f"{line}: size {texts[line].size} for {one['size']}"
            continue
        if not one["laid"]:  # nothing is said of boxes then
            if any(not shape.hidden for shape in uses.get(f"u{line}", [shapes[line]] if line in shapes else [])):
                yield f"{line}: shown"
            continue
        repeated = uses.get(f"u{line}", [shapes[line]] if line in shapes else [])
        if not repeated:
            left, top, right, bottom = one["box"]
            if (colour_of(one["fill"]) or one["fill"]) == "none":
                continue  # with no line either, there is nothing to see
            if right - left > NEAR and bottom - top > NEAR and any(inside for *_, inside in one["inside"] or ()):
                yield f"{line}: no shape for {one['box']}"
            continue
        box = box_of([local(one["matrix"], p) for shape in repeated for outline in shape.outlines for p in outline])
        near = max(NEAR, (max(box[2] - box[0], box[3] - box[1])) / LARGE) / min(least_scale(one["matrix"]), 1)
        if any(abs(a - b) > near for a, b in zip(box, one["box"], strict=True)):
            yield f"{line}: box {box} for {one['box']}"
        if f"u{line}" not in uses:
            yield from of_one(line, repeated[0], one, drawing)


def shown_colour(fill: str, drawing: str) -> str:
    """The colour of a computed fill: of `url("#id") colour` the colour, if nothing in the drawing has that id."""
    reference = re.fullmatch(r'url\("#(\w+)"\) (.+)', fill)
    if reference is not None and f'id="{reference[1]}"' not in drawing:
        fill = reference[2]
    return colour_of(fill) or fill


def of_one(line: str, shape: Shape, seen: dict[str, Any], drawing: str) -> Iterator[str]:
    """The differences of one shape."""
    if shape.hidden == seen["shown"]:
        yield f"{line}: hidden {shape.hidden}"
    ours = shape.fill or ("#000000" if shape.filled else "none")
    if not seen.get("themed") and ours != shown_colour(seen["fill"], drawing):
        yield f"{line}: fill {ours} for {seen['fill']}"
    for x, y, inside in seen["inside"] if seen["shown"] else ():
        near = min(distance((x, y), p, q) for o in shape.outlines for p, q in zip(o, [*o[1:], o[0]], strict=True))
        within = holds(shape.outlines, x, y) if shape.evenodd else rounds(shape.outlines, x, y) != 0
        if near > NEAR and within != inside:
            yield f"{line}: {x:.1f},{y:.1f} is inside: {within}"


def least_scale(m: list[float]) -> float:
    """The least factor by which a transformation scales: pixels of a box are those that are seen."""
    a, b, c, d = m[:4]
    whole = (a * a + b * b + c * c + d * d) / 2
    apart = max(whole * whole - (a * d - b * c) ** 2, 0)  # of a plain turn it is 0, or below it by rounding
    return float(max(whole - apart**0.5, 1e-9) ** 0.5)


def local(m: list[float], p: Point) -> Point:
    """A point before a transformation."""
    a, b, c, d, e, f = m
    whole, x, y = a * d - b * c, p[0] - e, p[1] - f
    return (d * x - c * y) / whole, (a * y - b * x) / whole


def box_of(points: list[Point]) -> list[float]:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return [min(xs), min(ys), max(xs), max(ys)]


def distance(at: Point, p: Point, q: Point) -> float:
    """The distance of a point from an edge."""
    dx, dy = q[0] - p[0], q[1] - p[1]
    size = dx * dx + dy * dy
    along = min(max(((at[0] - p[0]) * dx + (at[1] - p[1]) * dy) / size, 0), 1) if size else 0
    return hypot(p[0] + along * dx - at[0], p[1] + along * dy - at[1])


@pytest.mark.proof
@pytest.mark.parametrize("first", range(0, 200, 20))
def test_random_drawings_are_read_as_a_browser_shows_them(first: int, browser: Any, tmp_path: Path) -> None:  # noqa: F811
    for seed in range(first, first + 20):
        path = tmp_path / f"{seed}.svg"
        path.write_text(Writer(seed).text(), "utf-8")
        assert [*differences(path, seen_by_a_browser(browser, path))] == [], seed


@pytest.mark.proof
@pytest.mark.parametrize("line", LINES)
def test_a_line_is_read_as_a_browser_shows_it(line: str, browser: Any, tmp_path: Path) -> None:  # noqa: F811
    path = tmp_path / "x.svg"
    path.write_text(f'<svg {SVG} {XLINK} width="800" height="600" viewBox="0 0 800 600">\n{line}</svg>', "utf-8")
    seen = seen_by_a_browser(browser, path)
    assert seen and [*differences(path, seen)] == []
    texts = {str(text.line): text for text in content_of(path).texts.all}
    for number, each in seen.items():
        if each["size"] and each["shown"]:
            assert distance(texts[number].at, each["middle"], each["middle"]) < 0.4 * each["size"], "a text is there"


@pytest.mark.parametrize("seed", json.loads(RECORDED.read_text("utf-8")) if RECORDED.exists() else [])
def test_what_a_browser_has_shown_is_read_so(seed: str, tmp_path: Path) -> None:
    """A few of those drawings, and what Chromium said of them."""
    recorded = json.loads(RECORDED.read_text("utf-8"))[seed]
    (tmp_path / "x.svg").write_text(recorded["drawing"], "utf-8")
    assert len(re.findall("data-at", recorded["drawing"])) == len(recorded["seen"]) > 5
    assert [*differences(tmp_path / "x.svg", recorded["seen"])] == []


def test_a_length_is_taken_from_a_group_if_its_style_says_so(tmp_path: Path) -> None:
    path, end = tmp_path / "x.svg", '<rect y="9" height="70" style="font-size: 9px; width: inherit"/></g></svg>'
    for group, width, unread in (("width: 50px", 50, []), ("width: 5em", 45, ["width: inherit"])):
        path.write_text(f'<svg {SVG} viewBox="0 0 800 600"><g width="9" style="{group}">{end}', "utf-8")
        (piece,) = content_of(path).pieces
        assert box_of([p for outline in piece.shape.outlines for p in outline]) == [0, 9, width, 79]
        assert [*unread_in(path)] == unread
