# ruff: noqa: E501 - a region on a line
"""The board of a map that has mistakes: each is seen where it is, and reported at its line."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from folders import GAMES
from pictures import SVG, outside, overlaps
from pypdf import PdfReader

from rulespec.cli.draw import watched
from rulespec.cli.main import cli
from rulespec.drawing.author import draft
from rulespec.drawing.board import Board, drawn_kinds
from rulespec.drawing.drawing_file import read_drawing
from rulespec.drawing.scene import to_svg
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset

MISTAKES = """\
map:
  regions:
    north_lake: {terrain: sea, sea: [south_lake], coast: [reedhaven, forest, isle]}
    south_lake: {terrain: sea, sea: [north_lake], coast: [stoneport, heathmouth, marsh, isle]}
    hills: {terrain: land, land: [reedham, stonegate, heathfield]}
    marsh: {terrain: land, land: [stoneport, heathmouth], coast: [south_lake]}
    forest: {terrain: land, land: [reedhaven, heathfield], coast: [north_lake]}
    isle: {terrain: land, coast: [north_lake, south_lake]}
    reedham: {terrain: province, city: armaments, land: [reedhaven, hills]}
    reedhaven: {terrain: province, home: reed, city: shipyard, land: [reedham, forest], coast: [north_lake]}
    stonegate: {terrain: province, home: stone, city: armaments, land: [stoneprt, hills]}
    stoneport: {terrain: province, home: stone, city: shipyard, port: north_lake, land: [stonegate, marsh], coast: [south_lake]}
    heathfield: {terrain: province, home: heath, city: armaments, land: [hills, forest]}
    heathmouth: {terrain: province, home: heath, city: shipyard, port: marsh, land: [heathfield, marsh], coast: [south_lake]}
    atoll: {terrain: land, position: [30, 95]}
    reef: {terrain: land, coast: [north_lake], position: [44, 51]}
"""
"""The lake with eight mistakes; two more follow from them: the other ends of the misspelt name and of the reef."""

PLANTED = [
    ("RS242", 9, "reedham", "home province is one of a nation"),  # its home is forgotten
    ("RS242", 10, "reedhaven", "leave port"),  # a shipyard without a port
    ("RS221", 11, "stonegate", "stoneprt"),  # a name that nothing has
    ("RS242", 12, "stoneport", "ports_are_seas"),  # a port off its coast
    ("RS230", 14, "heathmouth", "heathfield"),  # a link with one end
    ("RS242", 14, "heathmouth", "ports_are_seas"),  # a port on land
    ("RS231", 15, "atoll", "no link leads to"),  # an isle without links
    ("RS555", 16, "reef", "isle"),  # two places on one spot
]


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    folder = tmp_path / "lake"
    shutil.copytree(GAMES / "tutorial", folder)
    (folder / "map.yaml").write_text(MISTAKES, "utf-8")
    return folder


def drawn(folder: Path, *more: str) -> Result:
    return CliRunner().invoke(cli, ["draw", str(folder), "--out", str(folder / "board.svg"), *more])


def test_eight_mistakes_are_told_at_their_lines(lake: Path) -> None:
    results = [(d.code, d.span.line, d.message) for d in draft(str(lake)).diagnostics if d.span is not None]
    for code, line, _, text in PLANTED:
        assert [m for c, n, m in results if (c, n) == (code, line) and text in m], (code, line, results)


@pytest.mark.proof
def test_eight_mistakes_are_seen_where_they_are(lake: Path) -> None:
    done = drawn(lake)
    assert done.exit_code == 1 and "written: " in done.stdout
    root = ElementTree.fromstring((lake / "board.svg").read_text("utf-8"))
    faults = next(g for g in root.iter(f"{SVG}g") if g.attrib.get("class") == "faults static")
    titles = [node.text or "" for node in faults.iter(f"{SVG}title")]
    listed = " ".join(node.text or "" for node in faults.iter(f"{SVG}text"))
    for code, line, name, _ in PLANTED:
        assert any(name in title for title in titles), (name, titles)
        assert f"map.yaml:{line}:" in listed and code in listed
    red = [node for node in faults.iter(f"{SVG}path") if node.attrib.get("stroke") == "#c00020"]
    assert len(red) >= len({name for _, _, name, _ in PLANTED})


def test_a_board_without_marks_is_laid_out_once(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A warning that no place on the board shows changes no byte of the picture, and costs no second board."""
    shutil.copy(GAMES / "tutorial" / "map.yaml", lake / "map.yaml")
    done = drawn(lake)
    plain = (lake / "board.svg").read_bytes()
    tables = lake / "tables.yaml"
    tables.write_text(tables.read_text("utf-8").replace("constants:\n", "constants:\n  unneeded: 3\n"), "utf-8")
    laid_out: list[Board] = []
    before = Board._laid_out

    def counted(board: Board) -> tuple[float, float]:
        laid_out.append(board)
        return before(board)

    monkeypatch.setattr(Board, "_laid_out", counted)
    warned = drawn(lake)
    assert done.exit_code == warned.exit_code == 0 and "RS405" in warned.stderr
    assert len(laid_out) == 1 and (lake / "board.svg").read_bytes() == plain


