"""Titles, docs, seats and logs of strangers: on a page they are texts, and nothing more."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import Open
from cases import split, write
from hostile import EVIL, RULESET

from rulespec.cli.main import run
from rulespec.engine.game.game import Game
from rulespec.engine.logs.log_file import LogWriter
from rulespec.engine.logs.native import LogHeader
from rulespec.load import load_ruleset

SEATS = ["<img src=x onerror=alert`3`>", '"><script>alert`4`</script>']


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """The page of a game that ends with a line which is not legal."""
    folder = write(tmp_path / "evil", split(RULESET, "rules/play.rules"))
    game = Game(load_ruleset(str(folder)), SEATS)
    log = tmp_path / "a<img src=x onerror=alert`5`>.jsonl"
    with LogWriter(log, LogHeader.of(game)) as file:
        file.add(game.apply(game.parse("sell(fish, 3)")))
    with log.open("a") as file:
        file.write('{"decision": "work", "by": null, "option": "' + EVIL.replace("/", "\\u002f") + '\\ud800"}\n')
    assert run(["view", str(log), "--rules", str(folder), "--out", str(tmp_path / "page.html")]) == 0
    return tmp_path / "page.html"


def test_texts_of_strangers_stay_texts(open_page: Open, page: Path) -> None:
    opened = open_page(page)  # afterwards, it must not have asked for anything, nor said anything
    assert EVIL in opened.texts("#text")[0]
    opened.press("Home", "ArrowRight")
    opened.page.click("#rules button")
    assert opened.texts("#cited dd") == [EVIL]
    opened.page.select_option("#measure", index=1)
    assert opened.texts("#measure option")[1] == f"{EVIL} sold"
    assert any(EVIL in text for text in opened.texts("#legend li"))
    assert opened.texts("h1") == [f"{EVIL} game"]
    assert SEATS[0] in opened.texts("#about")[0] and "alert`5`" in opened.texts("#about")[0]
    assert opened.page.query_selector_all("img, iframe, object, embed, form, base") == []
    assert len(opened.page.query_selector_all("script")) == 9  # the data, uPlot, and seven of ours
    assert opened.page.title().startswith(f"{EVIL} game")


def test_pictures_of_strangers_are_inert(open_page: Open, page: Path, tmp_path: Path) -> None:
    log = next(tmp_path.glob("*.jsonl"))
    for what, more in ((str(tmp_path / "evil"), ()), (str(log), ("--rules", str(tmp_path / "evil")))):
        assert run(["draw", what, *more, "--out", str(tmp_path / "picture.svg")]) == 0
        opened = open_page(
            tmp_path / "picture.svg"
        )  # afterwards, it must not have asked for anything, nor said anything
        assert opened.page.query_selector_all("script, img, image, foreignObject, a, use") == []
        assert any(EVIL[:20] in text for text in opened.texts("title"))
