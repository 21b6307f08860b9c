"""A map that begins on a page: from an empty folder and a drawing to a sound variant, in a browser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from deadlines import until_in
from map_pages import regions, validated
from ring_maps import COLOURS, ring_map

from editors import KEY, files, starting
from rulespec.cli.main import cli

NAMES = ("Ardland", "Bor", "Cern", "Döll", "East Fenn", "Far Gate")
DROP = """([name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name));
    document.getElementById('drop').dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true}));
}"""


class StartPage:
    """The page of a folder without a map, with what has been done on it by kind."""

    def __init__(self, page: Any, base: str) -> None:
        self.page = page
        self.done: Counter[str] = Counter()
        self.wrong: list[str] = []
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", lambda message: self.wrong.append(message.text))
        page.goto(f"{base}/#{KEY}")
        page.wait_for_selector("#start:not([hidden])")

    def wait(self, condition: str) -> None:
        until_in(self.page, lambda: self.page.evaluate(condition), lambda: f"it does not become true that {condition}")

    def answered(self) -> None:
        self.wait("document.body.dataset.waiting === '0'")

    def drop(self, name: str, text: str) -> None:
        self.done["drags"] += 1
        self.page.evaluate(DROP, [name, text])
        self.answered()

    def choose(self, selector: str, value: str) -> None:
        self.done["choices"] += 1
        self.page.select_option(selector, value)
        self.answered()

    def fill(self, selector: str, text: str) -> None:
        self.done["texts"] += 1
        self.page.fill(selector, text)

    def click(self, selector: str) -> None:
        self.done["clicks"] += 1
        self.page.click(selector)
        self.answered()

    def begin(self) -> None:
        """Begins the map, and waits for its page."""
        self.done["clicks"] += 1
        with self.page.expect_navigation():
            self.page.click("#begin")
        self.idle()

    def idle(self) -> None:
        """Waits for the editor, its answers and its picture."""
        self.wait("document.querySelector('#board svg')?.dataset.tool && document.body.dataset.drawn")
        self.wait("(document.body.dataset.waiting ?? '0') === '0'")
        self.wait("document.body.dataset.drawn === document.body.dataset.version")

    def text(self, selector: str) -> str:
        return str(self.page.text_content(selector))

    @property
    def fits(self) -> bool:
        return bool(self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


@pytest.fixture
def start(browser: Any, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[StartPage]:
    """The page of an empty folder, or of `request.param` as its width."""
    folder = tmp_path / "six_lands"
    folder.mkdir()
    with starting(folder) as base:
        width = getattr(request, "param", 1360)
        opened = StartPage(browser.new_page(viewport={"width": width, "height": 900}), base)
        yield opened
        opened.page.close()
    assert opened.wrong == []


@pytest.mark.proof
def test_from_an_empty_folder_to_a_sound_variant_of_six_nations(start: StartPage, tmp_path: Path) -> None:
    """Each action is counted: a drop, a choice, a click, a filled field."""
    folder = tmp_path / "six_lands"
    start.drop("ring.svg", ring_map())
    assert start.text("#counts") == "Read: 24 regions (named 24 by text), 54 pairs that touch"
    start.choose("#base", "imperial")
    start.begin()
    for colour, name in zip(COLOURS, NAMES, strict=False):
        start.fill(f"#colours li:has([aria-label='What {colour} says']) input", name)
    for button in ("#colours_take", "#offers_all"):
        start.click(button)
        start.idle()
    assert start.text("#sound") == "No problems in the map's own files" and start.page.is_hidden("#offers_head")
    assert [
        fault.split(" for ")[0]
        for fault in start.page.eval_on_selector_all("#others li", "items => items.map(item => item.textContent)")
    ] == ["no link is proposed"]
    assert validated(folder) == "" and len(regions(folder)) == 24
    assert (folder / "drawing.svg").read_text("utf-8") == ring_map(), "the drawing is kept for `--update`"
    assert sum(start.done.values()) == 11 <= 200
    played = CliRunner().invoke(cli, ["simulate", str(folder), "--games", "200", "--players", "6", "--seed", "1"])
    assert played.exit_code == 0 and "a nation has all power points  200" in played.output, played.output
    updated = CliRunner().invoke(
        cli, ["new", "six_lands", "--to", str(tmp_path), "--map", str(folder / "drawing.svg"), "--update", "--yes"]
    )
    assert "the map already matches the drawing" in updated.output, updated.output


LAYERS = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 30"><g id="provinces">
<rect id="oak" width="40" height="30"/><rect id="elm" x="40" width="40" height="30"/></g>
<circle id="oak_town" cx="10" cy="10" r="2"/><circle id="elm_town" cx="50" cy="10" r="2"/></svg>"""


@pytest.mark.proof
@pytest.mark.parametrize("start", [393, 1360], indirect=True)
def test_what_is_doubtful_is_a_button_and_what_is_refused_a_sentence(start: StartPage, tmp_path: Path) -> None:
    start.drop("notes.txt", "oak")
    assert "`notes.txt` is not a drawing: the name must end in .svg" in start.text("#notice")
    start.drop("empty.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>")
    assert start.text("#counts") == "It cannot be read" and start.page.is_disabled("#begin")
    assert "no shape in this drawing has a name" in start.text("#findings li")
    start.drop("layers.svg", LAYERS)
    assert start.text("#counts").startswith("Read: 4 regions") and start.page.is_hidden("#notice")
    assert len(start.page.query_selector_all("#preview path")) == 4
    start.click("#findings button")
    assert start.text("#counts").startswith("Read: 2 regions") and start.fits
    start.fill("#name", "Two Trees")
    start.click("#again")
    assert "Two Trees is not a valid ruleset name" in start.text("#findings li")
    start.fill("#name", "two_trees")
    start.click("#again")
    start.begin()
    assert regions(tmp_path / "six_lands").keys() == {"oak", "elm"}
    assert "id: two_trees" in (tmp_path / "six_lands" / "game.yaml").read_text("utf-8")


@pytest.mark.proof
def test_files_that_come_in_between_are_not_overwritten(start: StartPage, tmp_path: Path) -> None:
    start.drop("layers.svg", LAYERS)
    (tmp_path / "six_lands" / "map.yaml").write_text("mine", "utf-8")
    start.click("#begin")
    assert "the folder now has other files" in start.text("#notice")
    assert files(tmp_path / "six_lands") == {"map.yaml": b"mine"}
