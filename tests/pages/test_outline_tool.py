"""The tool for editing outlines on a board: the edits it requests by pointer and by keys, and their effects."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from deadlines import until_in
from folders import GAMES, ROOT

from rulespec.drawing.outlines import Frame, Ring
from rulespec.drawing.pointing import distance, snapped
from rulespec.errors import RulespecError
from rulespec.lsp.map_edits import MapEdits
from rulespec.lsp.map_words import outline_edit
from rulespec.lsp.outline_edits import OutlineEdit, OutlineEdits

MODULES = ("outline_geometry.js", "outline_tool.js")
BOARD: dict[str, Any] = {
    "frame": [0, 0, 400, 300],
    "outlines": {
        "isle": [[[0, 0], [200, 0], [200, 100], [100, 130], [0, 100]]],
        "marsh": [[[200, 0], [400, 0], [400, 100], [200, 100]]],
        "bog": [[[0, 100], [100, 130], [200, 100], [400, 100], [400, 300], [0, 300]]],
    },
    "scenery": {},
    "fixed": ["bog"],
}
Step = dict[str, Any]

_TOOL = """
import { makeOutlineTool, wordsOf } from "./outline_tool.js";
import { inserted, moved } from "./outline_geometry.js";
globalThis.document = { createElementNS: () => ({ setAttribute() {} }) };
const overlay = { append() {}, replaceChildren() {}, setAttribute() {}, getScreenCTM: () => ({ a: 1 }) };
async function run({ board, selection, refused, steps }) {
  const ops = [], words = [], used = [];
  const host = {
    outlines: board, selection, overlay,
    toBoard: (event) => [event.clientX, event.clientY],
    say: (text) => words.push(text),
    send: async (op) => {
      ops.push(op);
      const change = refused ? [] : op.op === "move_point" ? moved(board, op.at, op.to)
        : op.op === "insert_point" ? inserted(board, op.edge, op.to)
        : op.op === "draw_outline" ? [[op.region, [...board.outlines[op.region] ?? [], op.points]]] : [];
      for (const [name, rings] of change) board.outlines[name] = rings;
    },
  };
  const tool = makeOutlineTool(host);
  for (const { handler, ...event } of steps) {
    used.push(tool[handler]({ preventDefault() {}, button: 0, ...event }));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { ops, asked: ops.map(wordsOf), words, used, state: tool.state };
}
const results = {};
for (const [name, data] of Object.entries(JSON.parse(process.argv[2]))) results[name] = await run(data);
console.log(JSON.stringify(results));
"""
_GEOMETRY = """
import { snap } from "./outline_geometry.js";
const { board, places, reach } = JSON.parse(process.argv[2]);
console.log(JSON.stringify(places.map((place) => snap(board, place, reach).point)));
"""


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The modules of the pages in a folder where Node treats them as modules."""
    if shutil.which("node") is None:
        pytest.skip("needs node")
    folder = tmp_path_factory.mktemp("modules")
    for name in MODULES:
        shutil.copy(ROOT / "pages" / name, folder)
    (folder / "package.json").write_text('{"type": "module"}', "utf-8")
    (folder / "tool.js").write_text(_TOOL, "utf-8")
    (folder / "geometry.js").write_text(_GEOMETRY, "utf-8")
    return folder


def run(modules: Path, script: str, data: object) -> Any:
    command = ["node", script, json.dumps(data)]
    answer = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, cwd=modules)
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def played(modules: Path, cases: dict[str, list[Step]], **more: object) -> dict[str, Any]:
    """The tool's responses to lists of events: requested edits, words, and consumed events."""
    data = {name: {"board": BOARD, "selection": ["isle"], "steps": steps, **more} for name, steps in cases.items()}
    result: dict[str, Any] = run(modules, "tool.js", data)
    return result


def at(handler: str, x: float, y: float, **more: bool) -> Step:
    return {"handler": f"pointer{handler}", "clientX": x, "clientY": y, **more}


def dragged(start: tuple[float, float], end: tuple[float, float], **more: bool) -> list[Step]:
    return [at("down", *start, **more), at("move", *end, **more), at("up", *end, **more)]


def keys(*names: str) -> list[Step]:
    """Key presses with releases; `Shift+X` is pressed with Shift."""
    results: list[Step] = []
    for name in names:
        shift, _, plain = name.rpartition("+")
        event = {"key": plain, "shiftKey": shift == "Shift", "altKey": shift == "Alt"}
        results += [{"handler": "key", **event}, {"handler": "keyup", **event}]
    return results