@pytest.mark.parametrize(
    "ref", ["tutorial", "shadow_of_the_emperor", "gallery/backgammon", "gallery/ludo", "tetrarchia"]
)
def test_the_kinds_with_a_board_are_known_without_it(ref: str) -> None:
    ruleset = load_ruleset(str(GAMES / ref))
    style = read_drawing(ruleset)
    board = Board(ruleset.declarations, style, {}, Words(ruleset))
    assert list(board.plans) == drawn_kinds(ruleset.declarations, style)


@pytest.mark.proof
def test_no_text_of_a_board_with_mistakes_stands_on_another(lake: Path) -> None:
    scene = draft(str(lake)).scene
    assert scene is not None
    assert overlaps(to_svg(scene)) == [] and outside(to_svg(scene)) == []


@pytest.mark.proof  # 1.4 s
@pytest.mark.parametrize("flags", [["--paper", "a4"], ["--paper", "a3", "--tiles"], []])
def test_a_print_has_no_marks_of_mistakes(flags: list[str], lake: Path) -> None:
    """Errors, and the warnings of a sound map, are on standard error."""
    wrong = CliRunner().invoke(cli, ["draw", str(lake), "--empty", *flags, "--out", str(lake / "board.pdf")])
    assert wrong.exit_code == 1 and "RS242" in wrong.stderr and "RS" not in wrong.stdout
    shutil.copy(GAMES / "tutorial" / "map.yaml", lake / "map.yaml")
    sound = CliRunner().invoke(cli, ["draw", str(lake), "--empty", *flags, "--out", str(lake / "sound.pdf")])
    assert sound.exit_code == 0
    texts = []
    for name in ("board.pdf", "sound.pdf"):
        pages = PdfReader(lake / name).pages
        texts.append(" ".join(page.extract_text() for page in pages))
        assert len(pages) == (4 if "--tiles" in flags else 1)
        assert "wrong" not in texts[-1] and "RS" not in texts[-1] and "map.yaml" not in texts[-1]
    assert all("marsh" in text and "treasury" not in text for text in texts)  # what is on tables is nobody's yet


@pytest.mark.proof  # 1.3 s
def test_a_map_with_a_warning_alone_prints_clean(lake: Path) -> None:
    shutil.copy(GAMES / "tutorial" / "map.yaml", lake / "map.yaml")
    with (lake / "map.yaml").open("a", encoding="utf-8") as file:
        file.write("    atoll: {terrain: land, position: [30, 95]}\n")
    assert "fault" in to_svg(draft(str(lake)).scene or pytest.fail("no marks"))
    assert draft(str(lake), marks=False).scene is None
    done = CliRunner().invoke(cli, ["draw", str(lake), "--empty", "--paper", "a4", "--out", str(lake / "board.pdf")])
    assert done.exit_code == 0 and "RS231" in done.stderr
    assert "RS231" not in " ".join(page.extract_text() for page in PdfReader(lake / "board.pdf").pages)


@pytest.mark.proof  # 0.4 s
def test_a_map_without_mistakes_is_drawn_as_a_game_begins(lake: Path) -> None:
    shutil.copy(GAMES / "tutorial" / "map.yaml", lake / "map.yaml")
    done = drawn(lake)
    assert done.exit_code == 0
    svg = (lake / "board.svg").read_text("utf-8")
    assert "What is wrong" not in svg and "piece.reedham" in svg and "after 0 decisions" in svg


def test_files_that_cannot_be_read_are_told_and_nothing_is_drawn(lake: Path) -> None:
    (lake / "map.yaml").write_text("map: {regions: [", "utf-8")
    done = drawn(lake)
    assert done.exit_code == 2 and "is not drawn" in done.stderr and "map.yaml:" in done.stderr
    assert not (lake / "board.svg").exists()


@pytest.mark.proof  # 0.5 s
def test_mistakes_in_rules_do_not_hide_the_map(lake: Path) -> None:
    (lake / "rules").mkdir(exist_ok=True)
    (lake / "rules" / "own.rules").write_text("procedure broken():\n    set nothing to 1\n", "utf-8")
    scene = draft(str(lake)).scene
    assert scene is not None and any("nothing" in item.svg for item in scene.static)


def test_a_ruleset_that_is_not_there_is_wrong_usage() -> None:
    done = CliRunner().invoke(cli, ["draw", "./nowhere_at_all"])
    assert done.exit_code != 0


def test_a_change_is_noticed(lake: Path) -> None:
    turns: list[float] = []

    def sleep(seconds: float) -> None:
        turns.append(seconds)
        if len(turns) == 2:
            (lake / "map.yaml").write_text("map: {}\n", "utf-8")
        if len(turns) == 3:
            (lake / "board.svg").write_text("<svg/>", "utf-8")

    assert len(list(watched([lake], rounds=5, sleep=sleep))) == 2  # the first without a change
    assert len(turns) == 5
