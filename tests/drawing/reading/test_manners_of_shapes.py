"""Drawings with repeated, unfilled, marked or off-page shapes, and texts of unusual widths, as shown by a browser."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from six_regions import FILLS, IDS, NAMES, SIX, SVG, XLINK, all_, corner, drawing, facts, path, read

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.drawing.map_findings import warn
from rulespec.drawing.map_import import regions_of
from rulespec.drawing.reading.contexts import Part
from rulespec.drawing.reading.drawing_kinds import read_source
from rulespec.drawing.reading.svg_tree import MAX_BYTES


def shapes(more: str = "") -> str:
    return all_(lambda n, name, fill, d: f'<path fill="{fill}" {more} d="{d}"/>')


def words(more: str = "", down: float = 50, size: float = 10, names: tuple[str, ...] = NAMES) -> str:
    return "".join(
        f'<text x="{corner(n)[0] + 50}" y="{corner(n)[1] + down}" font-size="{size}" text-anchor="middle" {more}>'
        f"{names[n]}</text>"
        for n in range(6)
    )


def repeated_layers() -> str:
    """A layer of colours and a layer of lines that repeat the same shapes."""
    defs = all_(lambda n, name, fill, d: f'<path id="{IDS[n]}" d="{d}"/>')
    colours = all_(lambda n, name, fill, d: f'<use href="#{IDS[n]}" fill="{fill}"/>')
    lines = all_(lambda n, name, fill, d: f'<use href="#{IDS[n]}"/>')
    return drawing(f'<defs>{defs}</defs>{colours}<g fill="none" stroke="black">{lines}</g>')


def variables_of_copies() -> str:
    """Copies of one shape, each with its own colour."""
    squares = all_(
        lambda n, name, fill, d: (
            f'<use id="{IDS[n]}" href="#s" x="{corner(n)[0]}" y="{corner(n)[1]}" style="--tint:{fill}"/>'
        )
    )
    return drawing(
        f'<defs style="--tint:red"><rect id="s" width="100" height="100" style="fill:var(--tint)"/></defs>{squares}'
    )


def copies_beyond_rules() -> str:
    """Rules apply within a copy: the surroundings of the original do not count."""
    squares = all_(
        lambda n, name, fill, d: f'<use id="{IDS[n]}" href="#s" x="{corner(n)[0]}" y="{corner(n)[1]}" fill="{fill}"/>'
    )
    rules = (
        "<style>.stock rect, rect:last-child:not(:first-child) {display: none} rect:only-child {width: 100px}</style>"
    )
    stock = '<defs><g class="stock"><circle r="9"/><rect id="s" width="50" height="100"/></g></defs>'
    return drawing(f"{rules}{stock}{squares}")


def sized_drawings() -> str:
    """A nested drawing, repeated at another size."""
    inner = '<svg id="s" viewBox="0 0 10 10" width="5" height="5"><rect width="10" height="10"/></svg>'
    squares = all_(
        lambda n, name, fill, d: (
            f'<use id="{IDS[n]}" href="#s" x="{corner(n)[0]}" y="{corner(n)[1]}" width="100" height="100"'
            f' fill="{fill}"/>'
        )
    )
    return drawing(f"<defs>{inner}</defs>{squares}")


def turned_by_style() -> str:
    """Shapes rotated around their own centre, or moved by a style property."""

    def each(n: int, name: str, fill: str, d: str) -> str:
        x, y = corner(n)
        how = ("rotate: 90deg; transform-box: fill-box; transform-origin: center", "translate: 10px 20px")[n % 2]
        shift = (0, 0) if n % 2 == 0 else (10, 20)
        return (
            f'<rect id="{IDS[n]}" x="{x - shift[0]}" y="{y - shift[1]}" width="100" height="100" fill="{fill}"'
            f' style="{how}"/>'
        )

    return drawing(all_(each))


def over_their_shadows() -> str:
    shadows = all_(lambda n, name, fill, d: f'<path opacity=".3" transform="translate(3 3)" d="{d}"/>')
    return drawing(shadows + shapes() + words())


def boxes_behind_names() -> str:
    boxes = all_(
        lambda n, name, fill, d: (
            f'<rect x="{corner(n)[0] + 15}" y="{corner(n)[1] + 38}" width="70" height="16" fill="white" opacity=".7"/>'
        )
    )
    return drawing(shapes() + boxes + words())


def groups_of_one_vector() -> str:
    """The first of a program's shapes has no number."""
    number = ("", *(f"_{n}" for n in range(2, 7)))
    groups = all_(
        lambda n, name, fill, d: (
            f'<g id="{name}"><path id="Vector{number[n]}" d="{d}" fill="{fill}" stroke="black"/></g>'
        )
    )
    return drawing(f'<g id="Frame 1"><rect width="300" height="200" fill="white"/>{groups}</g>')


