"""Drawings in the styles of common programs: the map has their names, colours and neighbours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from six_regions import FILLS, IDS, SIX, SVG, XLINK, all_, classes, corner, facts, path, read

from rulespec.drawing.outlines import area, rings_of


def inkscape() -> str:
    shapes = all_(lambda n, name, fill, d: f'<path id="path{10 + n}" style="fill:{fill};stroke:#000" d="{d}"/>')
    texts = all_(
        lambda n, name, fill, d: (
            f'<text xml:space="preserve" id="text{n}" x="{corner(n)[0] + 50}" y="{corner(n)[1] + 50}">'
            f'<tspan sodipodi:role="line" id="tspan{n}" x="{corner(n)[0] + 50}">{name}</tspan></text>'
        )
    )
    more = 'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" xmlns:sodipodi="http://s.example/s.dtd"'
    return f"""<?xml version="1.0"?><svg {SVG} {more} width="300mm" height="200mm" viewBox="0 0 300 200">
      <sodipodi:namedview id="base"/><metadata><cc:Work xmlns:cc="http://cc.example/"><title>x</title></cc:Work></metadata>
      <g inkscape:groupmode="layer" id="layer1" inkscape:label="Paper"><rect id="rect1" width="300" height="200"
        style="fill:#ffe"/></g><g inkscape:groupmode="layer" id="layer2" inkscape:label="Land">{shapes}</g>
      <g inkscape:groupmode="layer" id="layer3" inkscape:label="Names" style="font-size:8px;text-anchor:middle">{texts}
        <text id="t" x="150" y="-5" style="font-size:30px">The Board</text></g></svg>"""


def illustrator() -> str:
    shapes = all_(
        lambda n, name, fill, d: (
            f'<path id="{name.replace(" ", "_")}" data-name="{name}" class="cls-{n}" d="{d}"/>'
            f'<text class="cls-9" transform="translate({corner(n)[0] + 90} {corner(n)[1] + 20})"><tspan class="cls-8">'
            f"{n}</tspan></text>"
        )
    )
    sheet = f"{classes()}.cls-8{{letter-spacing:.01em}}.cls-9{{font-size:9px;font-family:Arial}}"
    return f"""<svg id="Layer_1" data-name="Layer 1" {SVG} viewBox="0 0 300 200"><defs><style>{sheet}</style></defs>
      <title>board</title><g id="Land">{shapes}</g></svg>"""


def illustrator_of_old() -> str:
    shapes = all_(
        lambda n, name, fill, d: (
            f'<path id="{name.replace(" ", "_x0020_").replace("Ö", "_xD6_")}_1_" fill="{fill}" d="{d}"/>'
        )
    )
    entities = (
        '<!ENTITY ns_svg "http://www.w3.org/2000/svg"><!ENTITY ns_ai "http://ns.adobe.com/AdobeIllustrator/10.0/">'
    )
    return f"""<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd" [{entities}]>
      <svg version="1.1" id="Layer_1" xmlns:i="&ns_ai;" xmlns="&ns_svg;" viewBox="0 0 300 200"><switch>
      <foreignObject requiredExtensions="&ns_ai;"><rect id="odd" width="9" height="9"/></foreignObject>
      <g i:extraneous="self">{shapes}</g></switch></svg>"""


def affinity() -> str:
    shapes = all_(
        lambda n, name, fill, d: (
            f'<g transform="matrix(1,0,0,1,-40,0)"><path id="{name.replace(" ", "-")}" serif:id="{name}" '
            f'd="{path(n, 1, 40)}" style="fill:{fill};stroke:black;stroke-width:1px;"/></g>'
        )
    )
    return f"""<svg width="100%" height="100%" viewBox="0 0 300 200" {SVG} xmlns:serif="http://www.serif.com/"
      style="fill-rule:evenodd;clip-rule:evenodd;"><g id="Map" serif:id="Map of the world">{shapes}</g></svg>"""


def libreoffice() -> str:
    shapes = all_(
        lambda n, name, fill, d: (
            f'<g class="com.sun.star.drawing.ClosedBezierShape"><g id="id{n + 3}">'
            f'<rect class="BoundingBox" stroke="none" fill="none" x="{corner(n)[0] * 100}" y="{corner(n)[1] * 100}" '
            f'width="10003" height="10003"/><path fill="{fill}" stroke="none" d="{path(n, 100)}"/>'
            f'<path fill="none" stroke="rgb(52,101,164)" d="{path(n, 100)}"/><text class="SVGTextShape">'
            f'<tspan class="TextParagraph" font-family="Liberation Sans" font-size="635px"><tspan class="TextPosition" '
            f'x="{corner(n)[0] * 100 + 3000}" y="{corner(n)[1] * 100 + 5000}"><tspan fill="rgb(0,0,0)">{name}</tspan>'
            "</tspan></tspan></text></g></g>"
        )
    )
    return f"""<svg version="1.2" width="300mm" height="200mm" viewBox="0 0 30000 20000" {SVG} fill-rule="evenodd">
      <g class="ClipPathGroup"><clipPath id="c" clipPathUnits="userSpaceOnUse"><rect width="30000" height="20000"/>
      </clipPath></g><g class="SlideGroup"><g><g id="container-id1"><g id="id1" class="Slide" clip-path="url(#c)">
      <g class="Page">{shapes}</g></g></g></g></g></svg>"""


def jdip() -> str:
    shapes = all_(
        lambda n, name, fill, d: f'<path id="_{IDS[n]}" class="c{n}" d="{d}"/>',
    )
    mouse = all_(lambda n, name, fill, d: f'<g id="{IDS[n]}"><path d="{d}"/></g>')
    towns = all_(
        lambda n, *_: f'<use xlink:href="#Town" id="sc_{IDS[n]}" x="{corner(n)[0] + 9}" y="{corner(n)[1] + 9}"/>'
    )
    sheet = "".join(f".c{n}{{fill:{fill}}}" for n, fill in enumerate(FILLS)) + ".hidden{fill:white;visibility:hidden}"
    more = '<!ENTITY % svgExt "| j:DATA"><!ELEMENT j:DATA ANY><!ATTLIST j:DATA xmlns:j CDATA #FIXED "http://j.x/">'
    return f"""<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.0//EN" "svg10.dtd" [{more}]>
      <svg {SVG} {XLINK} viewBox="0 0 300 200"><j:DATA/><defs><symbol id="Town"><circle cx="3" cy="3" r="3"/></symbol>
      <style type="text/css"><![CDATA[{sheet}]]></style></defs><g id="MapLayer">{shapes}</g>
      <g id="SupplyCenterLayer">{towns}</g><g id="MouseLayer" style="fill:black;fill-opacity:0">{mouse}</g></svg>"""


def figma() -> str:
    shapes = all_(lambda n, name, fill, d: f'<path id="{name}" d="{d}" fill="{fill}" stroke="black"/>')
    paper = '<rect width="300" height="200" fill="white"/>'
    return f"""<svg width="300" height="200" viewBox="0 0 300 200" fill="none" {SVG}>
      <g id="Frame 1" clip-path="url(#clip0)">{paper}<g id="land">{shapes}</g></g>
      <defs><clipPath id="clip0">{paper}</clipPath></defs></svg>"""


def corel() -> str:
    shapes = all_(lambda n, name, fill, d: f'<path class="fil{n} str0" d="{d}"/>')
    texts = all_(
        lambda n, name, fill, d: (
            f'<text x="{corner(n)[0] + 20}" y="{corner(n)[1] + 60}" class="fil9 fnt0">{name}</text>'
        )
    )
    sheet = (
        "".join(f".fil{n} {{fill:{fill}}}\n" for n, fill in enumerate(FILLS))
        + ".fnt0 {font-weight:normal;font-size:9px}"
    )
    return f"""<svg {SVG} xml:space="preserve" width="300mm" height="200mm" viewBox="0 0 300 200"><defs>
      <style type="text/css"><![CDATA[ .str0 {{stroke:#2B2A29}} {sheet} ]]></style></defs><g id="Layer_x0020_1">
      <metadata id="CorelCorpID_0Corel-Layer"/><g id="_1428">{shapes}</g>{texts}</g></svg>"""


def web() -> str:
    shapes = all_(
        lambda n, name, fill, d: f'<path class="region" id="R{n}" fill="{fill}" d="{d}"><title>{name}</title></path>'
    )
    style = "svg .region { stroke: white } .region:hover { fill: red } @media print { .region { display: none } }"
    return f'<svg {SVG} viewBox="0 0 300 200"><style>{style}</style><g class="regions">{shapes}</g></svg>'


def diagrams() -> str:
    shapes = all_(
        lambda n, name, fill, d: (
            f'<g data-cell-id="{n}"><path d="{d}" fill="{fill}" stroke="#000" pointer-events="all"/><g><switch>'
            f'<foreignObject requiredFeatures="http://x.example/"><div>{name}</div></foreignObject>'
            f'<text x="{corner(n)[0] + 50}" y="{corner(n)[1] + 54}" font-size="12px" text-anchor="middle">{name}</text>'
            "</switch></g></g>"
        )
    )
    return f'<svg {SVG} viewBox="-0.5 -0.5 301 201"><defs/><g>{shapes}</g></svg>'


def symbols() -> str:
    defs = all_(lambda n, name, fill, d: f'<path id="shape-{n}" d="{path(n)}"/>')
    shapes = all_(lambda n, name, fill, d: f'<use id="{name}" xlink:href="#shape-{n}" fill="{fill}"/>')
    return f'<svg {SVG} {XLINK} viewBox="0 0 300 200"><defs>{defs}</defs>{shapes}</svg>'


def visio() -> str:
    shapes = all_(
        lambda n, name, fill, d: (
            f'<g id="shape{n + 1}-{3 * n + 1}" v:mID="{n + 1}" transform="translate({corner(n)[0]},{corner(n)[1]})">'
            f"<title>Sheet.{n + 1}</title><desc>{name}</desc>"
            f'<path d="{path(n, 1, -corner(n)[0])}" transform="translate(0,{-corner(n)[1]})" class="st{n}"/>'
            f'<text x="20" y="53" class="st9">{name}</text></g>'
        )
    )
    sheet = "".join(f".st{n} {{fill:{fill};stroke:#000}}" for n, fill in enumerate(FILLS))
    return f"""<svg {SVG} xmlns:v="http://v.example/" width="4.2in" height="2.8in" viewBox="0 0 300 200" class="st8">
      <style type="text/css"><![CDATA[ {sheet} .st8 {{fill:none;font-size:12px}} .st9 {{font-size:0.66em}} ]]></style>
      <g v:mID="0" v:index="1"><title>Page-1</title><v:layer v:name="Map" v:index="0"/>{shapes}</g></svg>"""


def sketch() -> str:
    shapes = all_(
        lambda n, name, fill, d: f'<path d="{path(n, 1, 20)}" id="{name.replace(" ", "-")}" fill="{fill}"></path>'
    )
    texts = all_(
        lambda n, name, *_: (
            f'<text id="{name}" font-size="9" fill="#000"><tspan x="{corner(n)[0] + 50}" y="{corner(n)[1] + 50}">'
            f"{name}</tspan></text>"
        )
    )
    return f"""<svg width="300px" height="200px" viewBox="0 0 300 200" {SVG}><title>Artboard</title><desc>x</desc>
      <g id="Page-1" stroke="none" fill="none" fill-rule="evenodd"><g id="Artboard" transform="translate(-20.0, 0.0)">
      <g id="Map">{shapes}{texts}</g></g></g></svg>"""


def matplotlib() -> str:
    shapes = all_(
        lambda n, name, fill, d: f'<g id="patch_{n + 2}"><path d="{d}" style="fill: {fill}; stroke: #000000"/></g>'
    )
    texts = all_(
        lambda n, name, *_: (
            f'<g id="text_{n + 1}"><!-- {name} --><text style="font: 10px \'DejaVu Sans\'; text-anchor: middle" '
            f'x="{corner(n)[0] + 50}" y="{corner(n)[1] + 50}" transform="rotate(-0 50 50)">{name}</text></g>'
        )
    )
    paper = '<g id="patch_1"><path d="M0 200L300 200L300 0L0 0z" style="fill: #ffffff"/></g>'
    return f"""<svg width="300pt" height="200pt" viewBox="0 0 300 200" {SVG}><defs><style type="text/css">
      *{{stroke-linejoin: round}}</style></defs><g id="figure_1">{paper}<g id="axes_1">{shapes}{texts}</g></g></svg>"""


def observable() -> str:
    shapes = all_(lambda n, name, fill, d: f'<path aria-label="{name}" fill="{fill}" d="{d}"></path>')
    return f'<svg {SVG} viewBox="0,0,300,200" style="max-width: 100%"><g fill="none" stroke="white">{shapes}</g></svg>'


def encyclopedia() -> str:
    shapes = all_(lambda n, name, fill, d: f'<path class="landxx k{n}" id="k{n}" d="{d}"><title>{name}</title></path>')
    sheet = ".landxx{fill:#c0c0c0}" + "".join(f".k{n}{{fill:{fill}}}" for n, fill in enumerate(FILLS))
    ocean = '<rect class="oceanxx" width="300" height="200" fill="#fff"/>'
    return f'<svg {SVG} viewBox="0 0 300 200"><style>{sheet}</style>{ocean}{shapes}</svg>'


def qgis() -> str:
    shapes = all_(
        lambda n, name, fill, d: f'<g fill="{fill}" stroke="#232323"><path vector-effect="none" d="{d}"/></g>'
    )
    texts = all_(
        lambda n, name, *_: (
            f'<g fill="none" stroke="none" font-size="10"><text fill="#323232" xml:space="preserve" '
            f'x="{corner(n)[0] + 25}" y="{corner(n)[1] + 55}" font-size="10">{name}</text></g>'
        )
    )
    return f"""<svg width="105.8mm" height="70.5mm" viewBox="0 0 300 200" {SVG} baseProfile="tiny"><title>Qt</title>
      <g fill="none" stroke="black"><g id="provinces">{shapes}</g><g>{texts}</g></g></svg>"""


ARIAL = {"Nor": 1.611, "Dry": 1.555, "Bor": 1.556, "Öst": 1.556, "Val": 1.445, "Cap": 1.834}
"""The widths of the first letters of names in the font, relative to the font size."""


def presentation() -> str:
    """Text split within words into separately positioned parts, the result of kerning."""
    shapes = all_(
        lambda n, name, fill, d: (
            f'<path d="{path(n, 3.2)}" stroke="#2F528F" fill="{fill}"/><text font-size="32" '
            f'transform="translate({(corner(n)[0] + 20) * 3.2:.3f} {(corner(n)[1] + 50) * 3.2:.3f})">{name[:3]}'
            f'<tspan font-size="32" x="{32 * ARIAL[name[:3]]:.2f}" y="0">{name[3:]}</tspan></text>'
        )
    )
    paper = '<rect x="0" y="0" width="960" height="640" fill="#FFFFFF"/>'
    return f'<svg width="960" height="640" {SVG}>{paper}{shapes}</svg>'


def titled_shapes() -> str:
    shapes = all_(
        lambda n, name, fill, d: f'<path style="fill: {fill};" d="{d}" bx:origin="0.5 0.5"><title>{name}</title></path>'
    )
    texts = all_(
        lambda n, name, *_: (
            f'<text style="font-size: 9px; white-space: pre;" x="{corner(n)[0] + 30}" y="{corner(n)[1] + 40}">{name}'
            "</text>"
        )
    )
    return f'<svg viewBox="0 0 300 200" {SVG} xmlns:bx="https://bx.example"><defs/>{shapes}{texts}</svg>'


def tablet() -> str:
    shapes = all_(lambda n, name, fill, d: f'<g id="{name}" vn:layerName="{name}"><path d="{d}" fill="{fill}"/></g>')
    layer = f'<g id="Layer-1">{shapes}</g>'
    return f'<svg height="100%" {SVG} viewBox="0 0 300 200" xmlns:vn="http://vn.example">{layer}</svg>'


def charts() -> str:
    """A chart library with names in descriptions, and one `id` for all elements."""
    shapes = all_(
        lambda n, name, fill, d: (
            f'<path fill="{fill}" stroke="#6E6E6E" id="undefined" d="{d}"><desc xmlns="https://charts.example/mc">'
            f"<name>{name}</name><labelrank>2</labelrank></desc></path>"
        )
    )
    return f"""<svg version="1.1" height="200pt" width="300pt" {SVG}><desc>Map version: 2</desc><title>Land</title>
      <g id="admin1">{shapes}</g></svg>"""


PROGRAMS = (
    *(inkscape, illustrator, illustrator_of_old, affinity, libreoffice, jdip, figma, corel, web, diagrams, symbols),
    *(visio, sketch, matplotlib, observable, encyclopedia, qgis, presentation, titled_shapes, tablet, charts),
)


@pytest.mark.sampled(11)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_map_is_that_of_the_drawing(program: Callable[[], str], tmp_path: Path) -> None:
    result, report = read(tmp_path, program())
    assert facts(result) == SIX
    codes = {diagnostic.code for diagnostic in report.diagnostics}
    assert codes <= {"RS474", "RS564", "RS856", "RS857"}  # corners, a pointer layer, paper, a title


def test_a_name_on_another_region_is_never_silent(tmp_path: Path) -> None:
    """A name that is too long for its region starts there, but has its middle in the next region."""
    text = (
        inkscape().replace("text-anchor:middle", "text-anchor:start").replace(">Borg<", ">Borg of the eastern winds<")
    )
    result, report = read(tmp_path, text)
    assert "path12" in [region.name for region in result.regions]
    assert {"RS855", "RS857"} <= {diagnostic.code for diagnostic in report.diagnostics}


@pytest.mark.parametrize(
    "parts, words",
    [
        ('No<tspan x="21" y="0">rd</tspan>', "Nord"),
        ('No<tspan dx="0.2">rd</tspan>', "Nord"),
        ("No<tspan>rd</tspan>", "Nord"),
        ('<tspan x="0" y="0">No</tspan><tspan x="21" y="0">rd</tspan>', "Nord"),
        ('North<tspan x="47" y="0">Sea</tspan>', "North Sea"),
        ('North<tspan x="0" y="18">Sea</tspan>', "North Sea"),
        ('North<tspan x="0" dy="1.2em">Sea</tspan>', "North Sea"),
        ('North <tspan x="47" y="0">Sea</tspan>', "North Sea"),
        ("North\n  <tspan>Sea</tspan>", "North Sea"),
        ('Sea<tspan x="-80" y="0">North</tspan>', "Sea North"),
    ],
)
def test_parts_of_a_text_are_one_word_where_they_meet(parts: str, words: str, tmp_path: Path) -> None:
    text = f'<text font-size="16" transform="translate(90 90)">{parts}</text>'
    drawing = (
        f'<svg {SVG} viewBox="0 0 300 200"><rect width="280" height="180"/>{text}<rect x="280" width="9" height="9"/>'
    )
    result, _ = read(tmp_path, f"{drawing}</svg>")
    assert result.regions[0].label == words


@pytest.mark.parametrize("crumb", ["M9 9h2v2z", "M9 9v2h2z", "M10 10h0.5v0.5z M10 10h-1v-1z"])
def test_a_crumb_at_the_first_point_of_an_outline_takes_nothing_of_the_region(crumb: str, tmp_path: Path) -> None:
    """The filled side of an outline under the nonzero rule is determined at several points."""
    for land in ("M10 10h80v80h-80z", "M10 10v80h80v-80z"):
        result, _ = read(tmp_path, f'<svg {SVG} viewBox="0 0 100 100"><path id="land" d="{land}{crumb}"/></svg>')
        (region,) = result.regions
        assert max(abs(area(ring)) for ring in rings_of(region.outline)) >= 640_000 - 2_000


def test_a_border_that_is_too_short_for_a_link_is_listed(tmp_path: Path) -> None:
    parts = {"oak": "M0 0H501V500H0Z", "elm": "M501 0H1000V500H501Z", "ash": "M0 500H499V1000H0Z"}
    shapes = "".join(f'<path id="{name}" d="{d}"/>' for name, d in {**parts, "fir": "M499 500H1000V1000H499Z"}.items())
    result, report = read(tmp_path, f'<svg {SVG} viewBox="0 0 1000 1000">{shapes}</svg>')
    assert result.short == [("oak", "fir")]
    assert "1 border is too short for a link: `oak` and `fir`" in report.diagnostics[-1].message
