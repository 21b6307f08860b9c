"""Drawings with unusual texts for names of regions: each region gets the name that a reader would give it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from six_regions import IDS, NAMES, SIX, SVG, XLINK, Each, all_, corner, drawing, facts, path, read

FEATURE = 'requiredFeatures="http://www.w3.org/TR/SVG11/feature#Extensibility"'
PAGE = 'xmlns="http://www.w3.org/1999/xhtml"'


UNNAMED = all_(lambda n, name, fill, d: f'<path fill="{fill}" d="{d}"/>')


def plain(each: Each) -> str:
    """Shapes with generated names only, and the words in each."""
    return all_(lambda n, name, fill, d: f'<path id="path{n}" fill="{fill}" d="{d}"/>') + all_(each)


def languages() -> str:
    shapes = all_(
        lambda n, name, fill, d: (
            f'<path id="path{n}" fill="{fill}" d="{d}"/><switch><text systemLanguage="de" x="{corner(n)[0] + 50}" '
            f'y="{corner(n)[1] + 50}">Land {n}</text><text x="{corner(n)[0] + 50}" y="{corner(n)[1] + 50}" '
            f'font-size="9" text-anchor="middle">{name}</text></switch>'
        )
    )
    return drawing(
        f'<switch><g systemLanguage="fr"><path id="faux" d="M0 0h300v200h-300z"/></g><g>{shapes}</g></switch>'
    )


def texts_on_paths() -> str:
    lines = all_(lambda n, *_: f'<path id="t{n}" d="M{corner(n)[0] + 10} {corner(n)[1] + 60}q40-30 80 0"/>')
    words = plain(
        lambda n, name, *_: (
            f'<text font-size="9" text-anchor="{"middle" if n % 2 else "start"}"><textPath xlink:href="#t{n}" '
            f'startOffset="{"50%" if n % 2 else "20"}"><tspan x="0">{name}</tspan></textPath></text>'
        )
    )
    return drawing(f"<defs>{lines}</defs>{words}")


def turned_letters() -> str:
    words = plain(
        lambda n, name, *_: (
            f'<text font-size="9" x="{corner(n)[0]}" y="{corner(n)[1]}"><tspan dx="2.5em" dy="5em">{name[:2]}</tspan>'
            f'<tspan rotate="10 20" dx="0 1 1">{name[2:]}</tspan></text>'
        )
    )
    return drawing(words)


def spread_letters() -> str:
    def places(n: int) -> str:
        step = 90 / len(NAMES[n])
        return " ".join(f"{corner(n)[0] + 5 + i * step:.2f}" for i in range(len(NAMES[n])))

    return drawing(
        plain(lambda n, name, *_: f'<text font-size="6" x="{places(n)}" y="{corner(n)[1] + 50}">{name}</text>')
    )


def lines_that_lead() -> str:
    def words(n: int, name: str, *_: str) -> str:
        x, y = corner(n)[0] + 50, corner(n)[1] + 50
        if n % 3 == 2:
            return (
                f'<text x="320" y="{y}" font-size="9">{name}</text>'
                f'<line x1="318" y1="{y - 3}" x2="{x + 20}" y2="{y}" stroke="#000"/>'
            )
        if n == 3:
            d = f"M-20 {y}L{x} {y}"
            return f'<text x="-60" y="{y}" font-size="9">{name}</text><path d="{d}" fill="none" stroke="#000"/>'
        return f'<text x="{x}" y="{y}" font-size="9" text-anchor="middle">{name}</text>'

    return f'<svg {SVG} viewBox="-70 -40 480 280">{plain(words)}</svg>'


def words_below_one_another() -> str:
    def words(n: int, name: str, *_: str) -> str:
        x, y = corner(n)[0] + 50, corner(n)[1] + 50
        lines = (f'<text x="{x}" y="{y + 11 * i}">{word}</text>' for i, word in enumerate(name.split()))
        return f'<g font-size="9" text-anchor="middle">{"".join(lines)}</g><text x="{x}" y="{y - 30}">{n + 2}</text>'

    return drawing(plain(words))


def words_of_a_pdf() -> str:
    """Each word is a text, and occurs twice: a white outline, and the letters on top."""

    def words(n: int, name: str, *_: str) -> str:
        x, y = corner(n)[0] + 20, corner(n)[1] + 50
        first, *rest = name.split()
        at = [(first, x), *((word, x + 5.2 * len(first) + 2) for word in rest)]
        return "".join(f'<text font-size="9" x="{a:.1f}" y="{y}">{word}</text>' for word, a in at + at)

    return drawing(plain(words))


def page_with_cut_words(instead: Callable[[int, str], str]) -> str:
    shapes = all_(
        lambda n, name, fill, d: (
            f'<g data-cell-id="{n}"><path d="{d}" fill="{fill}"/><g transform="translate(-0.5 -0.5)"><switch>'
            f'<foreignObject width="100%" height="100%" {FEATURE}><div {PAGE} style="padding-top: 9px"><div>'
            f"{name.replace(' ', '<br/>')}</div></div></foreignObject>{instead(n, name)}</switch></g></g>"
        )
    )
    notice = '<text x="50%" y="100%" text-anchor="middle" font-size="10px">Text is not SVG</text>'
    return drawing(f"<g>{shapes}</g><switch><g {FEATURE}/>{notice}</switch>")


def cut_words() -> str:
    return page_with_cut_words(
        lambda n, name: (
            f'<text x="{corner(n)[0] + 50}" y="{corner(n)[1] + 54}" text-anchor="middle" font-size="12px">'
            f"{name[:3]}...</text>"
        )
    )


def pictured_words() -> str:
    return page_with_cut_words(
        lambda n, name: (
            f'<image x="{corner(n)[0] + 9}" y="{corner(n)[1] + 40}" width="80" height="17" href="data:image/png"/>'
        )
    )


def pages() -> str:
    return drawing(
        plain(
            lambda n, name, *_: (
                f'<foreignObject x="{corner(n)[0] + 5}" y="{corner(n)[1] + 40}" width="90" height="20"><p {PAGE}>{name}'
                "</p></foreignObject>"
            )
        )
    )


def generated() -> str:
    """Numeric names and labels along paths, as exported by a generator of worlds."""
    shapes = all_(
        lambda n, name, fill, d: (
            f'<path id="state{n + 1}" d="{d}" fill="{fill}" stroke="none"/>'
            f'<path id="state-gap{n + 1}" d="{d}" fill="none" stroke="{fill}"/>'
        )
    )
    lines = all_(lambda n, *_: f'<path id="t{n}" d="M{corner(n)[0] + 10},{corner(n)[1] + 60}c30,-10,50,-10,80,0"/>')
    words = all_(
        lambda n, name, *_: (
            f'<text id="stateLabel{n}"><textPath startOffset="50%" font-size="90%" xlink:href="#t{n}"><tspan x="0">'
            f"{name}</tspan></textPath></text>"
        )
    )
    sea = '<g id="ocean"><rect id="oceanBase" width="300" height="200" fill="#466eab"/></g>'
    return drawing(
        f'<defs>{lines}</defs>{sea}<g id="regions"><g opacity=".4">{shapes}</g></g>'
        f'<g text-anchor="middle" font-size="10">{words}</g>'
    )


def one_text_for_all() -> str:
    """All names in one text, whose parts have places of their own."""
    parts = all_(lambda n, name, *_: f'<tspan x="{corner(n)[0] + 50}" y="{corner(n)[1] + 50}">{name}</tspan>')
    return drawing(f'{UNNAMED}<text font-size="10" text-anchor="middle">{parts}</text>')


def texts_of_columns() -> str:
    """A text for each column, whose second part stands far below the first."""
    texts = "".join(
        f'<text x="{50 + 100 * n}" y="50">{NAMES[n]}<tspan x="{50 + 100 * n}" dy="100">{NAMES[n + 3]}</tspan></text>'
        for n in range(3)
    )
    return drawing(f'{UNNAMED}<g font-size="10" text-anchor="middle">{texts}</g>')


def names_in_groups(right: int = 95, down: int = 50) -> str:
    """A group for each region and its name, which runs into the next region."""
    return drawing(
        all_(
            lambda n, name, fill, d: (
                f'<g><path fill="{fill}" d="{d}"/><text x="{corner(n)[0] + right}" y="{corner(n)[1] + down}" '
                f'font-size="10">{name}</text></g>'
            )
        )
    )


def names_below_in_groups() -> str:
    return names_in_groups(30, 112)


def all_in_one_line() -> str:
    """A file without line ends, in which groups and copies have one place."""
    defs = all_(lambda n, name, fill, d: f'<path id="{IDS[n]}" d="{d}"/>')
    uses = all_(lambda n, name, fill, d: f'<use xlink:href="#{IDS[n]}" fill="{fill}"/>')
    text = f'<defs>{defs}<g id="all">{uses}</g></defs><use xlink:href="#all"/>'
    return f'<svg {SVG} {XLINK} viewBox="0 0 300 200">{text}</svg>'.replace("\n", " ")


def labels_of_a_program() -> str:
    """An `id` by the author, and a label by a program: what some programs write if there is none."""
    ids = ["North_Sea", "Dry_Steppe", "Borg", "Östmark", "Vale", "Cape_Ann"]
    labels = ["#path1949", "#path1949", "#Borg", "#g5454", "#Vale", "#rect8"]
    more = 'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"'
    shapes = all_(
        lambda n, name, fill, d: f'<path id="{ids[n]}" inkscape:label="{labels[n]}" style="fill:{fill}" d="{d}"/>'
    )
    return f'<svg {SVG} {more} viewBox="0 0 300 200">{shapes}</svg>'


def unseen_characters() -> str:
    words = plain(
        lambda n, name, *_: (
            f'<text x="{corner(n)[0] + 50}" y="{corner(n)[1] + 50}" font-size="9" text-anchor="middle">'
            f"{''.join(f'&#{ord(c)};' for c in name[:3])}&#173;{name[3:].replace(' ', '&#160;')}&#8203;</text>"
        )
    )
    return drawing(words)


def letters(words: str, x: float, y: float) -> list[str]:
    """Outlines of letters, some with a hole."""
    results = []
    for letter in words:
        hole = f"M{x + 1.5:g} {y + 2:g}v3h2v-3z" if letter in "oeadbpgRAO" else ""
        low = 2 if letter in "oeanrsvmty" else 0
        results += [f"M{x:g} {y + low:g}h5v{8 - low}h-5z{hole}"] if letter != " " else []
        x += 6.5
    return results


def words_as_outlines() -> str:
    words = all_(
        lambda n, name, *_: f'<path id="{name}" d="{"".join(letters(name, corner(n)[0] + 20, corner(n)[1] + 45))}"/>'
    )
    shapes = all_(lambda n, name, fill, d: f'<path id="Vector {n + 1}" d="{d}" fill="{fill}"/>')
    return drawing(
        f'<g id="Frame 2"><g id="Provinces">{shapes}</g><g id="Names">{words}</g></g>', ' fill="none"'
    ).replace('<g id="Names">', '<g id="Names" fill="black">')


def letters_in_groups() -> str:
    def words(n: int, name: str, *_: str) -> str:
        each = (f'<path class="st9" d="{d}"/>' for d in letters(name, corner(n)[0] + 20, corner(n)[1] + 45))
        return f'<g id="{name.replace(" ", "_x0020_").replace("Ö", "_xD6_")}">{"".join(each)}</g>'

    return drawing(all_(lambda n, name, fill, d: f'<path fill="{fill}" d="{d}"/>') + all_(words))


MANNERS = [
    names_in_groups,
    names_below_in_groups,
    one_text_for_all,
    texts_of_columns,
    all_in_one_line,
    labels_of_a_program,
    languages,
    texts_on_paths,
    turned_letters,
    spread_letters,
    lines_that_lead,
    words_below_one_another,
    words_of_a_pdf,
    cut_words,
    pictured_words,
    pages,
    generated,
    unseen_characters,
    words_as_outlines,
    letters_in_groups,
]


CONCLUDED = [
    names_in_groups,
    names_below_in_groups,
    lines_that_lead,
    words_below_one_another,
    words_of_a_pdf,
    words_as_outlines,
    letters_in_groups,
]
"""The manners whose names are said to be conclusions (RS365)."""


@pytest.mark.parametrize("manner", MANNERS)
def test_the_map_is_what_a_browser_shows(manner: Callable[[], str], tmp_path: Path) -> None:
    result, report = read(tmp_path, manner())
    assert facts(result) == SIX
    codes = {diagnostic.code for diagnostic in report.diagnostics}
    assert codes <= {"RS365", "RS474", "RS564", "RS856", "RS857"}
    assert ("RS365" in codes) == (manner in CONCLUDED)


def test_a_text_that_is_not_the_name_of_its_region_is_said(tmp_path: Path) -> None:
    town = '<rect id="path1" width="200" height="99"/><text x="9" y="30" font-size="20">Vale</text>'
    town += (
        '<text x="20" y="60" font-size="8">Borg</text><rect inkscape:label="Highfells" y="99" width="200" height="99"/>'
    )
    town += '<text x="20" y="160" font-size="8">Fen</text>'
    space = 'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"'
    result, report = read(tmp_path, f'<svg {SVG} {space} viewBox="0 0 200 200">{town}</svg>')
    assert [(region.name, region.title) for region in result.regions] == [("vale", "Vale"), ("highfells", "Highfells")]
    (said,) = (d.message for d in report.diagnostics if d.code == "RS364")
    assert "2 texts are inside a region with a different name: `Fen` in `Highfells`, `Borg` in `Vale`" in said


def test_a_line_between_two_towns_takes_no_name_to_the_other(tmp_path: Path) -> None:
    """Names are beside circles, whose lines connect them."""
    towns = "".join(f'<circle id="circle{n}" cx="{50 + 100 * n}" cy="50" r="8"/>' for n in range(3))
    lines = '<g stroke="#000"><line x1="50" y1="50" x2="150" y2="50"/><line x1="158" y1="50" x2="242" y2="50"/></g>'
    words = '<text x="40" y="40" font-size="10">Borg</text><text x="140" y="40" font-size="10">Vale</text>'
    result, report = read(tmp_path, drawing(towns + lines + words))
    assert [region.name for region in result.regions] == ["circle0", "circle1", "circle2"]
    assert {"RS855", "RS857"} <= {d.code for d in report.diagnostics}


def test_a_label_in_the_sea_with_a_line_is_that_of_the_island(tmp_path: Path) -> None:
    sea = '<path id="path1" d="M0 0h300v200h-300z"/><path id="path2" d="M100 80h20v20h-20z"/>'
    words = '<text x="20" y="180" font-size="9">North Sea</text><text x="140" y="140" font-size="11">Aland</text>'
    line = '<line x1="138" y1="137" x2="{}" y2="{}" stroke="#000"/><path id="path3" d="M200 20h60v60h-60z"/>'
    for end in ((112, 92), (122, 103)):  # inside the island, or slightly before it
        result, _ = read(tmp_path, drawing(sea + words + line.format(*end)))
        assert [region.name for region in result.regions] == ["north_sea", "aland", "path3"]


def test_islands_in_a_row_are_no_letters(tmp_path: Path) -> None:
    """Their common name has as many letters, but their sizes vary, or the region around them has its own name."""
    sea = '<rect id="{}" width="300" height="200" fill="#9ecae9"/><path id="land" d="M0 150h300v50h-300z"/>'
    sizes = "".join(f"M{30 * n} {60 + 9 * (n % 3)}h{4 + 7 * (n % 3)}v{3 + 8 * (n % 2)}z" for n in range(1, 7))
    for name, d in (("rect1", sizes), ("North Sea", "".join(letters("Orkney", 90, 60)))):
        result, _ = read(tmp_path, drawing(f'{sea.format(name)}<path id="Orkney" d="{d}"/>'))
        assert "orkney" in [region.name for region in result.regions]


def test_regions_in_rows_are_no_letters(tmp_path: Path) -> None:
    """Squares on paper, in a group with as many letters in its name, with and without gaps."""
    for step in (40, 48):
        cells = "".join(
            f'<rect x="{20 + n % 3 * step}" y="{20 + n // 3 * step}" width="40" height="40"/>' for n in range(6)
        )
        words = "".join(
            f'<text font-size="9" x="{22 + n % 3 * step}" y="{45 + n // 3 * step}">{name}</text>'
            for n, name in enumerate(NAMES)
        )
        result, _ = read(
            tmp_path, drawing(f'<rect id="rect9" width="300" height="200"/><g id="Boards">{cells}</g>{words}')
        )
        assert [region.name for region in result.regions] == IDS


def test_words_of_programs_for_nothing_are_no_names(tmp_path: Path) -> None:
    shapes = "".join(
        f'<rect aria-label="{word}" x="{9 * n}" width="9" height="9"/>' for n, word in enumerate(("null", "NaN"))
    )
    result, _ = read(
        tmp_path, drawing(f'{shapes}<rect id="undefined" x="18" width="9" height="9"/><path id="oak" d="{path(0)}"/>')
    )
    assert [(region.name, region.origin.source) for region in result.regions] == [
        ("undefined", "program"),
        ("oak", "id"),
    ]


def test_names_of_towns_in_groups_with_their_marks_make_no_regions(tmp_path: Path) -> None:
    towns = all_(
        lambda n, *_: (
            f'<g><circle cx="{corner(n)[0] + 30}" cy="{corner(n)[1] + 30}" r="4" fill="red"/>'
            f'<text x="{corner(n)[0] + 38}" y="{corner(n)[1] + 33}" font-size="9">Town {"ABCDEF"[n]}</text></g>'
        )
    )
    ids = all_(lambda n, name, fill, d: f'<path id="{name}" fill="{fill}" d="{d}"/>')
    result, report = read(tmp_path, drawing(ids + towns))
    assert facts(result) == SIX and {"RS479", "RS564"} <= {d.code for d in report.diagnostics}


@pytest.mark.parametrize(
    "id_, text, unlike",
    [
        ("lazio", "Rome", True),
        ("lazio", "Lazio", False),
        ("LAZIO", "Old Lazio", False),
        ("old_lazio", "Lazio", False),
        ("laz", "Rome", False),
        ("reg12", "Rome", False),
        ("lazio", "12", False),
    ],
)
def test_titles_unlike_ids_are_listed(id_: str, text: str, unlike: bool, tmp_path: Path) -> None:
    shapes = f'<path id="{id_}" d="{path(0)}"/><path id="elm" d="{path(1)}"/><text x="40" y="50">{text}</text>'
    result, report = read(tmp_path, drawing(shapes))
    said = [d.message for d in report.diagnostics if d.code == "RS479"]
    assert bool(said) == unlike and len(result.regions) == 2
    assert not said or f"`{text}` for `{id_}`" in said[0]
