"""A map page driven in a browser, with counts of the actions by kind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from deadlines import until_in

from editors import Serving
from rulespec.cli.main import cli


def regions(folder: Path) -> dict[str, dict[str, Any]]:
    data: dict[str, dict[str, Any]] = yaml.safe_load((folder / "map.yaml").read_text("utf-8"))["map"]["regions"]
    return data


def set_up(folder: Path) -> dict[str, dict[str, int]]:
    """The pieces in regions at the start."""
    data: dict[str, dict[str, int]] = yaml.safe_load((folder / "setup.yaml").read_text("utf-8"))["setup"]["pieces"]
    return data


class Driver:
    """A driven page, and the counts of actions by kind: clicks, choices, texts, drags, keys."""

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
        """Waits until an expression is true; evaluated outside the page, because of its policy."""
        until_in(self.page, lambda: self.page.evaluate(condition), lambda: f"it does not become true that {condition}")

    def idle(self) -> None:
        """Waits for all answers and for the resulting picture."""
        self.wait("(document.body.dataset.waiting ?? '0') === '0'")
        self.wait("document.body.dataset.drawn === document.body.dataset.version || document.body.matches('.stale')")
        self.page.wait_for_timeout(30)

    def click(self, selector: str, **how: Any) -> None:
        self.done["clicks"] += 1
        self.page.click(selector, **how)
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
        """A point of the sheet in window coordinates."""
        code = """([x, y]) => {
            const point = new DOMPoint(x, y).matrixTransform(document.querySelector('#board svg').getScreenCTM());
            return [point.x, point.y];
        }"""
        left, top = self.page.evaluate(code, [x, y])
        return left, top

    def inside(self, name: str) -> tuple[float, float]:
        """A point inside a region and outside its label, in window coordinates."""
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

    def middle(self, selector: str) -> tuple[float, float]:
        """The centre of an element in window coordinates."""
        box = self.page.query_selector(selector).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

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
        """Asserts that the page requested only itself, without the key, and reported no error."""
        assert {re.sub(r"^http://127.0.0.1:\d+", "", url).partition("#")[0] for url in self.asked} <= {"/"}
        assert self.page.evaluate("location.hash") == "" and self.wrong == []


Drive = Callable[..., Driver]


@pytest.fixture
def drive(browser: Any) -> Iterator[Drive]:
    """A function that opens pages of a server; at the end, each is checked for errors."""
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
    """Asserts that two maps have the same regions, facts and links, regardless of positions."""
    edited = regions(folder)
    assert edited.keys() == wanted.keys()
    for name, facts in wanted.items():
        now = {k: sorted(v) if isinstance(v, list) else v for k, v in edited[name].items() if k != "position"}
        assert now == {k: sorted(v) if isinstance(v, list) else v for k, v in facts.items()}, name