CASES: dict[str, tuple[list[Step], list[dict[str, Any]]]] = {
    "a point": (
        dragged((202, 99), (230, 60)),
        [{"op": "move_point", "at": [200, 100], "to": [230, 60], "snap": 0}],
    ),
    "to a point in reach": (
        dragged((101, 131), (196, 104)),
        [{"op": "move_point", "at": [100, 130], "to": [200, 100], "snap": 0}],
    ),
    "to an edge in reach": (
        dragged((101, 131), (96, 5)),
        [{"op": "move_point", "at": [100, 130], "to": [96, 0], "snap": 1}],
    ),
    "without snapping": (
        dragged((101, 131), (96, 5), altKey=True),
        [{"op": "move_point", "at": [100, 130], "to": [96, 5], "snap": 0}],
    ),
    "along the frame": (
        dragged((200, 2), (230, 40)),
        [{"op": "move_point", "at": [200, 0], "to": [230, 0], "snap": 0}],
    ),
    "alone": (
        dragged((200, 100), (180, 60), shiftKey=True),
        [{"op": "detach_point", "region": "isle", "at": [200, 100], "to": [180, 60], "snap": 0}],
    ),
    "a click chooses": (dragged((202, 99), (202, 99)), []),
    "a new point": (
        dragged((200, 52), (230, 60)),
        [{"op": "insert_point", "edge": [[200, 0], [200, 100]], "to": [230, 60]}],
    ),
    "a new point of the frame": (
        dragged((100, 2), (90, 30)),
        [{"op": "insert_point", "edge": [[0, 0], [200, 0]], "to": [90, 0]}],
    ),
    "beside all": (dragged((100, 60), (90, 30)), []),
    "given up": ([at("down", 200, 100), at("move", 230, 60), *keys("Escape"), at("up", 230, 60)], []),
    "by keys": (
        keys("Tab", "Tab", "Tab", "ArrowRight", "Shift+ArrowDown"),
        [
            {"op": "move_point", "at": [200, 100], "to": [201, 100], "snap": 0},
            {"op": "move_point", "at": [201, 100], "to": [201, 110], "snap": 0},
        ],
    ),
    "a key that is held": (
        [*keys("Tab", "Tab", "Tab"), *keys("ArrowRight")[:1] * 5, *keys("ArrowRight")],
        [{"op": "move_point", "at": [200, 100], "to": [206, 100], "snap": 0}],
    ),
    "a key that is given up": ([*keys("Tab", "Tab", "Tab"), *keys("ArrowRight")[:1], *keys("Escape")], []),
    "alone by keys": (
        keys("Shift+Tab", "Shift+Tab", "d", "ArrowUp"),
        [{"op": "detach_point", "region": "isle", "at": [100, 130], "to": [100, 129], "snap": 0}],
    ),
    "removed": (keys("Tab", "Tab", "Tab", "Tab", "Delete"), [{"op": "remove_point", "at": [100, 130]}]),
    "all removed": (keys("Tab", "Shift+Delete"), [{"op": "remove_outline", "region": "isle"}]),
    "inserted by a key": (
        keys("Tab", "Tab", "i"),
        [{"op": "insert_point", "edge": [[200, 0], [200, 100]], "to": [200, 50]}],
    ),
    "drawn": (
        [
            *keys("n"),
            *(at("down", *place) for place in ((20, 20), (60, 22), (300, 200), (60, 60))),
            *keys("Backspace", "Backspace"),
            at("down", 60, 60),
            at("down", 22, 19),
        ],
        [{"op": "draw_outline", "region": "isle", "points": [[20, 20], [60, 22], [60, 60]], "snap": 1}],
    ),
    "drawn by keys": (
        keys("n", *["Shift+ArrowUp"] * 7, " ", "Shift+ArrowRight", " ", "Shift+ArrowDown", " ", "Enter"),
        [{"op": "draw_outline", "region": "isle", "points": [[200, 80], [210, 80], [210, 90]], "snap": 1}],
    ),
    "drawn along a border": (
        [*keys("n"), at("down", 2, 99), at("move", 198, 101), *keys("f"), at("down", 150, 200), *keys("Enter")],
        [
            {
                "op": "draw_outline",
                "region": "isle",
                "points": [[0, 100], [100, 130], [200, 100], [150, 200]],
                "snap": 1,
            }
        ],
    ),
    "a drawing that is given up": ([*keys("n"), at("down", 20, 20), *keys("Escape", "Enter")], []),
    "two points are none": ([*keys("n"), at("down", 20, 20), at("down", 40, 20), *keys("Enter")], []),
}


