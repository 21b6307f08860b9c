"""The pictures in the documentation are those that the program makes: `python -m rulespec draw …` writes them again."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from docs_pages import blocks
from folders import ROOT

from rulespec.cli.main import cli

PICTURES = ROOT / "docs" / "pictures"


def drawn(what: str, out: Path, *more: str) -> str:
    done = CliRunner().invoke(cli, ["draw", what, "--out", str(out), *more])
    assert out.is_file(), done.output
    return out.read_text("utf-8")


def test_a_position_of_a_recorded_game(tmp_path: Path) -> None:
    log = ROOT / "games" / "imperial" / "logs" / "quickstart.jsonl"
    assert drawn(str(log), tmp_path / "x.svg", "--at", "60") == (PICTURES / "europe.svg").read_text("utf-8")


@pytest.mark.parametrize(
    "log, at, picture",
    [
        ("shadow_of_the_emperor/logs/random-4p.jsonl", 80, "emperor.svg"),
        ("gallery/backgammon/logs/gammon.jsonl", 60, "backgammon.svg"),
        ("gallery/ludo/logs/random-3.jsonl", 160, "ludo.svg"),
        ("tetrarchia/logs/random-4p.jsonl", 52, "tetrarchia.svg"),
    ],
)
@pytest.mark.sampled(2)
def test_boards_as_they_are_now(log: str, at: int, picture: str, tmp_path: Path) -> None:
    drawing = drawn(str(ROOT / "games" / log), tmp_path / "x.svg", "--at", str(at))
    assert drawing == (PICTURES / picture).read_text("utf-8")


def test_a_map_with_mistakes(tmp_path: Path) -> None:
    named = [block for block in blocks("docs/guides/draw_a_map.md") if block.name]
    mistakes = next(block for block in named if block.name == "isles/map.yaml")
    (tmp_path / "island.svg").write_text(named[0].body, "utf-8")
    product = CliRunner().invoke(cli, ["new", "isles", "--map", str(tmp_path / "island.svg"), "--to", str(tmp_path)])
    assert product.exit_code == 0
    (tmp_path / "isles" / "map.yaml").write_text(mistakes.body, "utf-8")
    result = drawn(str(tmp_path / "isles"), tmp_path / "x.svg")
    assert result == (PICTURES / "mistakes.svg").read_text("utf-8")


@pytest.mark.parametrize("picture", sorted(PICTURES.glob("*.svg")), ids=lambda path: path.name)
def test_pictures_of_the_documentation_are_inert(picture: Path) -> None:
    text = picture.read_text("utf-8")
    assert "<script" not in text and "href" not in text and "url(" not in text
    assert text.replace("http://www.w3.org/2000/svg", "").count("http") == 0