def dots_in_groups() -> str:
    return drawing(
        all_(
            lambda n, name, fill, d: (
                f'<g id="{IDS[n]}"><path d="{d}" fill="{fill}"/>'
                f'<circle cx="{corner(n)[0] + 50}" cy="{corner(n)[1] + 50}" r="4" fill="white"/></g>'
            )
        )
    )


def spaced_words() -> str:
    """Names so wide that without letter spacing they would end in the previous region."""

    def each(n: int, name: str, *_: str) -> str:
        x, y = corner(n)
        space = (180 - 6 * len(name)) / len(name)
        return f'<text x="{x - 40}" y="{y + 50}" font-size="10" letter-spacing="{space:.2f}">{name}</text>'

    return drawing(shapes() + all_(each))


def stretched_words() -> str:
    def each(n: int, name: str, *_: str) -> str:
        return f'<text x="{corner(n)[0] - 40}" y="{corner(n)[1] + 50}" font-size="10" textLength="180">{name}</text>'

    return drawing(shapes() + all_(each))


def hanging_words() -> str:
    return drawing(shapes() + words('dominant-baseline="hanging"', down=-3, size=30))


def kept_blanks() -> str:
    def each(n: int, name: str, *_: str) -> str:
        at = f'x="{corner(n)[0] - 40}" y="{corner(n)[1] + 50}"'
        return f'<text xml:space="preserve" {at} font-size="10">{" " * 22}{name}</text>'

    return drawing(shapes() + all_(each))


def parts_of_one_letter() -> str:
    def each(n: int, name: str, *_: str) -> str:
        x, y = corner(n)
        letters = (f'<tspan x="{x + 25 + 6 * i}" y="{y + 50}">{letter}</tspan>' for i, letter in enumerate(name))
        return f'<text font-size="10">{"".join(letters)}</text>'

    return drawing(shapes() + all_(each))


def other_languages() -> str:
    german = words(names=tuple(f"Gebiet {n}" for n in "abcdef"), size=14, down=70)
    return drawing(f'{shapes()}<g systemLanguage="de">{german}</g>{words()}<g requiredExtensions="">{shapes()}</g>')


def beyond_the_page() -> str:
    spare = '<rect id="spare" x="400" y="10" width="60" height="60" fill="red"/>'
    return drawing(all_(lambda n, name, fill, d: f'<path id="{IDS[n]}" fill="{fill}" d="{d}"/>') + spare)


MANNERS = (
    *(repeated_layers, variables_of_copies, copies_beyond_rules, sized_drawings, turned_by_style),
    *(over_their_shadows, boxes_behind_names, groups_of_one_vector, dots_in_groups, spaced_words, stretched_words),
    *(hanging_words, kept_blanks, parts_of_one_letter, other_languages, beyond_the_page),
)


@pytest.mark.parametrize("manner", MANNERS)
def test_the_map_is_what_a_browser_shows(manner: Callable[[], str], tmp_path: Path) -> None:
    result, report = read(tmp_path, manner())
    assert facts(result) == SIX
    said = {d.code for d in report.diagnostics} - {"RS474"}
    assert said <= {"RS365", "RS564"}, "boxes behind names; shadows, lines of a layer, and what is beyond the page"


@pytest.mark.parametrize("paper", ["M0 0h300v200h-300z", "M0 0h150v200h-150zM150 0h150v200h-150z"])
def test_names_are_those_of_shapes_drawn_on_paper_without_a_filling(paper: str, tmp_path: Path) -> None:
    lines = all_(lambda n, name, fill, d: f'<path id="path{n}" fill="none" stroke="black" d="{d}"/>')
    result, _ = read(tmp_path, drawing(f'<path fill="#eee" d="{paper}"/>{lines}{words()}'))
    names, _, pairs = facts(result)
    assert (names, pairs) == (SIX[0], SIX[2])


