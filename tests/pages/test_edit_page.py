"""The page of a map in a real browser: maps from nothing, mistakes mended by clicks, and work of others at once."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from folders import GAMES

from editors import Serving, copied, editing, emptied, files
from rulespec.cli.main import cli
from rulespec.lsp.map_files import MapFiles
from rulespec.lsp.outline_edits import OutlineEdits

KINDS = ("land", "sea", "coast")
DRAWN: dict[str, list[int]] = yaml.safe_load((GAMES / "tutorial" / "drawing.yaml").read_text("utf-8"))["drawing"][
    "boards"
]["region"]["positions"]


def regions(folder: Path) -> dict[str, dict[str, Any]]:
    data: dict[str, dict[str, Any]] = yaml.safe_load((folder / "map.yaml").read_text("utf-8"))["map"]["regions"]
    return data


class Driver:
    """A page that is driven, and what has been done by kind: clicks, choices, texts, drags, keys."""

    def __init__(self, page: Any, serving: Serving) -> None:
        self.page = page
        self.done: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.asked: list[str] = []
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", lambda message: self.wrong.append(message.text))
        page.on("request", lambda request: self.asked.append(request.url))
        page.goto(serving.link)
        self.wait("document.querySelector('#board svg')?.dataset.tool && document.body.dataset.drawn")

    def wait(self, condition: str) -> None:
        """Waits until an expression is true in the page, whose policy allows no other way."""
        for _ in range(400):
            if self.page.evaluate(condition):
                return
            self.page.wait_for_timeout(25)
        raise AssertionError(f"it does not become true that {condition}")

    def idle(self) -> None:
        """Waits for the answers, and for their picture."""
        self.wait("(document.body.dataset.waiting ?? '0') === '0'")
        self.wait("document.body.dataset.drawn === document.body.dataset.version || document.body.matches('.stale')")
        self.page.wait_for_timeout(30)

    def click(self, selector: str) -> None:
        self.done["clicks"] += 1
        self.page.click(selector)
        self.idle()

    def choose(self, name: str, value: str) -> None:
        self.done["choices"] += 1
        self.page.select_option(f"#form [name={name}]", value)
        self.idle()

    def text(self, text: str) -> None:
        self.done["texts"] += 1
        self.page.keyboard.type(text)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.done["keys"] += 1
            self.page.keyboard.press(key)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """A point of the sheet in the window."""
        code = """([x, y]) => {
            const point = new DOMPoint(x, y).matrixTransform(document.querySelector('#board svg').getScreenCTM());
            return [point.x, point.y];
        }"""
        left, top = self.page.evaluate(code, [x, y])
        return left, top

    def inside(self, name: str) -> tuple[float, float]:
        """A point of a region in the window where its label is not."""
        code = """(name) => {
            const area = document.querySelector(`[data-place="region.${name}"]`), box = area.getBoundingClientRect();
            for (let n = 1; n < 400; n++) {
                const x = box.left + box.width * ((n * 0.754877) % 1), y = box.top + box.height * ((n * 0.569840) % 1);
                const under = document.elementFromPoint(x, y)?.closest('[data-place], [data-item^="name."]');
                if (under === area) return [x, y];
            }
            return null;
        }"""
        point = self.page.evaluate(code, name)
        assert point is not None, f"nothing of {name} is in sight"
        return point[0], point[1]

    def click_at(self, point: tuple[float, float], **how: Any) -> None:
        self.done["clicks"] += 1
        self.page.mouse.click(*point, **how)
        self.idle()

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        self.done["drags"] += 1
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        self.page.mouse.move(*end)
        self.page.mouse.up()
        self.idle()

    def texts(self, selector: str) -> list[str]:
        return [str(each.text_content()).strip() for each in self.page.query_selector_all(selector)]

    def undo_all(self) -> None:
        while self.page.is_enabled("#undo"):
            before = self.page.evaluate("document.querySelector('#undo').textContent")
            self.page.click("#undo")
            self.idle()
            assert self.page.evaluate("document.querySelector('#undo').textContent") != before or self.page.is_disabled(
                "#undo"
            )

    def sound(self) -> None:
        """It has asked for itself alone, without the key, and complained of nothing."""
        assert {re.sub(r"^http://127.0.0.1:\d+", "", url).partition("#")[0] for url in self.asked} <= {"/"}
        assert self.page.evaluate("location.hash") == "" and self.wrong == []


Drive = Callable[..., Driver]


@pytest.fixture
def drive(browser: Any) -> Iterator[Drive]:
    """Opens pages of a server; at the end none has complained."""
    opened: list[Driver] = []

    def open_(serving: Serving, width: int = 1360, height: int = 900, **how: Any) -> Driver:
        opened.append(Driver(browser.new_page(viewport={"width": width, "height": height}, **how), serving))
        return opened[-1]

    yield open_
    for each in opened:
        each.sound()
        each.page.close()


def validated(folder: Path) -> str:
    done = CliRunner().invoke(cli, ["validate", str(folder)])
    return "" if done.exit_code == 0 else done.output


def same_map(folder: Path, wanted: dict[str, dict[str, Any]]) -> None:
    edited = regions(folder)
    assert edited.keys() == wanted.keys()
    for name, facts in wanted.items():
        now = {k: sorted(v) if isinstance(v, list) else v for k, v in edited[name].items() if k != "position"}
        assert now == {k: sorted(v) if isinstance(v, list) else v for k, v in facts.items()}, name


def links_of(wanted: dict[str, dict[str, Any]]) -> dict[str, list[str]]:
    """The links of a map, each once: region → regions."""
    results: dict[str, list[str]] = {}
    for name, facts in wanted.items():
        ends = [end for kind in KINDS for end in facts.get(kind, []) if name not in results.get(end, [])]
        if ends:
            results[name] = ends
    return results


# --- one of each --------------------------------------------------------------------------------------------


def test_a_region_is_added_moved_and_linked(drive: Drive, tmp_path: Path) -> None:
    folder = copied("tutorial", tmp_path / "lake")
    before = files(folder)
    with editing(folder) as serving:
        page = drive(serving)
        assert page.texts("#sound") == ["No problems"] and len(page.texts("#regions [role=option]")) == 12
        page.click("#tools button:nth-child(2)")
        page.click_at(page.inside("marsh"))
        page.text("Far Cape")
        page.press("Enter")
        page.idle()
        page.wait("document.querySelector('#form_head')?.textContent === 'Far Cape'")
        page.choose("terrain", "land")
        page.click("#tools button:nth-child(1)")
        page.wait("document.querySelector('[data-place=\"region.far_cape\"]')")
        page.drag(page.inside("far_cape"), page.inside("marsh"))
        assert regions(folder)["far_cape"]["land"] == ["marsh"] and regions(folder)["far_cape"]["title"] == "Far Cape"
        at = regions(folder)["far_cape"]["position"]
        box = page.page.query_selector("[data-item='name.far_cape']").bounding_box()
        middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.drag(middle, (middle[0] - 60, middle[1] - 30))
        moved = regions(folder)["far_cape"]["position"]
        assert moved[0] < at[0] and moved[1] < at[1]
        assert page.texts("#sound") == ["No problems"] and page.texts("#notice") == [""]
        page.undo_all()
    assert files(folder) == before


def test_keys_of_the_board_and_of_the_list(drive: Drive, tmp_path: Path) -> None:
    folder = copied("tutorial", tmp_path / "lake")
    with editing(folder) as serving:
        page = drive(serving)
        page.text("re")  # letters type ahead in the list, and are no commands
        assert page.texts("#form_head") == ["reedham"]
        page.press("Enter")
        assert page.page.evaluate("document.activeElement.name") == "terrain"
        page.press("Escape", "ArrowDown")
        assert page.texts("#form_head") == ["reedhaven"]
        page.page.focus("#board svg")
        page.press("ArrowRight", "ArrowRight", "Shift+ArrowDown")
        page.wait("document.querySelector('#undo').textContent === 'Undo: move reedhaven'")
        assert "reedhaven: [33, 46]" in (folder / "drawing.yaml").read_text("utf-8")
        page.press("l")
        assert page.page.get_attribute("#board svg", "data-tool") == "link"
        page.press("Control+z")
        page.wait("document.querySelector('#redo').textContent === 'Redo: move reedhaven'")
        page.press("F2")
        page.text("reed_haven")
        page.press("Enter")
        page.idle()
        page.wait("document.querySelector('#form_head').textContent === 'reed haven'")
        assert "reed_haven" in (folder / "titles.de.yaml").read_text("utf-8")


# --- whole maps ---------------------------------------------------------------------------------------------


@pytest.mark.proof
def test_a_map_from_nothing_by_the_pointer(drive: Drive, tmp_path: Path) -> None:
    wanted = regions(GAMES / "tutorial")
    folder = emptied(copied("tutorial", tmp_path / "lake"))
    before = files(folder)
    with editing(folder) as serving:
        page = drive(serving)
        page.click("#tools button:nth-child(2)")
        for name, facts in wanted.items():
            x, y = DRAWN[name]
            page.click_at(page.at(118 + (x + 14) / 102 * 800, 98 + (y + 16) / 102 * 540))
            page.text(name)
            page.press("Enter")
            page.idle()
            page.wait(f"document.querySelector('#form .note')?.textContent === '{name}'")
            for fact in ("terrain", "home", "city", "port"):
                if fact in facts:
                    page.choose(fact, facts[fact])
        page.click("#tools button:nth-child(1)")
        page.page.wait_for_timeout(500)
        for name, ends in links_of(wanted).items():
            for end in ends:
                page.drag(page.inside(name), page.inside(end))
        assert sum(page.done.values()) <= 90, page.done
        assert page.texts("#sound") == ["No problems"] and page.texts("#asking_head") == [""]
        same_map(folder, wanted)
        assert validated(folder) == ""
        played = CliRunner().invoke(cli, ["simulate", str(folder), "--games", "5", "--players", "3"])
        assert played.exit_code == 0, played.output
        saved = files(folder)
        page.choose("terrain", page.page.input_value("#form [name=terrain]"))
        assert files(folder) == saved, "what is so already changes nothing"
        page.undo_all()
    assert files(folder) == before


NATIONS = ("austria_hungary", "italy", "france", "great_britain", "germany", "russia")
FACTORIES = """setup:
  pieces:
    factory.at: {{{}}}