@pytest.fixture(scope="module")
def answers(modules: Path) -> dict[str, Any]:
    """The responses in all cases, from a single run."""
    return played(modules, {name: steps for name, (steps, _) in CASES.items()})


@pytest.mark.parametrize("case", CASES)
def test_the_tool_asks_for_edits(case: str, answers: dict[str, Any]) -> None:
    assert answers[case]["ops"] == CASES[case][1]
    for op, words in zip(answers[case]["ops"], answers[case]["asked"], strict=True):
        assert msgspec.convert(op, OutlineEdit) == outline_edit(words[0], words[1:])


def test_what_it_cannot_do_it_says(modules: Path, answers: dict[str, Any]) -> None:
    fixed = played(modules, {"drawn": keys("n")}, selection=["bog"])["drawn"]
    assert fixed["ops"] == [] and fixed["words"] == ["bog comes from the base: its outline stays"]
    none = played(modules, {"drawn": keys("n"), "alone": dragged((200, 100), (180, 60), shiftKey=True)}, selection=[])
    assert none["drawn"]["words"] == ["first choose the region whose outline you want to draw"]
    assert none["alone"]["ops"] == [] and "first choose the region" in none["alone"]["words"][-1]
    assert answers["two points are none"]["words"][-1] == "an outline needs at least three points"
    assert "point 200, 100 of isle, marsh, bog" in answers["by keys"]["words"]


@pytest.mark.proof  # 0.3 s
def test_an_edit_that_is_refused_loses_nothing(modules: Path) -> None:
    cases = {"moved": keys("Tab", "Tab", "Tab", "ArrowRight"), "inserted": keys("Tab", "Tab", "i")}
    answers = played(modules, cases, refused=True)
    assert answers["moved"]["state"]["chosen"] == [200, 100]
    assert answers["inserted"]["state"]["chosen"] is None
    assert played(modules, cases)["moved"]["state"]["chosen"] == [201, 100]
    drawn = [*keys("n"), *(at("down", *place) for place in ((20, 20), (60, 20), (60, 60))), *keys("Enter")]
    assert played(modules, {"drawn": drawn}, refused=True)["drawn"]["state"]["drawing"] == [
        [20, 20],
        [60, 20],
        [60, 60],
    ]


def test_events_that_are_not_its_own_are_left_to_the_page(modules: Path) -> None:
    cases = {
        "beside": [at("down", 100, 60), at("move", 100, 60), at("up", 100, 60)],
        "keys": keys("x", "Enter", "Backspace", "Escape"),
        "after the last": keys(*["Tab"] * 6),
        "leaving": keys("Tab", "Escape", "Tab", "Tab"),
    }
    answers = {name: answer["used"] for name, answer in played(modules, cases).items()}
    assert answers["beside"] == [False] * 3 and answers["keys"] == [False] * 8
    assert answers["after the last"][::2] == [True] * 5 + [False], "the focus goes on"
    assert answers["leaving"][::2] == [True, False, False, True]


def test_the_page_means_the_places_that_the_server_means(modules: Path) -> None:
    choose = random.Random(4)
    places = [(choose.randint(0, 400), choose.randint(0, 300)) for _ in range(400)]
    places += [(x + choose.randint(-9, 9), y + choose.randint(-9, 9)) for _ in range(40) for x, y in ((200, 100),)]
    places = [(max(0, min(400, x)), max(0, min(300, y))) for x, y in places]
    answer = run(modules, "geometry.js", {"board": BOARD, "places": places, "reach": 8})
    rings: list[Ring] = [[(x, y) for x, y in ring] for rings in BOARD["outlines"].values() for ring in rings]
    frame = Frame(*BOARD["frame"])
    for place, meant in zip(places, answer, strict=True):
        expected = snapped(rings, frame, place, 8)[0]
        assert expected == (*meant,) or distance(expected, place) == distance(meant, place), "as near as the other one"


# --- with the edits, in a browser ------------------------------------------------------------------------------------

