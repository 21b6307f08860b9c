"""Cached layouts of maps: the same pictures, and a new layout as soon as an input changes."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree
from unittest.mock import Mock

import pytest
from folders import GAMES
from msgspec.structs import replace
from proofs import proofs_but

from rulespec.diagnostics.report import Report
from rulespec.drawing import map_ground, outline_checks
from rulespec.drawing.board import Board
from rulespec.drawing.drawing_file import read_drawing
from rulespec.drawing.map_ground import GroundInputs, ground, ground_inputs, laid_out_ground
from rulespec.drawing.outlines import shared
from rulespec.drawing.scene import to_svg
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

MAPS = ["tutorial", "imperial", "imperial_2030", "imperial_asia", "tetrarchia", "imperial+playimperial"]

CHANGES = [
    ("drawing.yaml", "isle: [44, 51]", "isle: [45, 52]"),
    ("drawing.yaml", "width: 900", "width: 800"),
    ("map.yaml", "isle: {terrain: land, ", "isle: {terrain: land, title: The Long Isle, "),
    ("map.yaml", "isle: {terrain: land, ", "isle: {terrain: sea, "),
    ("map.yaml", "home: reed, city: armaments", "home: stone, city: armaments"),
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RULESPEC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def laid_out(monkeypatch: pytest.MonkeyPatch) -> list[GroundInputs]:
    """The layouts that are computed, by their inputs."""
    results: list[GroundInputs] = []

    def recorded(inputs: GroundInputs) -> map_ground.Ground:
        results.append(inputs)
        return laid_out_ground(inputs)

    monkeypatch.setattr(map_ground, "laid_out_ground", recorded)
    return results


def drawn(ruleset: typed.Ruleset) -> Board:
    return Board(ruleset.declarations, read_drawing(ruleset), {}, Words(ruleset))


@pytest.mark.parametrize("ref", proofs_but(MAPS, "tutorial"))
def test_a_cached_layout_is_the_same(ref: str, laid_out: list[GroundInputs]) -> None:
    ruleset = load_ruleset(ref)
    boards = [drawn(ruleset) for _ in range(2)]
    assert len(laid_out) == 1
    assert to_svg(boards[0].scene(None)) == to_svg(boards[1].scene(None))
    sheet = boards[0].sheet
    (style,) = (style for style in sheet.style.boards.values() if style.form == "areas")
    assert replace(ground(sheet, style), traces={}) == laid_out_ground(ground_inputs(sheet, style))


@pytest.mark.parametrize("file, old, new", proofs_but(CHANGES, CHANGES[0], CHANGES[3]))
def test_a_changed_input_makes_a_new_layout(
    file: str, old: str, new: str, tmp_path: Path, laid_out: list[GroundInputs]
) -> None:
    place = tmp_path / "tutorial"
    copytree(GAMES / "tutorial", place)
    before = (place / file).read_text("utf-8")
    for number, text in enumerate([before, before.replace(old, new)]):
        (place / file).write_text(text, "utf-8")
        ruleset = load_ruleset(str(place), Report())
        assert ruleset is not None
        for _ in range(2):
            drawn(ruleset)
        assert len(laid_out) == number + 1


def test_outlines_that_fit_are_checked_once_and_faults_are_named_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "tutorial"
    copytree(GAMES / "tutorial", place)
    ruleset = load_ruleset(str(place))
    names = [entity.name for entity in ruleset.declarations.kinds["region"].entities]
    lines = [f"        {name}: {{outline: M{i % 4}00 {i // 4}00l100 0 0 100-100 0z}}\n" for i, name in enumerate(names)]
    checks = Mock(wraps=shared)
    monkeypatch.setattr(outline_checks, "shared", checks)
    head = "drawing:\n  boards:\n    region:\n      frame: [0, 0, 400, {height}]\n      outlines:\n"
    for height, codes, checked in ((300, [], 1), (290, ["RS566"], 3), (300, [], 3)):
        (place / "outlines.yaml").write_text(head.format(height=height) + "".join(lines), "utf-8")
        for _ in range(2):
            report = Report()
            read_drawing(ruleset, report)
            assert {d.code for d in report.diagnostics} == set(codes)
        assert checks.call_count == checked
