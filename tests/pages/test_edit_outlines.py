"""Outlines that are edited on the page of a map."""

from __future__ import annotations

from pathlib import Path

import pytest
from map_pages import Drive

from editors import copied, editing, files
from rulespec.drawing.outlines import Ring
from rulespec.lsp.map_files import MapFiles
from rulespec.lsp.outline_edits import OutlineEdits

_POINT = """() => {
    const board = document.querySelector('#board svg').getBoundingClientRect();
    const spots = [...document.querySelectorAll('.outline-point')].map((dot) => {
        const box = dot.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    }).filter(([x, y]) => x > board.left + 30 && x < board.right - 30 && y > board.top + 30 && y < board.bottom - 30);
    const alone = ([x, y]) => spots.every(([a, b]) => (a === x && b === y) || Math.hypot(a - x, b - y) > 18);
    return spots.find(alone) ?? null;
}"""
"""The place in the window of a point of the chosen outline that has no other one beside it."""


@pytest.mark.proof
def test_outlines_are_edited_on_the_page(drive: Drive, tmp_path: Path) -> None:
    """A point moves in all outlines that have it; an outline goes, and both are undone to the first bytes."""
    folder = copied("imperial", tmp_path / "mine")
    before, board = files(folder), outlines(folder)
    with editing(folder) as serving:
        page = drive(serving)
        page.click_at(page.inside("munich"))
        page.press("o")
        page.wait("document.querySelectorAll('.outline-point').length > 20")
        for _ in range(4):
            page.click("#closer")
        start = page.page.evaluate(_POINT)
        assert start is not None
        page.drag(tuple(start), (start[0] + 9, start[1] + 5))
        now = outlines(folder)
        assert "munich" in {name for name, rings in board.items() if now[name] != rings}
        assert page.texts("#undo") == ["Undo: move point"]
        assert {name for name, data in files(folder).items() if before[name] != data} == {"outlines.yaml"}
        page.page.focus("#board svg")
        page.press("Shift+Delete")
        page.idle()
        assert "munich" not in outlines(folder)
        page.undo_all()
    assert files(folder) == before


@pytest.mark.proof
def test_the_name_of_a_region_with_an_outline_is_dragged(drive: Drive, tmp_path: Path) -> None:
    folder = copied("imperial", tmp_path / "mine")
    before = files(folder)
    with editing(folder) as serving:
        page = drive(serving)
        x, y = page.middle("[data-item='name.munich']")
        page.drag((x, y), (x + 12, y + 8))
        name = page.middle("[data-item='name.munich']")
        assert abs(name[0] - x - 12) < 2 and abs(name[1] - y - 8) < 2, "it is drawn where it was let go"
        assert {name for name, data in files(folder).items() if before[name] != data} == {"outlines.yaml"}
        assert page.texts("#undo") == ["Undo: move Munich"]
        page.undo_all()
    assert files(folder) == before


@pytest.mark.proof
def test_the_first_outline_of_a_map_is_drawn_by_keys(drive: Drive, tmp_path: Path) -> None:
    folder = copied("tutorial", tmp_path / "mine")
    with editing(folder) as serving:
        page = drive(serving)
        page.click_at(page.inside("marsh"))
        page.press("o", "n", "Space")
        for key in ("ArrowRight", "ArrowDown", "ArrowLeft"):
            page.press(*[key] * 6, "Space")
        page.press("Backspace")
        page.press("Space", "Enter")
        page.idle()
        ((ring,),) = outlines(folder).values()
        xs, ys = {x for x, _ in ring}, {y for _, y in ring}
        assert (len(ring), max(xs) - min(xs), max(ys) - min(ys)) == (4, 6, 6)
        page.undo_all()
        assert not outlines(folder)


def outlines(folder: Path) -> dict[str, list[Ring]]:
    return OutlineEdits(MapFiles(folder)).board().outlines
