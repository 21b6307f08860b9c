"""One shape whose parts are regions, as programs that trace a picture write it."""

from __future__ import annotations

from pathlib import Path

from six_regions import IDS, NAMES, all_, corner, drawing, facts, read

from rulespec.diagnostics.report import Report
from rulespec.drawing.map_import import DrawnMap

TEXTS = all_(lambda n, name, *_: f'<text x="{corner(n)[0] + 20}" y="{corner(n)[1] + 20}" font-size="8">{name}</text>')
LINKS = {frozenset((IDS[a], IDS[b])) for a, b in ((0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5))}


def square(n: int, gap: int = 1, turn: int = 1) -> str:
    """A square in a cell, clockwise or not."""
    x, y = corner(n)
    side = 100 - 2 * gap
    one, other = ("h", "v")[::turn]
    return f"M{x + gap} {y + gap}{one}{side}{other}{side}{one}-{side}z"


def parts(data: str, texts: str, tmp_path: Path, more: str = "", name: str = "") -> tuple[DrawnMap, Report]:
    return read(tmp_path, drawing(f'<path{name} fill="#000" d="{data}"/>{more}{texts}'))


def test_the_filled_parts_of_one_path_are_regions(tmp_path: Path) -> None:
    result, report = parts("".join(map(square, range(6))), TEXTS, tmp_path)
    assert facts(result)[0] == IDS and facts(result)[2] == LINKS
    (said,) = (d for d in report.diagnostics if d.code == "RS365")
    assert "one shape is read as 6 regions" in said.message and said.help


def test_the_open_parts_between_the_lines_of_one_path_are_regions(tmp_path: Path) -> None:
    lines = "M-4 -4h308v208h-308z" + "".join(square(n, 1, -1) for n in range(6))
    result, report = parts(lines, TEXTS, tmp_path)
    assert facts(result)[0] == IDS and facts(result)[2] == LINKS
    assert [region.fill for region in result.regions] == [""] * 6
    assert "RS365" in {d.code for d in report.diagnostics}


def test_an_enclave_and_its_ring_are_two_parts(tmp_path: Path) -> None:
    lake = '<text x="70" y="80" font-size="6">Fen</text>'
    filled = "".join(square(n) for n in range(6)) + "M62 62v30h30v-30zM64 64h26v26h-26z"
    result, _ = parts(filled, TEXTS + lake, tmp_path)
    assert [region.name for region in result.regions] == [*IDS, "fen"]
    north, fen = result.regions[0], result.regions[-1]
    assert north.outline.count("z") == 2 and fen.outline.count("z") == 1
    assert "fen" in north.touches and "fen" not in result.regions[4].touches


def test_a_part_without_a_text_is_listed(tmp_path: Path) -> None:
    texts = "\n".join(TEXTS.split("\n")[:5])
    result, report = parts("".join(map(square, range(6))), texts, tmp_path)
    assert [region.name for region in result.regions] == IDS[:5]
    assert any("left out: shapes without a name" in d.message for d in report.diagnostics)


def test_a_shape_with_a_name_stays_whole(tmp_path: Path) -> None:
    result, _ = parts("".join(map(square, range(6))), TEXTS, tmp_path, name=' id="realm"')
    assert [region.name for region in result.regions] == ["realm"]


def test_islands_of_one_region_among_others_stay_together(tmp_path: Path) -> None:
    """A few names in its islands are towns, where most names of the drawing stand elsewhere."""
    land = all_(lambda n, name, fill, d: f'<path fill="{fill}" d="{d}"/>' if n < 5 else "")
    isles = "".join(f"M{x} 110h20v60h-20z" for x in (210, 240, 270))
    towns = "".join(f'<text x="{x}" y="150" font-size="3">{name}</text>' for x, name in ((211, "Ay"), (271, "Oy")))
    isle = '<text x="240" y="130" font-size="4">Isles</text>'
    texts = "\n".join(TEXTS.split("\n")[:5])
    result, report = parts(isles, texts + towns + isle, tmp_path, land)
    assert sorted(region.name for region in result.regions) == sorted([*IDS[:5], "isles"])
    assert any("`Ay` in `Isles`" in d.message for d in report.diagnostics)


def test_names_in_lakes_do_not_divide_the_land(tmp_path: Path) -> None:
    """Between lines there is more than the lines themselves cover."""
    lakes = "".join(f"M{x} 50v30h30v-30z" for x in (20, 80, 140, 200))
    names = "".join(f'<text x="{x + 2}" y="70" font-size="6">{NAMES[i]}</text>' for i, x in enumerate((20, 80, 140)))
    other = '<path id="oak" fill="red" d="M0 150h300v50H0z"/>'
    result, _ = parts(f"M0 0h300v200H0z{lakes}", names, tmp_path, other)
    assert [region.name for region in result.regions] == ["oak"]
