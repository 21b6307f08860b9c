"""A map of six regions in two rows, for drawings in the styles of many programs, and its expected content."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rulespec.diagnostics.report import Report
from rulespec.drawing.map_findings import warn
from rulespec.drawing.map_import import DrawnMap, regions_of
from rulespec.drawing.reading.contexts import Part
from rulespec.drawing.reading.sketch import read_sketch

NAMES = ("North Sea", "Dry Steppe", "Borg", "Östmark", "Vale", "Cape Ann")
IDS = ["north_sea", "dry_steppe", "borg", "ostmark", "vale", "cape_ann"]
FILLS = ["#9ecae9", "#d0c090", "#c83737", "#5f8dd3", "#d0c090", "#9ecae9"]
TOUCHING = {(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)}
SVG, XLINK = 'xmlns="http://www.w3.org/2000/svg"', 'xmlns:xlink="http://www.w3.org/1999/xlink"'
Facts = tuple[list[str], list[str], set[frozenset[str]]]
SIX: Facts = (IDS, FILLS, {frozenset((IDS[a], IDS[b])) for a, b in TOUCHING})
"""The facts of the map."""
Each = Callable[[int, str, str, str], str]


def corner(n: int) -> tuple[int, int]:
    return n % 3 * 100, n // 3 * 100


def path(n: int, scale: float = 1, dx: float = 0) -> str:
    """The outline of a region with a curved border, which is traversed in opposite directions by its two regions."""
    x, y = corner(n)

    def p(a: float, b: float) -> str:
        return f"{(x + a) * scale + dx:g},{(y + b) * scale:g}"

    right = f"C{p(110, 30)} {p(90, 70)} {p(100, 100)}" if n % 3 < 2 else f"L{p(100, 100)}"
    left = f"C{p(-10, 70)} {p(10, 30)} {p(0, 0)}" if n % 3 else f"L{p(0, 0)}"
    return f"M{p(0, 0)}L{p(100, 0)}{right}L{p(0, 100)}{left}Z"


def all_(each: Each) -> str:
    return "\n".join(each(n, NAMES[n], FILLS[n], path(n)) for n in range(6))


def drawing(inner: str, more: str = "") -> str:
    return f'<svg {SVG} {XLINK} viewBox="0 0 300 200"{more}>{inner}</svg>'


def classes() -> str:
    return "".join(f".cls-{n}{{fill:{fill};stroke:#000;}}" for n, fill in enumerate(FILLS))


def read(tmp_path: Path, text: str, part: Part | None = None) -> tuple[DrawnMap, Report]:
    (tmp_path / "map.svg").write_text(text, "utf-8")
    report = Report()
    result = regions_of(read_sketch(tmp_path / "map.svg", report, part))
    warn(result, report)
    return result, report


def facts(result: DrawnMap) -> Facts:
    """The names and colours of a read map's regions, and its pairs of neighbours."""
    pairs = {frozenset((region.name, other)) for region in result.regions for other in region.touches}
    return [region.name for region in result.regions], [region.fill for region in result.regions], pairs
