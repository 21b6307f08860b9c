"""Games in notebooks: a picture where there is one to be made, text where there is not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from folders import ROOT

from rulespec import Game, load_ruleset


def test_a_game_shows_its_board() -> None:
    game = Game(load_ruleset("tutorial"), ["Ann", "Bob"])
    svg, html = game._repr_svg_(), game._repr_html_()
    assert svg is not None and svg.startswith("<svg ") and "reedhaven" in svg
    assert html is not None and svg in html and "<script" not in html


@pytest.mark.proof  # 0.4 s
def test_a_drawing_with_mistakes_leaves_the_text(tmp_path: Path) -> None:
    folder = tmp_path / "lake"
    folder.mkdir()
    (folder / "game.yaml").write_text("id: lake\ntitle: Lake\nversion: '1'\nextends: tutorial\n", "utf-8")
    (folder / "drawing.yaml").write_text("drawing: {pieces: {armee: {}}}\n", "utf-8")
    game = Game(load_ruleset(str(folder)), ["Ann", "Bob"])
    assert game._repr_svg_() is None and game._repr_html_() is None
    assert repr(game).startswith("<Game lake")


def test_nothing_is_drawn_before_it_is_asked_for() -> None:
    code = "import sys; from rulespec import Game; print([m for m in sys.modules if 'drawing' in m])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.proof  # 0.3 s
def test_a_game_imported_by_its_own_path_is_drawn() -> None:
    code = (
        "from rulespec.engine.game.game import Game; from rulespec.load import load_ruleset; "
        "print(Game(load_ruleset('nim'), ['Ann', 'Bob'])._repr_svg_()[:5])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "<svg \n"