_PAGE = """
<!DOCTYPE html><meta charset="utf-8">
<style>svg { width: 800px; height: 600px; outline-offset: 2px; } body { margin: 0; }</style>
<svg viewBox="0 0 400 300" tabindex="0"><g id="board"></g><g id="overlay"></g></svg><button>after</button>
<p id="said" aria-live="polite"></p>
<script type="module">
import { makeOutlineTool } from "./outline_tool.js";
const svg = document.querySelector("svg"), overlay = document.querySelector("#overlay");
const host = {
  outlines: await window.board(), selection: ["isle"], overlay,
  toBoard: (event) => {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(overlay.getScreenCTM().inverse());
    return [x, y];
  },
  say: (text) => { document.querySelector("#said").textContent = text; },
  send: async (op) => {
    const refusal = await window.edit(op);
    if (refusal) host.say(refusal);
    host.outlines = await window.board();
  },
};
const tool = makeOutlineTool(host);
for (const name of ["pointerdown", "pointermove", "pointerup", "pointercancel"])
  svg.addEventListener(name, (event) => tool[name](event));
svg.addEventListener("keydown", tool.key);
svg.addEventListener("keyup", tool.keyup);
tool.show();
window.host = host;
window.tool = tool;
</script>
"""
_START = """\
drawing:
  boards:
    region:
      frame: [0, 0, 400, 300]
      outlines:
        isle: {outline: M0 0l200 0 0 100-200 0z}  # by hand
        marsh: {outline: M200 0l200 0 0 100-200 0z}
"""


class Page:
    """A page with the tool on a board, connected to the edits of a map."""

    def __init__(self, browser: Any, folder: Path) -> None:
        self.path = folder / "outlines.yaml"
        self.map = MapEdits(folder)
        self.edits = OutlineEdits(self.map.map)
        self.errors: list[str] = []
        self.tab = browser.new_page(viewport={"width": 1000, "height": 800})
        self.tab.on("pageerror", lambda error: self.errors.append(str(error)))
        self.tab.route("**/*", self._served)
        self.tab.expose_function("board", lambda: json.loads(msgspec.json.encode(self.edits.board())))
        self.tab.expose_function("edit", self._edit)
        self.tab.goto("http://127.0.0.1:1/page.html")
        self.wait("window.tool")

    def _served(self, route: Any) -> None:
        name = route.request.url.rpartition("/")[2]
        if name == "page.html":
            route.fulfill(body=_PAGE, content_type="text/html")
        elif name in MODULES:
            route.fulfill(body=(ROOT / "pages" / name).read_text("utf-8"), content_type="text/javascript")
        else:
            route.fulfill(status=404)

    def _edit(self, message: object) -> str:
        edit: OutlineEdit = msgspec.convert(message, OutlineEdit)
        try:
            self.map.make(lambda: self.edits.edit(edit))
        except RulespecError as error:
            return str(error)
        return ""

    @property
    def outlines(self) -> dict[str, str]:
        """The path data of each region, as written in the file."""
        lines = self.map.map.raw(self.path.resolve()).split("\n")
        parts = (line.strip().partition(": {outline: ") for line in lines if "{outline: " in line)
        return {name: data.partition("}")[0] for name, _, data in parts}

    def wait(self, condition: str | Callable[[], bool]) -> None:
        until_in(
            self.tab,
            lambda: self.tab.evaluate(f"Boolean({condition})") if isinstance(condition, str) else condition(),
            lambda: f"it does not become true that {condition}: {self.outlines}",
        )

    def becomes(self, **outlines: str) -> None:
        """Waits until the outlines have these values, and the page has the answer."""
        self.wait(lambda: all(self.outlines.get(name) == data for name, data in outlines.items()))
        self.tab.wait_for_timeout(50)

    def drag(self, start: tuple[int, int], *places: tuple[int, int], key: str = "") -> None:
        """Drags from one place of the board over others; the board has two pixels per unit."""
        mouse = self.tab.mouse
        mouse.move(2 * start[0], 2 * start[1])
        if key:
            self.tab.keyboard.down(key)
        mouse.down()
        for x, y in places:
            mouse.move(2 * x, 2 * y, steps=3)
        mouse.up()
        if key:
            self.tab.keyboard.up(key)

    def click(self, *places: tuple[int, int]) -> None:
        for x, y in places:
            self.tab.mouse.click(2 * x, 2 * y)

    def press(self, *names: str) -> None:
        self.tab.focus("svg")
        for name in names:
            self.tab.keyboard.press(name)

    def said(self) -> str:
        return str(self.tab.text_content("#said"))


@pytest.fixture
def page(browser: Any, tmp_path: Path) -> Iterator[Page]:
    folder = tmp_path / "lake"
    shutil.copytree(GAMES / "tutorial", folder, ignore=shutil.ignore_patterns("logs", "perft"))
    (folder / "outlines.yaml").write_text(_START, "utf-8")
    result = Page(browser, folder)
    yield result
    result.tab.close()
    assert result.errors == []


