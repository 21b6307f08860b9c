"""Inherited looks in a drawing: texts are at their visible positions, and shapes have their visible colours."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from limits import soon

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.drawing.map_findings import warn
from rulespec.drawing.map_import import ImportedRegion, regions_of
from rulespec.drawing.reading.sketch import read_sketch

WEST, EAST = '<rect id="path1" width="60" height="50"/>', '<rect id="path2" x="60" width="60" height="50"/>'
STEPPE, BORG = '<text x="30" y="25">Dry Steppe</text>', '<text x="90" y="25">Borg</text>'


def imported(tmp_path: Path, body: str, root: str = "", head: str = "") -> tuple[list[ImportedRegion], Report]:
    text = f'{head}<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100" {root}>{body}</svg>'
    (tmp_path / "map.svg").write_text(text, "utf-8")
    report = Report()
    drawn = regions_of(read_sketch(tmp_path / "map.svg", report))
    warn(drawn, report)
    left = [d for d in report.diagnostics if d.code not in ("RS855", "RS857", "RS906")]
    report = Report()
    report.extend(left)
    return drawn.regions, report


def names(tmp_path: Path, body: str, root: str = "") -> list[str]:
    return [region.name for region in imported(tmp_path, WEST + EAST + body, root)[0]]


@pytest.mark.parametrize(
    "group",
    [
        'style="font-size:4px"',
        'font-size="4"',
        'font-size="3pt"',
        'font-size="1mm"',
        'font-size=".4e1"',
        'style="font-size:25%"',
        'style="font-size:.25em"',
        'style="font:italic 400 4px/1.2 serif"',
        'font-size="40" style="font-size: 4px !important"',
        'style="font-size:16px;/* as seen */font-size:4px"',
        'font-size="9" style="font-size:20px;font:9px serif;font-size:4px"',
        'font-size="90" style="font:4px serif;font:bogus"',
        'class="small"',
        'class="small" font-size="90"',
        'class="other small" style="font-size: bogus"',
    ],
)
def test_the_size_of_a_text_is_that_of_its_group(group: str, tmp_path: Path) -> None:
    sheet = "<style>.small{font-size:4px} .other{font-size:90px} .other.small{font-size:4px}</style>"
    assert names(tmp_path, f"{sheet}<g {group}>{STEPPE}{BORG}</g>") == ["dry_steppe", "borg"]


def test_sizes_are_parts_of_those_around_them(tmp_path: Path) -> None:
    assert names(tmp_path, STEPPE + BORG, root='font-size="4"') == ["dry_steppe", "borg"]
    nested = f'<g font-size="8px"><g style="font-size:50%"><g font-size="inherit">{STEPPE}{BORG}</g></g></g>'
    assert names(tmp_path, nested) == ["dry_steppe", "borg"]
    spans = '<text x="30" y="25"><tspan font-size="4">Dry <tspan font-size="2em">Steppe</tspan></tspan></text>'
    assert names(tmp_path, spans + BORG.replace("<text", '<text font-size="smaller" style="font-size:4px"')) == [
        "dry_steppe",
        "borg",
    ]


def test_the_anchor_of_a_text_is_that_of_its_group(tmp_path: Path) -> None:
    long = [
        text.replace("Dry Steppe", "Dry Steppe of old").replace("Borg", "Borg in the east") for text in (STEPPE, BORG)
    ]
    for how in ('text-anchor="middle"', 'style="text-anchor:middle"', 'text-anchor="end" style="text-anchor: middle"'):
        assert names(tmp_path, f'<g font-size="7" {how}>{"".join(long)}</g>') == [
            "dry_steppe_of_old",
            "borg_in_the_east",
        ]


def test_shapes_and_texts_have_the_same_units(tmp_path: Path) -> None:
    shapes = '<rect id="path1" width="20mm" height="1cm"/><circle id="path2" cx="30mm" cy="5mm" r="10mm"/>'
    texts = '<g font-size="1mm"><text x="10mm" y="5mm">Dry Steppe</text><text x="30mm" y="5mm">Borg</text></g>'
    regions, _ = imported(tmp_path, shapes + texts)
    assert [region.name for region in regions] == ["dry_steppe", "borg"]
    shapes = '<rect id="path1" width="1in" height="30"/><rect id="path2" x="72pt" width="60" height="30"/>'
    regions, _ = imported(tmp_path, shapes + '<text font-size="4" x="94" y="9" text-anchor="end">Fen</text>')
    assert [(region.name, region.touches) for region in regions] == [("fen", ("path2",)), ("path2", ("fen",))]


def test_the_direction_of_writing_is_that_of_the_group(tmp_path: Path) -> None:
    back = '<g style="direction:rtl"><text x="118" y="25" font-size="7">Borg in the east</text></g>'
    assert names(tmp_path, back) == ["path1", "borg_in_the_east"]
    down = '<g writing-mode="tb"><text x="90" y="1" font-size="7">Borg</text><text x="57" y="2">Steppe</text></g>'
    assert names(tmp_path, down) == ["steppe", "borg"]
    level = (
        '<g style="WRITING-MODE: vertical-rl"><text style="writing-mode:horizontal-tb" x="40" y="9">Steppe</text></g>'
    )
    assert names(tmp_path, level) == ["path1", "steppe"]


def test_a_text_begins_where_its_first_part_does(tmp_path: Path) -> None:
    parted = '<text font-size="4">\n  <tspan x="90" y="25">Borg</tspan>\n</text>'
    halves = '<text font-size="4" y="25"><tspan x="30">Dry Steppe</tspan></text>'
    assert names(tmp_path, parted + halves) == ["dry_steppe", "borg"]
    steps = (
        '<text font-size="4" x="0" y="25" dx="90">Borg</text><text font-size="4" x="2em" dx="5.5em" y="25">Fen</text>'
    )
    assert names(tmp_path, steps) == ["fen", "borg"]
    titled = '<text font-size="4" x="90" y="25"><title>a town</title>Borg<tspan display="none">!</tspan></text>'
    assert names(tmp_path, titled) == ["path1", "borg"]


@pytest.mark.parametrize(
    "text",
    [
        '<text><textPath href="#gone">Borg</textPath></text>',
        '<text x="5vw" y="25">Borg</text>',
        '<text x="30" y="25" font-size="3vw">Borg</text>',
        '<text x="30" y="25" font-size="calc(1px + 3px)">Borg</text>',
        '<text x="30" y="25" style="font:var(--small)">Borg</text>',
    ],
)
def test_a_text_whose_place_is_not_known_is_left_out_with_a_notice(text: str, tmp_path: Path) -> None:
    regions, report = imported(tmp_path, WEST + EAST + text)
    assert [region.name for region in regions] == ["path1", "path2"]
    assert [(d.code, "texts" in d.message) for d in report.diagnostics] == [("RS564", True)]


def test_of_two_texts_the_one_that_is_seen_larger_is_the_name(tmp_path: Path) -> None:
    small = '<text x="5" y="40" font-size="9">2</text>'
    assert names(tmp_path, small + '<g transform="scale(5)"><text x="1" y="4" font-size="3">Fen</text></g>')[0] == "fen"


def test_a_river_takes_no_text_from_the_region_that_it_flows_through(tmp_path: Path) -> None:
    river = '<path id="river" style="fill:none;stroke:blue" d="M 5,5 C 60,10 20,40 40,45"/><g font-size="4">'
    regions, _ = imported(tmp_path, WEST + EAST + river + '<text x="30" y="20">Highfells</text></g>')
    assert [(r.name, r.title) for r in regions] == [("highfells", "Highfells"), ("path2", "")]


def test_a_shape_without_a_colour_has_not_that_of_its_group(tmp_path: Path) -> None:
    shapes = {
        "own": 'fill="#FC0"',
        "group": "",
        "none": 'fill="none"',
        "clear": 'style="fill:transparent"',
        "loud": 'style="fill:#fc0 ! important"',
        "said": 'fill="red" style="fill: inherit"',
        "shaded": 'fill="url(#shade)"',
    }
    body = "".join(
        f'<rect id="{name}" x="{9 * i}" width="9" height="9" {how}/>' for i, (name, how) in enumerate(shapes.items())
    )
    regions, _ = imported(tmp_path, f'<g fill="#9ecae9">{body}</g>')
    assert {r.name: r.fill for r in regions} == {
        "own": "#ffcc00",
        "group": "#9ecae9",
        "loud": "#ffcc00",
        "said": "#9ecae9",
        "shaded": "url(#shade)",
    }


def test_a_group_with_parts_of_two_colours_has_both_of_them(tmp_path: Path) -> None:
    parts = '<rect {} width="9" height="9"/><rect {} x="20" width="9" height="9"/>'
    for one, other, fill in (
        ('fill="red"', 'fill="#00f"', "#ff0000 and #0000ff"),
        ('fill="red"', "", "#ff0000 and #ffcc00"),
        ('fill="none"', 'fill="red"', "#ff0000"),
        ('style="FILL:red"', 'fill="rgb(100% 0% 0%)"', "#ff0000"),
        ("", "", "#ffcc00"),
    ):
        regions, _ = imported(tmp_path, f'<g id="isles" fill="#fc0">{parts.format(one, other)}</g>')
        assert [r.fill for r in regions] == [fill]


@pytest.mark.parametrize(
    "sheet",
    [
        ".sea{fill:#9ecae9}",
        "rect.sea, .none {fill: #9ecae9 /* water */; stroke: red}",
        "@media screen {.sea{fill:rgb(158 202 233)}}",
        "@media print {.sea{fill:red}} g > .sea {fill:#9ecae9}",
        ".sea{fill:#9ecae9 !important} #cape{fill:red}",
        "#cape{fill:#9ecae9} .sea{fill:red}",
        ".sea{fill:#9ecae9} .sea{fill:bogus(1)}",
        "[id^=ca]{fill:#9ecae9} rect:not(.sea){fill:red}",
        "g rect + rect {fill: red} g :nth-child(1) {fill:#9ecae9}",
        "*{fill:red} svg .sea:first-child{fill:#9ecae9}",
        ".sea{fill:#9ecae9} rect:hover, .sea:hover{fill:red}",
        "svg|rect.sea{fill:#9ecae9} :is(g, .sea)::after{fill:red}",
    ],
)
def test_a_style_sheet_gives_colours(sheet: str, tmp_path: Path) -> None:
    cape = '<g><rect id="cape" class="reef sea" width="9" height="9" fill="green"/></g>'
    for body in (f"<style>{sheet}</style>{cape}", f"{cape}<defs><style><![CDATA[{sheet}]]></style></defs>"):
        regions, _ = imported(tmp_path, body)
        assert [r.fill for r in regions] == ["#9ecae9"]


def test_a_style_sheet_hides(tmp_path: Path) -> None:
    body = WEST + EAST.replace("<rect", '<rect class="old"') + STEPPE.replace("<text", '<text class="old"')
    regions, report = imported(tmp_path, f"<style>.old{{display:none}}</style>{body}")
    assert [r.name for r in regions] == ["path1"] and report.diagnostics == ()


@pytest.mark.parametrize(
    "sheet, part",
    [
        ("@import url(other.css);", "`@import`"),
        ("@supports (fill: red) {.sea{fill:red}}", "`@supports`"),
        ("@media (min-width: 9px) {.sea{fill:red}}", "`@media (min-width: 9px)`"),
        (".sea:has(path){fill:red}", "`.sea:has(path) {…}`"),
        ("g::part(x) > rect{display:none}", "`g::part(x) > rect {…}`"),
        ("@media not print {.sea{fill:red}}", "`@media not print`"),
        (".sea{fill: color-mix(in srgb, red, blue)}", "`fill: color-mix(in srgb, red, blue)`"),
        (".sea{fill: rgb(from red r g b)}", "`fill: rgb(from red r g b)`"),
        (".sea{fill: oklch(60% 0.1 50)}", "`fill: oklch(60% 0.1 50)`"),
        ("path{d: path('M0 0h9v9')}", "`d: path"),
        (".sea{all: unset}", "`all: unset`"),
        (".sea{animation: flow 3s}", "`animation: flow 3s`"),
        (".sea{offset-path: ray(9deg)}", "`offset-path: ray(9deg)`"),
    ],
)
def test_what_is_not_read_of_a_style_sheet_is_said(sheet: str, part: str, tmp_path: Path) -> None:
    _, report = imported(tmp_path, f"<style>\n{sheet}</style>{WEST}")
    (diagnostic,) = report.diagnostics
    assert diagnostic.code == "RS850" and part in diagnostic.message and diagnostic.help
    assert diagnostic.span is not None and diagnostic.span.line == 2


@pytest.mark.parametrize(
    "body, part",
    [
        ('<rect id="oak" width="9" height="9" fill="color-mix(in srgb, red, blue)"/>', "`fill: color-mix("),
        ('<rect id="oak" width="9" height="9" fill="Highlight"/>', "`fill: Highlight`"),
        (
            '<g color="accentcolor"><rect id="oak" width="9" height="9" fill="currentColor"/></g>',
            "`color: accentcolor`",
        ),
        (
            '<g style="color-scheme: only dark"><rect id="oak" width="9" height="9" fill="light-dark(red, blue)"/></g>',
            "`color-scheme: dark`",
        ),
        ('<rect id="oak" width="9" height="9" style="animation: flow 3s"/>', "`animation: flow 3s`"),
        ('<rect id="oak" width="9" height="9"><set attributeName="x" to="100"/></rect>', "`<set>`"),
        (
            '<g><rect id="oak" width="9" height="9"/><animateTransform begin="0s" to="2"/></g>',
            "`<animateT",
        ),
        ('<rect id="oak" width="9" height="9"/><script>draw()</script>', "`<script>`"),
        (
            '<style media="(width > 9px)">a{fill:red}</style><rect id="oak" width="9" height="9"/>',
            "(width &gt; 9px)",
        ),
    ],
)
def test_what_only_a_browser_does_is_said(body: str, part: str, tmp_path: Path) -> None:
    _, report = imported(tmp_path, f"\n{body}")
    (diagnostic,) = report.diagnostics
    assert diagnostic.code == "RS850" and part.replace("&gt;", ">") in diagnostic.message
    assert diagnostic.span is not None and diagnostic.span.line == 2


@pytest.mark.parametrize(
    "body",
    [
        '<rect id="oak" width="9" height="9" fill="var(--none, red)"/>',
        '<rect id="oak" width="9" height="9" fill="red"><set begin="mouseover" attributeName="x" to="100"/></rect>',
        '<rect id="oak" width="9" height="9" fill="url(#none) red"/>',
        '<rect id="oak" width="9" height="9" fill="red" style="animation: none"/>',
        '<rect id="oak" width="9" height="9" fill="red" style="fill: nonsense"/>',
    ],
)
def test_what_a_browser_does_not_show_is_not_said(body: str, tmp_path: Path) -> None:
    regions, report = imported(tmp_path, body)
    assert [(r.name, r.fill) for r in regions] == [("oak", "#ff0000")] and report.diagnostics == ()


def test_a_style_sheet_of_another_file_is_said_and_one_of_lines_is_not(tmp_path: Path) -> None:
    _, report = imported(tmp_path, WEST, head='<?xml-stylesheet href="map.css"?>')
    assert [d.code for d in report.diagnostics] == ["RS850"]
    _, report = imported(
        tmp_path, "<style>.b{stroke:#333}/* fill: red */ ::selection{color-scheme:dark}</style>" + WEST
    )
    assert report.diagnostics == ()


@pytest.mark.parametrize(
    "sheet",
    [
        ":not(" * 10_000,
        ".a " * 60_000 + "{fill:red}",
        ".a{fill:red}" * 6_000,
        pytest.param("* * * * * * * * * * * * {fill:red}" * 400, marks=pytest.mark.proof),
        pytest.param("g ~ g ~ g ~ g ~ g ~ rect, rect ~ rect ~ rect ~ rect {fill:red}" * 200, marks=pytest.mark.proof),
        "{" * 20_000,
        "[" * 20_000,
        "rect{fill:" + "(" * 20_000 + "}",
        "rect{fill:" + ")(]" * 20_000 + "}",
        "rect{fill:red}" * 100_000,
    ],
    ids=["nots", "parts", "rules", "ancestors", "neighbours", "braces", "brackets", "values", "mixed", "long"],
)
@pytest.mark.sampled(2)
def test_style_sheets_that_want_to_take_long_do_not(sheet: str, tmp_path: Path) -> None:
    body = "<g>" * 40 + '<rect class="a" width="9" height="9"/>' * 3_000 + "</g>" * 40 + WEST
    with soon(), contextlib.suppress(DiagnosticsError):
        imported(tmp_path, f"<style>{sheet}</style>{body}")


@pytest.mark.parametrize(
    "paint, colour",
    [
        ("CanvasText", "#000000"),
        ("buttonface", "#efefef"),
        ("-webkit-link", "#0000ee"),
        ("light-dark(red, blue)", "#ff0000"),
        ("light-dark(rgb(1, 2, 3), Canvas)", "#010203"),
        ("Light-Dark(currentColor, red)", "#00ff00"),
        ("url(#gone) GrayText", "#808080"),
        ("light-dark(red)", "#123456"),
        ("light-dark(none, red)", "#123456"),
        ("hsl(90, 10, 10)", "#123456"),
        ("hsl(120 50% 50%)", "#40bf40"),
        ("url(#gone) url(#oak)", "#123456"),
    ],
)
def test_colours_of_a_scheme_and_of_the_system_are_those_of_a_light_screen(
    paint: str, colour: str, tmp_path: Path
) -> None:
    shape = f'<rect id="oak" width="9" height="9" fill="#123456" style="fill: {paint}"/>'
    regions, report = imported(tmp_path, f'<g color="lime">{shape}</g>')
    assert [region.fill for region in regions] == [colour]
    assert [d.code for d in report.diagnostics] == (["RS850"] if colour == "#123456" else [])


def test_a_dark_scheme_that_no_colour_depends_on_is_no_doubt(tmp_path: Path) -> None:
    _, report = imported(tmp_path, '<g style="color-scheme: dark"><rect id="oak" width="9" height="9"/></g>')
    assert report.diagnostics == ()


def test_a_group_replaced_by_its_content_moves_nothing(tmp_path: Path) -> None:
    shape = '<rect id="oak" width="50" height="50"/><rect id="elm" x="50" width="50" height="50"/>'
    plain, _ = imported(tmp_path, shape)
    moved, _ = imported(tmp_path, f'<g style="display: contents; opacity: 0" transform="translate(50 9)">{shape}</g>')
    assert moved == plain


@pytest.mark.parametrize(
    "how", ['rx="auto" ry="40"', 'rx="none" ry="40"', 'rx="40." ry="40"', 'style="rx: 0; ry: 40px"']
)
def test_a_radius_that_is_no_length_is_0(how: str, tmp_path: Path) -> None:
    with contextlib.suppress(DiagnosticsError):
        assert imported(tmp_path, f'<ellipse id="oak" cx="50" cy="50" {how}/>')[0] == []
    regions, _ = imported(tmp_path, '<ellipse id="oak" cx="50" cy="50" style="rx: auto; ry: 40px"/>')
    assert len(regions) == 1


def test_the_words_of_a_page_stand_where_their_text_does(tmp_path: Path) -> None:
    """The fallback text has its own size and anchor."""
    shapes = "".join(f'<rect x="{30 * i}" width="30" height="50" fill="red"/>' for i in range(3))
    labels = "".join(
        f'<switch><foreignObject requiredFeatures="x"><div>{name} Land</div></foreignObject>'
        f'<text x="{30 * i + 15}" y="25" font-size="4px" text-anchor="middle">{name}...</text></switch>'
        for i, name in enumerate(("Oak", "Elm", "Ash"))
    )
    regions, _ = imported(tmp_path, shapes + labels)
    assert [region.label for region in regions] == ["Oak Land", "Elm Land", "Ash Land"]


def glyphs(words: str, comment: str, at: str) -> str:
    uses = "".join(
        f'<use xlink:href="#Sans-{ord(letter):x}" transform="translate({60 * i} 0)"/>'
        for i, letter in enumerate(words)
        if letter != " "
    )
    letters = "".join(
        f'<path id="Sans-{ord(c):x}" d="M0 0h2000v4000h-2000z" transform="scale(.015625)"/>' for c in {*words} - {" "}
    )
    return f"<!-- {comment} -->\n<g transform='translate({at}) scale(.05 -.05)'><defs>{letters}</defs>{uses}</g>"


def test_glyphs_of_a_plot_are_the_words_of_their_comment(tmp_path: Path) -> None:
    space = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
    texts = f'<g id="text_1">{glyphs("North", "North", "10 20")}{glyphs("Sea", "Sea", "10 26")}</g>'
    texts += f'<g id="text_2">{glyphs("Holt & Heath", "Holt &amp; Heath", "65 25")}</g>'
    regions, report = imported(tmp_path, WEST + EAST + texts, space)
    assert [region.label for region in regions] == ["North Sea", "Holt & Heath"]
    assert [d.code for d in report.diagnostics] == ["RS365"]


def test_a_comment_before_other_shapes_is_no_text(tmp_path: Path) -> None:
    space = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
    towns = glyphs("AB", "North", "10 20")
    regions, _ = imported(tmp_path, WEST.replace("path1", "oak") + towns, space)
    assert [region.name for region in regions if region.name == "north"] == []