def test_boxes_with_names_are_regions_where_one_land_has_several(tmp_path: Path) -> None:
    """Such drawings are maps of towns and roads."""
    boxes = all_(
        lambda n, name, fill, d: (
            f'<rect x="{corner(n)[0] + 15}" y="{corner(n)[1] + 38}" width="70" height="16" fill="{fill}"/>'
        )
    )
    result, report = read(tmp_path, drawing(f'<path d="M0 0h300v200h-300z" fill="#eee"/>{boxes}{words()}'))
    assert facts(result)[:2] == SIX[:2]
    assert "RS365" not in {d.code for d in report.diagnostics}


def test_boxes_of_a_legend_are_listed(tmp_path: Path) -> None:
    legend = (
        f'<rect x="{x}" y="220" width="60" height="20" fill="{fill}"/>'
        f'<text x="{x + 9}" y="233" font-size="8">{word}</text>'
        for x, fill, word in ((10, FILLS[0], "Sea"), (110, FILLS[1], "Land"))
    )
    text = f'<svg {SVG} {XLINK} viewBox="0 0 300 260">{shapes()}{words()}{"".join(legend)}</svg>'
    _, report = read(tmp_path, text)
    (said,) = [d for d in report.diagnostics if d.code == "RS485"]
    assert "`sea`, `land`" in said.message and "--not Sea" in said.help
    result, report = read(tmp_path, text, Part(without=("Sea", "land")))
    assert facts(result) == SIX and "RS485" not in {d.code for d in report.diagnostics}
    with pytest.raises(DiagnosticsError, match="--not names `lake`"):
        read(tmp_path, text, Part(without=("lake",)))


def test_what_lies_beyond_the_page_is_said_and_kept_if_it_is_the_map(tmp_path: Path) -> None:
    _, report = read(tmp_path, beyond_the_page())
    assert any("beyond the page" in d.message for d in report.diagnostics)
    moved = beyond_the_page().replace('viewBox="0 0 300 200"', 'viewBox="390 0 300 200"')
    result, _ = read(tmp_path, moved)
    assert len(result.regions) == 7


def test_a_packed_drawing_is_read_within_bounds(tmp_path: Path) -> None:
    (tmp_path / "Map.SVGZ").write_bytes(gzip.compress(drawing(shapes() + words()).encode()))
    report = Report()
    result = regions_of(read_source(tmp_path / "Map.SVGZ", report))
    warn(result, report)
    assert facts(result) == SIX
    for data, why in (
        (gzip.compress(bytes(MAX_BYTES + 1)), "8 MB"),
        (b"\x1f\x8b" + bytes(60), "damaged"),
    ):
        (tmp_path / "map.svgz").write_bytes(data)
        with pytest.raises(DiagnosticsError) as raised:
            read_source(tmp_path / "map.svgz")
        (refusal,) = raised.value.diagnostics
        assert refusal.code == "RS561" and why in refusal.message


def test_more_texts_than_are_read_are_said(tmp_path: Path) -> None:
    towns = "".join(f'<text x="{n % 290}" y="9" font-size="2">Town {n}</text>' for n in range(1_100))
    _, report = read(tmp_path, drawing(shapes() + words() + towns))
    assert any("texts after the first 1,000 (the first of 106)" in d.message for d in report.diagnostics)


def test_rules_in_rules_are_said(tmp_path: Path) -> None:
    _, report = read(tmp_path, drawing(f"<style>g {{ path {{fill: red}} }}</style>{shapes()}{words()}"))
    assert any(d.code == "RS850" and "nested rules" in d.message for d in report.diagnostics)


