"""Drawings with unusual structures and styles: names, colours and neighbours are those shown by a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from six_regions import FILLS, IDS, NAMES, SIX, SVG, all_, classes, corner, drawing, facts, path, read

from rulespec.drawing.reading.variables import with_variables


def prefixed() -> str:
    """Prefixed namespaces, one `id` for all elements, and transformations that cancel out."""
    shapes = all_(
        lambda n, name, fill, d: (
            f'<v:g transform="scale(2)"><v:g transform="translate({corner(n)[0] / 2} {corner(n)[1] / 2})">'
            f'<v:g transform="rotate(90)"><v:path id="path1" style="fill:{fill}" d="{d}" '
            f'transform="rotate(-90) scale(.5) translate({-corner(n)[0]},{-corner(n)[1]})"/></v:g></v:g></v:g>'
            f'<v:text id="path1" x="{corner(n)[0] + 50}" y="{corner(n)[1] + 50}" '
            f'style="font:9px serif;text-anchor:middle">{name}</v:text>'
        )
    )
    return f'<v:svg xmlns:v="http://www.w3.org/2000/svg" viewBox="0 0 300 200">{shapes}</v:svg>'


def symbols_of_a_hidden_group() -> str:
    symbols = all_(
        lambda n, name, fill, d: (
            f'<symbol id="s{n}" viewBox="{corner(n)[0] - 20} {corner(n)[1] - 20} 140 140"><path d="{d}"/></symbol>'
        )
    )
    used = all_(
        lambda n, name, fill, d: (
            f'<use href="#s{n}" x="{corner(n)[0] - 20}" y="{corner(n)[1] - 20}" width="140" height="140" fill="{fill}">'
            f"<title>{name}</title></use>"
        )
    )
    return drawing(
        f'<g display="none">{symbols}</g><g transform="translate(3 3)"><g transform="translate(-3-3)">{used}</g></g>'
    )


def important_rules() -> str:
    shapes = all_(lambda n, name, fill, d: f'<path class="land cls-{n}" data-name="{name}" fill="red" d="{d}"/>')
    rules = "".join(f"path.land:not(.sea).cls-{n}{{fill:{f} !important}}" for n, f in enumerate(FILLS))
    rest = "path{fill:blue !important} @media print{path.land{fill:#000!important}}"
    dark = "@media (prefers-color-scheme: dark){path.land.land.land{fill:#111 !important}}"
    return drawing(f"<style>{rules}{rest}{dark}</style>{shapes}")


def variables() -> str:
    shapes = all_(lambda n, name, fill, d: f'<path class="c{n}" style="--Own:{fill}" data-name="{name}" d="{d}"/>')
    rules = "".join(f".c{n}{{fill:var(--{'b' if n == 2 else 'Own'}, #123456)}}" for n in range(6))
    return drawing(f"<style>:root{{--a:#c83737;--b:var(--a)}}{rules}</style>{shapes}")


def types_of_elements() -> str:
    shapes = all_(lambda n, name, fill, d: f'<circle r="0"/><path data-name="{name}" d="{d}"/>')
    rules = "".join(f"path:nth-of-type({n + 1}){{fill:{f}}}" for n, f in enumerate(FILLS) if n)
    return drawing(f"<style>path:first-of-type{{fill:{FILLS[0]}}}{rules}</style><g>{shapes}</g>")


def inherited() -> str:
    shapes = all_(
        lambda n, name, fill, d: (
            f'<g fill="{fill}"><g fill="red" style="fill:inherit"><path fill="inherit" visibility="inherit" d="{d}" '
            f'display="inherit" aria-label="{name}"/></g></g>'
        )
    )
    return drawing(shapes, ' fill="none"')


def percentages() -> str:
    each = (
        f'<rect id="rect{n}" x="{n % 3 * 100 / 3:.4f}%" y="{n // 3 * 50}%" width="33.3334%" height="50%" '
        f'fill="{FILLS[n]}"/><text x="{n % 3 * 100 / 3 + 16.6:.3f}%" y="{n // 3 * 50 + 25}%" dx="-1em" font-size="1em" '
        f'text-anchor="middle">{NAMES[n]}</text>'
        for n in range(6)
    )
    return drawing("".join(each), ' font-size="9"')


def drawings_in_a_drawing() -> str:
    shapes = all_(lambda n, name, fill, d: f'<path id="{name}" fill="{fill}" d="{d}"/>')
    return f"""<svg {SVG} width="600" height="600"><svg x="10%" y="5em" width="300" height="300" viewBox="0 0 300 200"
      preserveAspectRatio="xMinYMax meet"><svg viewBox="0 0 300 200" preserveAspectRatio="none">{shapes}</svg></svg>
      </svg>"""


def seen_through() -> str:
    """A pointer layer of the same shapes, which has the names."""
    shapes = all_(lambda n, name, fill, d: f'<path fill="{fill}" d="{d}"/>')
    over = all_(lambda n, name, fill, d: f'<path id="{name}" d="{d}"/>')
    old = all_(lambda n, name, fill, d: f'<path id="old {name}" d="{path(n, 0.8)}"/>')
    return drawing(f'<g id="art">{shapes}</g><g style="fill-opacity:0">{over}</g><g opacity="0">{old}</g>')


def attributes_of_data() -> str:
    return drawing(all_(lambda n, name, fill, d: f'<g data-region="{name}"><path fill="{fill}" d="{d}"/></g>'))


def with_shadows() -> str:
    shapes = all_(lambda n, name, fill, d: f'<path class="cls-{n}" data-name="{name}" d="{d}"/>')
    below = all_(lambda n, name, fill, d: f'<path fill="#000" opacity=".3" d="{d}"/>')
    return drawing(f'<style>{classes()}</style><g id="shadow" transform="translate(3 3)">{below}</g>{shapes}')


def links_with_titles() -> str:
    return drawing(
        all_(lambda n, name, fill, d: f'<a xlink:href="/{n}" xlink:title="{name}"><path fill="{fill}" d="{d}"/></a>')
    )


def codes() -> str:
    return drawing(
        all_(lambda n, name, fill, d: f'<path data-code="{IDS[n].upper()}" class="jvm-region" fill="{fill}" d="{d}"/>')
    )


def layers_of_one_shape() -> str:
    space = 'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"'
    return drawing(
        all_(
            lambda n, name, fill, d: (
                f'<g inkscape:groupmode="layer" inkscape:label="{name}" id="layer{n}"><path id="path{n}" '
                f'style="fill:{fill}" d="{d}"/></g>'
            )
        ),
        f" {space}",
    )


def palette() -> str:
    colours = all_(
        lambda n, name, fill, d: (
            f'<linearGradient id="g{n}"><stop style="stop-color:{fill};stop-opacity:1" offset="0"/></linearGradient>'
            f'<linearGradient id="m{n}" xlink:href="#g{n}" gradientUnits="userSpaceOnUse"/>'
        )
    )
    shapes = all_(lambda n, name, fill, d: f'<path data-name="{name}" style="fill:url(#m{n})" d="{d}"/>')
    return drawing(f"<defs>{colours}</defs>{shapes}")


def hatched() -> str:
    lines = '<pattern id="h" width="4" height="4"><path d="M0 0l4 4" stroke="#000"/></pattern>'
    return drawing(
        lines
        + all_(
            lambda n, name, fill, d: f'<g id="{name}"><path fill="{fill}" d="{d}"/><path fill="url(#h)" d="{d}"/></g>'
        )
    )


def framed() -> str:
    shapes = all_(lambda n, name, fill, d: f'<path id="{name}" fill="{fill}" d="{d}"/>')
    paper = (
        '<rect id="Paper" width="300" height="200" fill="#eee"/><rect id="Border" width="290" height="9" fill="#000"/>'
    )
    key = '<g id="Key"><rect x="260" y="190" width="10" height="8" fill="#c83737"/></g>'
    return drawing(paper + shapes + key)


MANNERS = [
    prefixed,
    symbols_of_a_hidden_group,
    important_rules,
    variables,
    types_of_elements,
    inherited,
    percentages,
    drawings_in_a_drawing,
    seen_through,
    attributes_of_data,
    with_shadows,
    links_with_titles,
    codes,
    layers_of_one_shape,
    palette,
    hatched,
    framed,
]


@pytest.mark.parametrize("manner", MANNERS)
def test_the_map_is_what_a_browser_shows(manner: Callable[[], str], tmp_path: Path) -> None:
    result, report = read(tmp_path, manner())
    assert facts(result) == SIX
    assert {diagnostic.code for diagnostic in report.diagnostics} <= {"RS474", "RS564", "RS856", "RS857"}


@pytest.mark.parametrize(
    "value, plain",
    [
        ("var(--a)", "red"),
        ("var( --A , blue)", "blue"),
        ("var(--A)", ""),
        ("var(--A, var(--B, var(--a)))", "red"),
        ("rgb(var(--n), 0, 0)", "rgb(9, 0, 0)"),
        ("var(--loop)", ""),
        ("var(--wide)", ""),
        ("var()", ""),
        ("var(a)", ""),
    ],
)
def test_variables_give_way_to_their_values_within_bounds(value: str, plain: str) -> None:
    known = {"--a": "red", "--n": "9", "--loop": "var(--loop)", "--w0": "x" * 50}
    known |= {f"--w{i}": f"var(--w{i - 1})" * 8 for i in range(1, 9)} | {"--wide": "var(--w8)"}
    assert with_variables(value, known) == plain


def test_the_borders_of_a_region_too_small_for_an_outline_are_listed(tmp_path: Path) -> None:
    land = '<path id="oak" d="M0 0H500V1000H0Z"/><path id="elm" d="M500 0H1000V1000H500Z"/>'
    small = '<path id="inn" d="M499.6 300h.8v.8h-.8z"/><path id="far" d="M200 200h.8v.8h-.8z"/>'
    result, report = read(tmp_path, f'<svg {SVG} viewBox="0 0 1000 1000">{land}{small}</svg>')
    assert result.unlinked == [("oak", "inn"), ("oak", "far"), ("elm", "inn")]
    (said,) = (d.message for d in report.diagnostics if d.code == "RS565")
    assert "no link is proposed for 3 borders there: `oak` and `inn`, `oak` and `far`" in said


def test_a_region_too_small_for_an_outline_may_have_its_name_from_a_text_or_share_it(tmp_path: Path) -> None:
    land = '<path id="oak" d="M0 0H500V1000H0Z"/><path id="elm" d="M500 0H1000V1000H500Z"/>'
    small = '<path d="M200 200h.8v.8h-.8z"/><text x="199" y="201" font-size="2">inn</text>'
    twice = "".join(f'<path inkscape:label="Far" d="M{x} 600h.8v.8h-.8z"/>' for x in (300, 700))
    spaces = f'{SVG} xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"'
    result, report = read(tmp_path, f'<svg {spaces} viewBox="0 0 1000 1000">{land}{small}{twice}</svg>')
    assert [region.name for region in result.regions] == ["oak", "elm", "inn", "far", "far_2"]
    assert any(d.code == "RS565" and "`inn`, `far`, `far_2`" in d.message for d in report.diagnostics)


def test_a_border_that_has_become_a_point_is_listed(tmp_path: Path) -> None:
    land = {"oak": "M0 0H500.2V500H0Z", "elm": "M500.2 0H1000V500H500.2Z", "ash": "M0 500H499.8V1000H0Z"}
    shapes = "".join(f'<path id="{name}" d="{d}"/>' for name, d in land.items())
    shapes += '<path id="fir" d="M499.8 500H500.2H1000V1000H499.8Z"/><path id="low" d="M499.8 500H500.2L500 490Z"/>'
    shapes = shapes.replace("H500.2V500H0Z", "H500.2V500H499.8H0Z")
    result, _ = read(tmp_path, f'<svg {SVG} viewBox="0 0 1000 1000">{shapes}</svg>')
    assert ("oak", "fir") in result.short


def test_one_layer_with_one_shape_names_nothing(tmp_path: Path) -> None:
    space = 'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"'
    layer = f'<g inkscape:groupmode="layer" inkscape:label="Coast" id="layer1"><path d="{path(1)}"/></g>'
    result, report = read(tmp_path, drawing(f'{layer}<path id="oak" d="{path(0)}"/>', f" {space}"))
    assert [region.name for region in result.regions] == ["oak"]
    assert any("shapes without a name" in d.message for d in report.diagnostics)


def test_a_gradient_of_two_colours_is_none(tmp_path: Path) -> None:
    stops = '<linearGradient id="g"><stop stop-color="red"/><stop stop-color="blue"/></linearGradient>'
    loop = '<linearGradient id="a" xlink:href="#b"/><linearGradient id="b" xlink:href="#a"/>'
    for paint, fill in (("g", "url(#g)"), ("a", "url(#a)"), ("gone", "url(#gone)")):
        result, _ = read(tmp_path, drawing(f'{stops}{loop}<path id="oak" fill="url(#{paint})" d="{path(0)}"/>'))
        assert result.regions[0].fill == fill
    result, _ = read(tmp_path, drawing(f'<path id="oak" fill="url(#gone) #fc0" d="{path(0)}"/>'))
    assert result.regions[0].fill == "#ffcc00"