@pytest.mark.proof
def test_outlines_are_edited_by_pointer(page: Page) -> None:
    page.drag((201, 99), (220, 130), (180, 120))
    page.becomes(isle="M0 0l200 0-20 120-180-20z", marsh="M200 0l200 0 0 100-220 20z")
    page.drag((190, 60), (200, 70))
    page.becomes(isle="M0 0l200 0 0 70-20 50-180-20z", marsh="M200 0l200 0 0 100-220 20 20-50z")
    page.press("Delete")
    page.becomes(isle="M0 0l200 0-20 120-180-20z", marsh="M200 0l200 0 0 100-220 20z")
    page.drag((180, 120), (150, 90), key="Shift")
    page.becomes(isle="M0 0l200 0-50 90-150 10z", marsh="M200 0l200 0 0 100-220 20z")
    page.drag((150, 90), (178, 118))
    page.becomes(isle="M0 0l200 0-20 120-180-20z")
    page.drag((180, 120), (202, 2), (204, 3), key="Alt")
    page.wait("!tool.state.dragging")
    page.becomes(isle="M0 0l200 0 4 3-204 97z")
    page.drag((204, 3), (180, 330), (180, 360))  # beyond the board: limited to the frame
    page.becomes(isle="M0 0l200 0-20 300-180-200z")


@pytest.mark.proof
def test_an_outline_is_drawn_by_pointer(page: Page) -> None:
    page.tab.evaluate("host.selection = ['forest']; tool.draw()")
    page.click((1, 102), (203, 98), (300, 180), (220, 200), (199, 260), (2, 299))
    page.press("Backspace", "Backspace")
    page.click((202, 298), (2, 298), (2, 101))
    page.becomes(forest="M0 100l200 0 100 80-80 20-18 100-202 0z")
    assert page.map.map.raw(page.path.resolve()).startswith(_START[: _START.index("        isle")])
    page.tab.evaluate("host.selection = ['hills']; tool.draw()")
    page.click((300, 180))
    page.tab.mouse.move(2 * 220, 2 * 200)
    page.press("f")
    page.click((260, 280))
    page.press("Enter")
    page.becomes(hills="M300 180l-80 20 40 80z")
    page.wait("!tool.state.drawing")
    page.press("Shift+Delete")
    page.wait(lambda: "hills" not in page.outlines)


@pytest.mark.proof
def test_outlines_are_edited_and_drawn_by_keys(page: Page) -> None:
    page.press("Tab", "Tab", "Tab", *["Shift+ArrowDown"] * 2, "ArrowLeft")
    page.becomes(isle="M0 0l200 0-1 120-199-20z", marsh="M200 0l200 0 0 100-201 20z")
    page.press("d", "Shift+ArrowUp")
    page.becomes(isle="M0 0l200 0-1 110-199-10z", marsh="M200 0l200 0 0 100-201 20z")
    page.press("Shift+ArrowDown")
    page.becomes(isle="M0 0l200 0-1 120-199-20z")
    page.press("i")
    page.becomes(isle="M0 0l200 0-1 120-99-10-100-10z")
    page.press("Delete")
    page.becomes(isle="M0 0l200 0-1 120-199-20z")
    page.press("Tab", "Delete")  # selects the point before the removed one
    page.wait(lambda: "the border reaches the frame at 0,100" in page.said())
    page.press("Escape")
    page.tab.evaluate("host.selection = ['forest']")
    page.press("n", *["Shift+ArrowDown"] * 5, " ", *["Shift+ArrowRight"] * 4, " ", "Backspace", " ")
    page.press(*["Shift+ArrowDown"] * 4, " ", "Enter")
    page.becomes(forest="M0 150l40 0 0 40z")
    page.press("Escape", "Tab")
    assert page.tab.evaluate("document.activeElement.textContent") == "after", "Tab leaves the board after Escape"


@pytest.mark.proof
def test_what_is_refused_is_said_and_stays(page: Page) -> None:
    page.drag((100, 100), (100, 130))
    page.becomes(isle="M0 0l200 0 0 100-100 30-100-30z")
    before = page.outlines
    page.drag((100, 130), (300, 60))
    page.wait(lambda: page.said() == "borders would cross")
    assert page.outlines == before
    page.drag((200, 0), (230, 60))
    page.becomes(isle="M0 0l230 0-30 100-100 30-100-30z", marsh="M230 0l170 0 0 100-200 0z")
    before = page.outlines
    page.tab.mouse.move(400, 200)
    page.tab.mouse.down()
    page.tab.mouse.move(440, 260)
    page.press("Escape")
    page.tab.mouse.up()
    page.tab.wait_for_timeout(100)
    assert page.outlines == before, "the drag has been given up"