@pytest.mark.parametrize("look", ['fill="none"', 'fill="red" opacity="0"', 'style="fill-opacity: 0"'])
def test_areas_over_a_picture_are_the_map_if_nothing_else_is(look: str, tmp_path: Path) -> None:
    picture = '<rect width="300" height="200" fill="white"/><image href="board.png" width="300" height="200"/>'
    shapes = all_(lambda n, name, fill, d: f'<path id="{name}" {look} d="{d}"/>')
    result, report = read(tmp_path, drawing(picture + shapes))
    assert facts(result)[0] == SIX[0] and facts(result)[2] == SIX[2]
    assert [d.message for d in report.diagnostics if d.code == "RS477"] == [
        "read as regions: 6 invisible shapes, with neither a fill nor a line"
    ]
    result, report = read(tmp_path, drawing(shapes + f'<path id="oak" d="{path(0)}"/><path id="elm" d="{path(1)}"/>'))
    assert facts(result)[0] == ["oak", "elm"] and "RS477" not in {d.code for d in report.diagnostics}


def test_a_picture_in_a_drawing_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(DiagnosticsError) as raised:
        read(tmp_path, drawing('<image href="board.png" width="300" height="200"/>'))
    assert "--map board.png" in raised.value.diagnostics[0].help


def test_boxes_of_a_legend_that_touch_are_listed_and_those_of_small_regions_are(tmp_path: Path) -> None:
    shapes = all_(lambda n, name, fill, d: f'<path id="{name}" fill="{fill}" d="{d}"/>')
    rows = "".join(
        f'<rect x="310" y="{20 + 22 * i}" width="60" height="22" fill="{fill}"/><text x="320" y="{33 + 22 * i}" '
        f'font-size="8">{word}</text>'
        for i, (fill, word) in enumerate((("#9ecae9", "Sea"), ("#d0c090", "Land")))
    )
    small = '<rect id="Vale_1" x="310" y="100" width="20" height="20" fill="#d0c090"/>'
    small += '<rect id="Borg_1" x="310" y="120" width="20" height="20" fill="#c83737"/>'
    text = drawing(shapes + rows + small).replace('viewBox="0 0 300 200"', 'viewBox="0 0 400 200"')
    _, report = read(tmp_path, text)
    (said,) = [d for d in report.diagnostics if d.code == "RS485"]
    assert "`sea`, `land`, `vale_1`, `borg_1`" in said.message and "--not sea" in said.help.lower()


def test_a_box_with_a_text_among_regions_with_ids_is_listed(tmp_path: Path) -> None:
    cells = "".join(f'<rect id="c{i}" x="{10 * i}" width="10" height="30"/>' for i in range(11))
    box = '<rect x="20" y="40" width="60" height="20"/><text x="30" y="55" font-size="12">Spring</text>'
    nameless = cells.replace("id=", "x-id=")
    for regions, listed in ((cells, True), (cells.replace('id="c10"', ""), True), (nameless, False)):
        result, report = read(tmp_path, drawing(regions + box))
        said = [d.help for d in report.diagnostics if d.code == "RS478"]
        assert bool(said) == listed and "spring" in [region.name for region in result.regions]
        assert all("--not Spring" in help_ for help_ in said)


@pytest.mark.parametrize("named", [False, True])
def test_numbers_in_circles_are_marks_of_the_regions_they_lie_in(named: bool, tmp_path: Path) -> None:
    def circle(n: int) -> str:
        x, y = corner(n)[0] + 75, corner(n)[1] + 25
        return f'<circle cx="{x}" cy="{y}" r="8" fill="white"/><text x="{x - 3}" y="{y + 3}" font-size="10">{n}</text>'

    circles = "".join(map(circle, range(6)))
    ids = all_(lambda n, name, fill, d: f'<path id="{name}" fill="{fill}" d="{d}"/>')
    result, report = read(tmp_path, drawing((ids if named else shapes() + words()) + circles))
    assert facts(result) == SIX
    assert any("boxes around numbers, one in each region (the first of 6)" in d.message for d in report.diagnostics)
    sea = '<rect id="sea" width="300" height="200"/>'
    result, _ = read(tmp_path, drawing(sea + circles))
    assert facts(result)[0] == ["sea", "0", "1", "2", "3", "4", "5"], "they are the regions"


def test_a_circle_behind_a_name_is_none(tmp_path: Path) -> None:
    circles = all_(lambda n, *_: f'<circle cx="{corner(n)[0] + 50}" cy="{corner(n)[1] + 47}" r="28" fill="white"/>')
    result, _ = read(tmp_path, drawing(shapes() + circles + words()))
    assert facts(result) == SIX
