"""Pictures in formats other than SVG: PNG, and PDF for printing on one sheet, or on four sheets to be joined.

Typst typesets only our own SVG: the markup contains no part of a ruleset, and titles are passed as inputs. PDF/A is
requested because it refuses characters that would print as an empty box. Resvg also renders only our own SVG, since
other SVG could refer to files.
"""

from __future__ import annotations

import re
from importlib import import_module
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from msgspec import Struct

from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.drawing.colours import PALETTE
from rulespec.drawing.scene import Scene, to_svg

PAPERS = {
    "a2": (420.0, 594.0),
    "a3": (297.0, 420.0),
    "a4": (210.0, 297.0),
    "a5": (148.0, 210.0),
    "letter": (215.9, 279.4),
    "legal": (215.9, 355.6),
    "tabloid": (279.4, 431.8),
}
"""Short and long side of each paper, in millimetres: ISO 216, ANSI/ASME Y14.1."""
MARGIN = 8.0
"""The margin of a sheet in millimetres, as many printers cannot print at the edge."""
OVERLAP = 10.0
"""The overlap of adjacent sheets, in millimetres of the picture."""

_FAMILY = "Noto Sans"
_FONTS = (
    "NotoSans_Regular",
    "NotoSans_Bold",
    "NotoSans_Italic",
    "NotoSans_BoldItalic",
    "NotoSansSymbols_Regular",
    "NotoSansSymbols2_Regular",
    "NotoSansMath_Regular",
    "FiraGO_Regular",
    "FiraGO_Bold",
)
"""The fonts, by module of pymupdf_fonts; FiraGO covers Arabic, Devanagari, Georgian, Hebrew and Thai."""
_PICTURE = '"board.svg", alt: sys.inputs.description'
_STANDARD: Literal["a-2b"] = "a-2b"
_UNSHOWN = re.compile(r'the text `?"(.*)"`? could not be displayed')


class Sheets(Struct, frozen=True):
    """The paper format of a printed picture.

    Attributes:
        paper: the name of the paper, a key of `PAPERS`.
        tiles: whether the picture is split over four sheets, two by two.
    """

    paper: str
    tiles: bool = False


class _Layout(Struct, frozen=True):
    """The layout of a picture on one sheet or on adjacent ones, in millimetres.

    Attributes:
        number: the number of sheets in each direction.
        page: width and height of a sheet.
        size: width and height of the picture.
    """

    number: int
    page: tuple[float, float]
    size: tuple[float, float]


def to_pdf(scene: Scene, sheets: Sheets) -> bytes:
    """The picture as a PDF, scaled to fill the sheet in portrait or landscape.

    Raises:
        DiagnosticsError: RS556 if its libraries are missing, RS569 if a text contains a character that no font covers.
    """
    try:
        import typst

        fonts = {name: import_module(f"pymupdf_fonts.{name}").fontbuffer for name in _FONTS}
    except ImportError:
        help_ = "pip install rulespec[print], or write SVG"
        raise failure("RS556", "PDF needs the libraries typst and pymupdf-fonts", None, help=help_) from None
    with TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "board.svg").write_text(on_sheet(scene), "utf-8")
        for name, font in fonts.items():
            (place / f"{name}.ttf").write_bytes(font)
        compiler = typst.Compiler(root=place, font_paths=[place])
        inputs = {"title": scene.title, "description": scene.description}
        markup = _markup(_layout(scene, sheets)).encode()
        try:
            pdf = compiler.compile(markup, format="pdf", sys_inputs=inputs, pdf_standards=_STANDARD, timestamp=0)
        except typst.TypstError as error:
            raise _unshown(error.message) from None
    assert isinstance(pdf, bytes)
    return pdf


def on_sheet(scene: Scene) -> str:
    """The picture for print, without a background."""
    return to_svg(scene, _FAMILY).replace(PALETTE["paper"], "#ffffff")


def _unshown(message: str) -> DiagnosticsError:
    """The error for a text with a letter that no font has."""
    result = _UNSHOWN.search(message)
    assert result is not None, message
    help_ = "install a font that has them, or write SVG"
    return failure("RS569", f"no font covers all the characters in `{result[1]}`", None, help=help_)


def _layout(scene: Scene, sheets: Sheets) -> _Layout:
    """The layout with the larger picture, portrait or landscape."""
    short, long = PAPERS[sheets.paper]
    number = 2 if sheets.tiles else 1
    layouts = []
    for width, height in ((short, long), (long, short)):
        room = [number * (side - 2 * MARGIN) - (number - 1) * OVERLAP for side in (width, height)]
        scale = min(room[0] / scene.width, room[1] / scene.height)
        layouts.append(_Layout(number, (width, height), (scene.width * scale, scene.height * scale)))
    return max(layouts, key=lambda layout: layout.size)


def _markup(layout: _Layout) -> str:
    """The Typst document: one page per sheet, row by row, with its part of the picture."""
    width, height = layout.page
    room = (width - 2 * MARGIN, height - 2 * MARGIN)
    lines = [
        f"#set page(width: {width}mm, height: {height}mm, margin: {MARGIN}mm)",
        "#set document(title: sys.inputs.title)",
        f"#let board = image({_PICTURE}, width: {layout.size[0]:.3f}mm, height: {layout.size[1]:.3f}mm)",
    ]
    step = [side - OVERLAP for side in room]
    spare = [layout.number * s + OVERLAP - size for s, size in zip(step, layout.size, strict=True)]
    parts = []
    for row, column in product(range(layout.number), repeat=2):
        dx, dy = (spare[0] / 2 - column * step[0], spare[1] / 2 - row * step[1])
        inner = f"place(dx: {dx:.3f}mm, dy: {dy:.3f}mm, board)"
        parts.append(f"#box(width: {room[0]}mm, height: {room[1]}mm, clip: true, {inner})")
    lines.append("\n#pagebreak()\n".join(parts))
    return "\n".join(lines)


MAX_SIDE = 8_000
"""The maximum width and height in pixels; a width of a million would crash the process."""


def to_png(scene: Scene, scale: float = 1.0) -> bytes:
    """The picture as a PNG.

    Raises:
        DiagnosticsError: RS557 if it is too large, RS556 if its library is missing.
    """
    width, height = round(scene.width * scale), round(scene.height * scale)
    if not 0 < max(width, height) <= MAX_SIDE:
        message = f"a picture of {width} by {height} pixels is too large: the limit is {MAX_SIDE} on each side"
        raise failure("RS557", message, None, help="write SVG, which has no pixels")
    try:
        import resvg_py
    except ImportError:
        help_ = "pip install rulespec[draw], or write SVG"
        raise failure("RS556", "PNG needs the library resvg-py", None, help=help_) from None
    return bytes(resvg_py.svg_to_bytes(svg_string=to_svg(scene), width=width, height=height))
