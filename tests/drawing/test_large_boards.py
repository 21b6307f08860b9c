"""Strangers' boards: drawn in bounded time, or refused with a way out; what they say stays text."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from cases import split, write
from limits import CALLS, soon
from pictures import outside, overlaps

from rulespec import Game, load_ruleset
from rulespec.cli.main import run
from rulespec.drawing.areas import Areas
from rulespec.drawing.placing import Raster
from rulespec.drawing.text_width import MAX_NAME, wrapped

GAME = """
--- game.yaml
id: strange
title: "{title}"
version: "1.0"
players: {{kind: player, min: 2, max: 2}}
start: play
--- kinds.yaml
kinds:
  player: {{state: {{done: {{type: bool, start: false}}}}}}
--- map.yaml
map:
  kind: place
  links: {{road: either_end}}
  regions:
{regions}
--- rules/play.rules
procedure play():
    for p in player:
        decide go by p:
            option yes():
                set p.done to true
    end game
"""
EVIL = "</text></svg><script>alert(1)</script><img src=x onerror=alert(2)>]]>&lt;"


def strange(folder: Path, regions: str, title: str = "Strange") -> Path:
    return write(folder / "strange", split(GAME.format(title=title, regions=regions), "rules/play.rules"))


def drawn(folder: Path, most: int = CALLS) -> int:
    with soon(most):
        return run(["draw", str(folder), "--out", str(folder / "x.svg")])


def test_a_name_of_a_thousand_words_takes_no_time(tmp_path: Path) -> None:
    title = "<b> & " * 320
    regions = f'    oak: {{title: "{title}", position: [1, 1], road: [elm]}}\n    elm: {{position: [9, 9]}}'
    folder = strange(tmp_path, regions)
    assert drawn(folder) == 0  # minutes, once: there are half a million ways to break it twice
    svg = (folder / "x.svg").read_text("utf-8")
    assert overlaps(svg) == [] and outside(svg) == [] and "<b>" not in svg


def test_a_long_name_is_cut() -> None:
    lines = wrapped("a " * 1_000, 3)
    assert lines is not None and lines[-1].endswith("…") and len(" ".join(lines)) <= MAX_NAME
    assert wrapped("x" * 1_000, 1) == ["x" * MAX_NAME + "…"]
    assert wrapped("", 1) is None


RING = "\n".join(f"    r{i}: {{road: [r{(i + 1) % 30}]}}" for i in range(30))


@pytest.mark.parametrize(
    "where, least", [("board.MAX_PLACES", 29), ("board.MAX_TABLE_ROWS", 1), ("map_ground.MAX_LINKS", 29)]
)
def test_a_board_that_is_too_large_is_refused_with_a_way_out(
    where: str, least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = strange(tmp_path, RING)
    monkeypatch.setattr(f"rulespec.drawing.{where}", least)
    code = drawn(folder)
    note = capsys.readouterr().err
    assert code == 2 and "[RS557]" in note and f"the limit is {least}" in note and "drawing.yaml" in note
    game = Game(load_ruleset(str(folder)), ["Ann", "Bob"])
    assert game._repr_svg_() is None and game._repr_html_() is None


@pytest.mark.parametrize("count", [100, *(pytest.param(n, marks=pytest.mark.proof) for n in (300, 1_500))])
@pytest.mark.proof
def test_a_map_as_large_as_may_be_is_drawn_in_bounded_time(tmp_path: Path, count: int) -> None:
    regions = "\n".join(
        f"    r{i}: {{position: [{i * 37 % 401}, {i * 71 % 403}], "
        f"road: [{', '.join(f'r{(i + k) % count}' for k in (1, 2, 5))}]}}"
        for i in range(count)
    )
    assert drawn(strange(tmp_path, regions), max(CALLS, 150_000 * count)) == 0


def test_titles_and_seats_of_strangers_stay_text_in_notebooks(tmp_path: Path) -> None:
    regions = f'    oak: {{title: "{EVIL}", position: [1, 1], road: [elm]}}\n    elm: {{position: [9, 9]}}'
    game = Game(load_ruleset(str(strange(tmp_path, regions, EVIL))), ["<img src=x onerror=alert`3`>", "Bob"])
    svg, html = game._repr_svg_(), game._repr_html_()
    assert svg is not None and html is not None
    ElementTree.fromstring(svg)
    for text in (svg, html):
        assert "<script" not in text and "<img" not in text and "alert(1)" in text
    assert html.count("</svg>") == 1


def test_regions_that_lie_upon_one_another_have_squares_once() -> None:
    """Of three hundred regions in one place, the last owns its squares: the work does not grow with their product."""
    square = [(0.0, 0.0), (400.0, 0.0), (400.0, 400.0), (0.0, 400.0)]
    raster = Raster(Areas([[square]] * 300, []), 400, 400)
    assert [len(cells) for cells in raster.cells[:-1]] == [0] * 299
    assert len(raster.cells[-1]) == raster.columns * raster.rows