"""


def ring_of_nations() -> tuple[dict[str, dict[str, str]], list[tuple[str, str]]]:
    """Six nations in a ring around six seas, each with a city of either kind: 24 regions, and their links."""
    facts: dict[str, dict[str, str]] = {}
    links: list[tuple[str, str]] = []
    for i, nation in enumerate(NATIONS):
        home, after = {"terrain": "province", "home": nation}, (i + 1) % len(NATIONS)
        facts[f"s{i}"] = {"terrain": "sea"}
        facts[f"p{i}a"] = home | {"city": "armaments"}
        facts[f"p{i}b"] = home | {"city": "shipyard", "port": f"s{i}"}
        facts[f"p{i}c"] = home
        links += [(f"p{i}a", f"p{i}b"), (f"p{i}b", f"p{i}c"), (f"p{i}c", f"p{after}a"), (f"p{i}b", f"s{i}")]
        links.append((f"s{i}", f"s{after}"))
    return facts, links


@pytest.mark.proof
def test_a_map_of_24_regions_for_the_plain_rules(drive: Drive, tmp_path: Path) -> None:
    facts, links = ring_of_nations()
    folder = tmp_path / "ring"
    product = CliRunner().invoke(cli, ["new", "ring", "--from", "imperial", "--map", "a", "--to", str(tmp_path)])
    assert product.exit_code == 0, product.output
    map_ = folder / "map.yaml"
    map_.write_text(map_.read_text("utf-8").replace("regions:\n    a: {}", "regions: {}"), "utf-8")
    cities = [f"{name}: 1" for name, each in facts.items() if "city" in each]
    (folder / "setup.yaml").write_text(FACTORIES.format(", ".join(cities)), "utf-8")
    with editing(folder) as serving:
        page = drive(serving, 1360, 1000)
        page.click("#tools button:nth-child(2)")
        for n, name in enumerate(facts):
            nation, part = divmod(n, 4)
            page.click_at(page.at(120 + nation * 150, 100 + (part + nation % 2 / 2) * 130))
            page.text(name)
            page.press("Enter")
            page.idle()
            page.wait(f"document.querySelector('#form .note')?.textContent === '{name}'")
            for fact, value in facts[name].items():
                page.choose(fact, value)
        page.click("#tools button:nth-child(1)")
        for one, other in links:
            page.drag(page.inside(one), page.inside(other))
        assert page.texts("#asking_head") == [""], "no kind of a link was asked"
        edited = regions(folder)
        assert {name: {k: edited[name][k] for k in each} for name, each in facts.items()} == facts
        assert sum(len(edited[name].get(kind, [])) for name in edited for kind in KINDS) in (30, 60)
        assert sum(page.done.values()) <= 164, page.done
        assert validated(folder) == ""


@pytest.mark.proof
def test_a_map_from_nothing_by_keys_alone(drive: Drive, tmp_path: Path) -> None:
    wanted = regions(GAMES / "tutorial")
    folder = emptied(copied("tutorial", tmp_path / "lake"))
    with editing(folder) as serving:
        page = drive(serving)

        def typed(value: str) -> None:
            """Types the title of a value ahead in the select that has the focus."""
            code = """(value) => [...document.activeElement.options].find((each) => each.value === value).text"""
            page.text(page.page.evaluate(code, value))

        for name, facts in wanted.items():
            page.press("Insert")
            page.text(name)
            page.press("Enter")
            page.idle()
            page.wait("document.activeElement.name === 'terrain'")
            typed(facts["terrain"])
            for fact in ("home", "city", "port"):
                if fact in facts:
                    page.press("Tab")
                    typed(facts[fact])
            page.press("Enter")
            page.idle()
            page.press("Escape")
        for name, ends in links_of(wanted).items():
            page.page.wait_for_timeout(850)  # or the list goes on with what was typed before
            page.text(name.replace("_", " "))
            page.press("Enter", "Tab", "Tab", "Tab", "Tab")
            assert page.page.evaluate("document.activeElement.name") == "link_to"
            for end in ends:
                page.page.wait_for_timeout(1_050)
                typed(end)
                page.press("Enter")
                page.idle()
            page.press("Escape")
        assert page.done["keys"] <= 350 and page.done.keys() == {"keys", "texts"}, page.done
        assert page.texts("#sound") == ["No problems"]
        same_map(folder, wanted)
        assert validated(folder) == ""


# --- mistakes -----------------------------------------------------------------------------------------------


def chip(kind: str, end: str) -> str:
    return f"#form ul[aria-label={kind}] [data-end={end}]"


def misspelt(page: Driver) -> None:
    page.click("#faults .fix")


def missing(page: Driver) -> None:
    page.click("#faults .fault")
    page.choose("terrain", "land")


def to_nothing(page: Driver) -> None:
    page.click("#faults .fault")
    page.click(chip("land", "nowhere"))


def wrong_kind(page: Driver) -> None:
    page.click("#faults li:nth-child(2) .fault")
    page.click(chip("land", "north_lake"))
    page.click("#faults .fix")


def cityless(page: Driver) -> None:
    page.click("#faults .fault")
    page.choose("city", "shipyard")


def portless(page: Driver) -> None:
    page.click("#faults .fault")
    page.choose("port", "north_lake")


def unreachable(page: Driver) -> None:
    page.click("#faults .fault")
    page.choose("link_to", "north_lake")
    page.choose("link_to", "south_lake")


def twice(page: Driver) -> None:
    page.click("#faults .fix")
    page.click("#regions [data-name=marsh_2]")
    page.click("#form button:text('Remove')")


MISTAKES: dict[str, tuple[Callable[[Driver], None], list[tuple[str, str]]]] = {
    "misspelt fact": (misspelt, [("hills: {terrain", "hills: {terain")]),
    "missing fact": (missing, [("marsh: {terrain: land, ", "marsh: {")]),
    "link to nothing": (to_nothing, [("land: [reedhaven, heathfield]", "land: [reedhaven, heathfield, nowhere]")]),
    "link of a wrong kind": (
        wrong_kind,
        [("land, coast: [north_lake, south_lake]", "land, land: [north_lake], coast: [south_lake]")],
    ),
    "port of a town without one": (cityless, [("home: reed, city: shipyard", "home: reed")]),
    "port without its sea": (portless, [("port: north_lake, ", "")]),
    "unreachable region": (
        unreachable,
        [
            ("isle: {terrain: land, coast: [north_lake, south_lake]}", "isle: {terrain: land}"),
            ("forest, isle]", "forest]"),
            ("marsh, isle]", "marsh]"),
        ],
    ),
    "one name twice": (twice, [("    isle: {", "    marsh: {terrain: land}\n    isle: {")]),
}


@pytest.mark.proof
def test_mistakes_are_mended_by_clicks(drive: Drive, tmp_path: Path) -> None:
    folder = copied("tutorial", tmp_path / "lake")
    path, text = folder / "map.yaml", (folder / "map.yaml").read_text("utf-8")
    with editing(folder) as serving:
        page = drive(serving)
        for name, (mend, changes) in MISTAKES.items():
            wrong = text
            for old, new in changes:
                assert old in wrong, (name, old)
                wrong = wrong.replace(old, new)
            path.write_text(wrong, "utf-8")
            page.wait("document.querySelectorAll('#faults li').length > 0")
            page.done.clear()
            mend(page)
            if page.page.is_visible("#asking"):
                page.click("#asking_buttons button")
            page.wait("document.querySelector('#sound').textContent === 'No problems'")
            assert validated(folder) == "", name
            same_map(folder, regions(GAMES / "tutorial"))
            assert set(page.done) <= {"clicks", "choices"} and sum(page.done.values()) <= 5, name


@pytest.mark.proof
def test_half_written_files_keep_the_last_board(drive: Drive, tmp_path: Path) -> None:
    folder = copied("tutorial", tmp_path / "lake")
    path, text = folder / "map.yaml", (folder / "map.yaml").read_text("utf-8")
    with editing(folder) as serving:
        page = drive(serving)
        page.click("#regions [data-name=forest]")
        page.page.focus("#form [name=title]")
        page.page.keyboard.type("Half a ti")
        label = page.page.query_selector("[data-item='name.isle']").bounding_box()
        page.page.mouse.move(label["x"] + 5, label["y"] + 5)
        path.write_text(text + "    half: {terr", "utf-8")
        page.wait("document.body.matches('.stale')")
        assert "map.yaml:" in page.texts("#hint")[0] and len(page.texts("#regions [role=option]")) == 12
        assert page.page.input_value("#form [name=title]") == "Half a ti"
        assert page.page.evaluate("document.activeElement.name") == "title"
        path.write_text(text.replace("hills: {terrain: land", "hills: {terrain: sea"), "utf-8")
        page.wait("!document.body.matches('.stale')")
        assert page.page.input_value("#form [name=title]") == "Half a ti"
        page.press("Enter")
        page.idle()
        assert regions(folder)["forest"]["title"] == "Half a ti" and regions(folder)["hills"]["terrain"] == "sea"


@pytest.mark.proof
def test_a_drag_and_the_zoom_survive_what_others_do(drive: Drive, tmp_path: Path) -> None:
    folder = copied("tutorial", tmp_path / "lake")
    path, text = folder / "map.yaml", (folder / "map.yaml").read_text("utf-8")
    with editing(folder) as serving:
        page = drive(serving)
        page.click("#closer")
        view = page.page.get_attribute("#board svg", "viewBox")
        box = page.page.query_selector("[data-item='name.isle']").bounding_box()
        at = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.page.mouse.move(*at)
        page.page.mouse.down()
        page.page.mouse.move(at[0] + 40, at[1])
        path.write_text(text.replace("hills: {terrain: land", "hills: {terrain: sea"), "utf-8")
        page.wait("document.querySelectorAll('#faults li').length > 0")
        page.page.wait_for_timeout(500)
        page.page.mouse.move(at[0] + 80, at[1])
        assert page.page.get_attribute("[data-item='name.isle']", "transform") is not None
        page.page.mouse.up()
        page.idle()
        assert page.page.get_attribute("#board svg", "viewBox") == view
        assert "isle: [44, 51]" not in (folder / "drawing.yaml").read_text("utf-8")
        assert regions(folder)["hills"]["terrain"] == "sea"


@pytest.mark.proof
def test_two_pages_and_an_editor_lose_nothing(tmp_path: Path) -> None:
    """400 edits, in an order by chance: each is there at the end, or was refused."""
    folder = copied("tutorial", tmp_path / "lake")
    path, chance = folder / "map.yaml", random.Random(38)
    wanted: dict[str, str] = {}
    with editing(folder) as first, editing(folder) as second:
        pages = [first.page(), first.page(), second.page()]
        names = [f"place_{n}" for n in range(40)]
        assert "done" in pages[0].edit(*(f"add {name} terrain=land" for name in names))
        for n in range(360):
            name, value = chance.choice(names), f"text_{n}"
            who = chance.randrange(4)
            if who < 3:
                assert "done" in pages[who].edit(f"set {name} title {value}")
            else:
                line = next(line for line in path.read_text("utf-8").splitlines() if line.startswith(f"    {name}:"))
                changed = re.sub(r"title: \w+, |", "", line, count=1).replace("{", f"{{title: {value}, ", 1)
                changed = re.sub(r"(title: \w+, )(title: \w+, )", r"\1", changed)
                path.write_text(path.read_text("utf-8").replace(line, changed), "utf-8")
            wanted[name] = value
            for page in pages:
                page.drain()
    now = regions(folder)
    assert {name: now[name].get("title") for name in wanted} == wanted


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width, height", [(1360, 900), (800, 1000)])
@pytest.mark.sampled(1)
def test_the_page_of_a_map_is_accessible(scheme: str, width: int, height: int, drive: Drive, tmp_path: Path) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    folder = copied("tutorial", tmp_path / "lake")
    path = folder / "map.yaml"
    path.write_text(path.read_text("utf-8").replace("hills: {terrain", "hills: {terain"), "utf-8")
    with editing(folder) as serving:
        page = drive(serving, width, height, color_scheme=scheme)
        page.click("#regions [data-name=reedhaven]")
        for opened in ("", "#help", "#add"):
            if opened:
                page.page.click(opened)
            violations = axe.Axe().run(page.page).response["violations"]
            serious = [v for v in violations if v["impact"] in ("serious", "critical")]
            assert [(v["id"], [node["html"][:150] for node in v["nodes"][:5]]) for v in serious] == []
            page.page.keyboard.press("Escape")


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
    """A point moves in all outlines that have it; a new one, an outline that goes, and one that is drawn by keys."""
    folder = copied("imperial", tmp_path / "mine")
    with editing(folder) as serving:
        edited_outlines(drive(serving), folder)


def edited_outlines(d: Driver, folder: Path) -> None:
    before, board = files(folder), OutlineEdits(MapFiles(folder)).board()
    d.click_at(d.inside("munich"))
    d.page.keyboard.press("o")
    d.wait("document.querySelectorAll('.outline-point').length > 20")
    for _ in range(4):
        d.click("#closer")
    start = d.page.evaluate(_POINT)
    assert start is not None
    d.drag(tuple(start), (start[0] + 9, start[1] + 5))
    now = OutlineEdits(MapFiles(folder)).board()
    changed = {name for name, rings in board.outlines.items() if now.outlines[name] != rings}
    assert "munich" in changed and set(d.texts("#undo")) == {"Undo: move point"}
    assert {name for name, data in files(folder).items() if before[name] != data} == {"outlines.yaml"}
    d.page.focus("#board svg")
    d.press("Shift+Delete")
    d.idle()
    assert "munich" not in OutlineEdits(MapFiles(folder)).board().outlines
    d.click("#undo")
    d.click("#undo")
    assert files(folder) == before
    d.sound()


@pytest.mark.proof
def test_the_first_outline_of_a_map_is_drawn_by_keys(drive: Drive, tmp_path: Path) -> None:
    folder = copied("tutorial", tmp_path / "mine")
    with editing(folder) as serving:
        drawn_outline(drive(serving), folder)


def drawn_outline(d: Driver, folder: Path) -> None:
    d.click_at(d.inside("marsh"))
    d.press("o", "n", "Space")
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft"):
        d.press(*[key] * 6, "Space")
    d.press("Backspace")
    d.press("Space", "Enter")
    d.idle()
    ((ring,),) = OutlineEdits(MapFiles(folder)).board().outlines.values()
    xs, ys = {x for x, _ in ring}, {y for _, y in ring}
    assert (len(ring), max(xs) - min(xs), max(ys) - min(ys)) == (4, 6, 6)
    d.click("#undo")
    assert not OutlineEdits(MapFiles(folder)).board().outlines
