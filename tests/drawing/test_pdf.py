"""A PDF has the picture as vectors, with its letters, on the paper that was asked for."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from commands import invoke
from pypdf import PageObject, PdfReader

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.drawing.colours import PALETTE
from rulespec.drawing.picture_files import PAPERS, Sheets, on_sheet, to_pdf
from rulespec.drawing.scene import Scene, SceneItem, to_svg
from rulespec.drawing.svg import words

LETTERS = "Großbritannien Österreich-Ungarn Łódź Đà Nẵng Киев Ελλάδα القاهرة ירושלים ไทย ♞ → ½"


def scene(label: str = "Oak", width: float = 600, height: float = 400, title: str = "A board") -> Scene:
    return Scene(width, height, title, "Empty.", (SceneItem("a", "names", words(label, 20, 60, 14)),), ())


def read(pdf: bytes) -> PdfReader:
    return PdfReader(io.BytesIO(pdf))


def sizes(pdf: bytes) -> list[tuple[float, float]]:
    """Width and height of each page, in millimetres."""
    return [(float(p.mediabox.width) / 72 * 25.4, float(p.mediabox.height) / 72 * 25.4) for p in read(pdf).pages]


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.sampled(2)
def test_a_sheet_lies_as_the_picture_does(paper: str) -> None:
    short, long = PAPERS[paper]
    assert sizes(to_pdf(scene(), Sheets(paper))) == [pytest.approx((long, short), abs=0.1)]
    assert sizes(to_pdf(scene(width=300), Sheets(paper))) == [pytest.approx((short, long), abs=0.1)]


def test_four_sheets_show_every_part_of_the_picture() -> None:
    places = {"A": (50, 20), "B": (550, 20), "C": (50, 380), "D": (550, 380)}
    items = tuple(SceneItem(name, "names", words(name, x, y, 14)) for name, (x, y) in places.items())
    pdf = to_pdf(Scene(600, 400, "A board", "Empty.", items, ()), Sheets("a4", tiles=True))
    assert sizes(pdf) == [pytest.approx((297, 210), abs=0.1)] * 4
    assert [_on(page) for page in read(pdf).pages] == ["A", "B", "C", "D"]


def _on(page: PageObject) -> str:
    """The letters within a page: those that are cut off are in the file, too."""
    result = []

    def note(text: str, at: list[float], *_: object) -> None:
        if 0 < at[4] < page.mediabox.width and 0 < at[5] < page.mediabox.height:
            result.append(text.strip())

    page.extract_text(visitor_text=note)
    return "".join(result)


def test_letters_of_many_scripts_are_shown_by_fonts_in_the_file() -> None:
    page = read(to_pdf(scene(LETTERS), Sheets("a4"))).pages[0]
    assert "Großbritannien" in page.extract_text() and "Ελλάδα" in page.extract_text()


def test_a_letter_that_no_font_has_is_named() -> None:
    with pytest.raises(DiagnosticsError, match="RS569") as raised:
        to_pdf(scene("Oak \U00012000"), Sheets("a4"))
    assert "\U00012000" in raised.value.diagnostics[0].message


@pytest.mark.parametrize("title", ['#read("/etc/passwd")', '"); #panic()', "$x$ @y <z> \\", "a\nb"])
def test_titles_are_no_markup(title: str) -> None:
    reader = read(to_pdf(scene(title.replace("\n", " "), title=title), Sheets("a4")))
    assert reader.metadata is not None and reader.metadata.title == title


def test_the_same_picture_is_the_same_file() -> None:
    assert to_pdf(scene(), Sheets("a3")) == to_pdf(scene(), Sheets("a3"))


@pytest.mark.parametrize("library", ["typst", "pymupdf_fonts.NotoSans_Regular"])
def test_a_library_that_is_missing_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(DiagnosticsError, match="RS556") as raised:
        to_pdf(scene(), Sheets("a4"))
    assert "rulespec[print]" in raised.value.diagnostics[0].help


@pytest.mark.proof  # 2.6 s
def test_a_board_is_printed_by_its_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke("draw", "imperial", "--empty", "--paper", "a3") == (0, "written: imperial.pdf (a sheet of a3)\n", "")
    page = read(Path("imperial.pdf").read_bytes()).pages[0]
    assert not page.images
    assert {"NotoSans-Regular", "NotoSans-Bold", "NotoSans-Italic"} <= set(_fonts(page))
    shown = page.extract_text()
    assert all(name in shown for name in ("Vienna", "St. Petersburg", "Taxation"))


def test_no_ground_is_printed_on_the_paper() -> None:
    assert PALETTE["paper"] in to_svg(scene()) and PALETTE["paper"] not in on_sheet(scene())


def _fonts(page: PageObject) -> list[str]:
    """The names of the fonts that texts of a page have, without what tells subsets apart."""
    results: list[str] = []

    def note(text: str, _: object, __: object, font: dict[str, str] | None, ___: object) -> None:
        if font and text.strip():
            results.append(str(font["/BaseFont"]).rpartition("+")[2])

    page.extract_text(visitor_text=note)
    return results


@pytest.mark.parametrize(
    "flags, wrong",
    [
        (["--paper", "a3", "--out", "x.svg"], "x.svg is not one"),
        (["--tiles", "--out", "x.png"], "x.png is not one"),
        (["--out", "x.jpg"], "x.jpg must end in"),
        (["--paper", "a33"], "'a33' is not one of"),
    ],
)
def test_flags_that_do_not_go_together_are_refused(flags: list[str], wrong: str) -> None:
    code, _, note = invoke("draw", "imperial", *flags)
    assert code == 2 and wrong in note
