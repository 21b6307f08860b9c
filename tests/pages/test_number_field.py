"""Many numbers at one decision: typed or found on a slider, by mouse and by keys, on a page and at a table."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from browser import Open, Opened
from cases import split, write
from click.testing import CliRunner
from deadlines import until_in
from market import MARKET
from servers import served

from rulespec.cli.main import cli

pytestmark = pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium")

_FIELD = "#options .numbers"


@pytest.fixture
def market(tmp_path: Path) -> Path:
    return write(tmp_path / "market", split(MARKET, "rules/play.rules"))


def group(page: Any, text: str) -> None:
    page.locator("#options button.group", has_text=text).click()
    page.wait_for_timeout(600)  # two clicks within half a second are one


def is_taken(page: Any, sentence: str) -> None:
    until_in(page, lambda: sentence in page.inner_text("#list"))


@pytest.mark.proof  # 2.3 s
def test_prices_are_one_field_on_a_page(market: Path, open_page: Open, tmp_path: Path) -> None:
    pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")
    out = tmp_path / "market.html"
    done = CliRunner().invoke(cli, ["page", str(market), "--players", "2", "--out", str(out)])
    assert done.exit_code == 0, done.output
    opened = open_page(out, width=393, height=852)
    opened.wait("document.querySelector('#turn').matches('.mine')")
    _check_field(opened.page)
    _check_keys(opened)


def test_few_choices_with_many_numbers_are_listed_at_once(open_page: Open, tmp_path: Path) -> None:
    pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")
    lend = """                option lend(k in 10 coin .. 990 coin where k % 40 == 10 coin, f in firm):
                    set paid to 0 coin - k
"""
    texts = ('  act.lend: "lends {k} to {f}"\n', '  act.lend: "Lend {k} to {f}"\n')
    text = MARKET.replace(lend, "").replace(texts[0], "").replace(texts[1], "")
    folder, out = write(tmp_path / "market", split(text, "rules/play.rules")), tmp_path / "market.html"
    done = CliRunner().invoke(cli, ["page", str(folder), "--players", "2", "--out", str(out)])
    assert done.exit_code == 0, done.output
    opened = open_page(out, width=393, height=852)
    opened.wait("document.querySelector('#turn').matches('.mine')")
    firms = [f"Buy a train of {firm} for … (1\u2013300)" for firm in ("Iron Road", "Mills")]
    assert opened.texts("#options button") == [*firms, "Rest"]
    group(opened.page, "Mills")
    assert opened.page.locator(_FIELD).get_attribute("aria-label") == "Buy a train of Mills for (1\u2013300)"
    opened.page.locator(_FIELD + " [type=number]").fill("120")
    opened.page.locator(_FIELD + " button").click()
    is_taken(opened.page, "buys a train of Mills for £120")


def _check_field(page: Any) -> None:
    group(page, "Buy a train of")
    group(page, "Mills")
    field, typed, slider, button = (
        page.locator(_FIELD + part) for part in ("", " [type=number]", " [type=range]", " button")
    )
    assert page.locator("#options button").count() == 1
    assert field.get_attribute("aria-label") == "Buy a train of Mills for (1\u2013300)"
    assert button.inner_text() == "Buy a train of Mills for £1"
    typed.fill("120")
    assert button.inner_text() == "Buy a train of Mills for £120" and slider.input_value() == "120"
    assert slider.evaluate("(each) => each.ariaValueText") == "Buy a train of Mills for £120"
    for wrong in ("301", "0", "1.5", ""):
        typed.fill(wrong)
        assert button.is_disabled()
    slider.focus()
    slider.press("End")
    assert typed.input_value() == "300" and button.inner_text() == "Buy a train of Mills for £300"
    slider.press("ArrowLeft")
    assert typed.input_value() == "299" and button.is_enabled()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    button.click()
    is_taken(page, "buys a train of Mills for £299")


def _check_keys(opened: Opened) -> None:
    """The number is typed, where the keys were on the way."""
    page = opened.page
    opened.wait("document.querySelector('#turn').matches('.mine')")
    for text in ("Lend", "Iron Road"):
        button = page.locator("#options button.group", has_text=text)
        button.focus()
        page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.matches('#options .numbers [type=number]')")
    page.keyboard.press("Control+a")
    page.keyboard.type("100")  # the step is 40
    assert page.locator(f"{_FIELD} button").is_disabled()
    before = page.locator("#list > li").count()
    page.keyboard.press("Enter")
    assert page.locator("#list > li").count() == before
    page.keyboard.press("Control+a")
    page.keyboard.type("130")
    page.keyboard.press("Enter")
    is_taken(page, "lends £130 to Iron Road")


@pytest.mark.proof  # 3 s, of a browser
def test_prices_are_one_field_at_a_table(market: Path, browser: Any, tmp_path: Path) -> None:
    with served(tmp_path / "t.db", str(market), 2, bots={"B": "random"}) as server:
        page = browser.new_page(viewport={"width": 1360, "height": 850})
        page.goto(f"{server.base}/#{server.keys['seat:A']}")
        page.wait_for_selector("#seats li")
        page.fill("#name", "Ann")
        page.press("#name", "Enter")
        page.wait_for_selector("#turn.mine")
        page.wait_for_selector("#sit", state="hidden")
        group(page, "Buy a train of")
        group(page, "Mills")
        page.fill(f"{_FIELD} [type=number]", "33")
        page.locator(f"{_FIELD} button").hover()
        until_in(page, lambda: page.locator(".preview").is_visible())
        assert "→ £33" in page.inner_text(".preview")
        page.locator("#learn").click()  # what redraws the page leaves what was typed
        assert page.input_value(f"{_FIELD} [type=number]") == "33"
        page.locator(f"{_FIELD} button").click()
        is_taken(page, "buys a train of Mills for £33")
        page.wait_for_selector("#turn.mine")
        _check_field(page)
        page.close()
