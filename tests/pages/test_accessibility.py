"""The checks of axe-core on the viewer, the pages without a server, and those of a table: no serious finding."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import Open
from click.testing import CliRunner
from folders import GAMES
from servers import Process

from rulespec.cli.main import cli

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

SIZES = [(1400, 1000), (393, 851)]


def findings(page: Any) -> list[str]:
    """The serious and critical findings: each rule with the elements that break it."""
    violations = axe.Axe().run(page).response["violations"]
    return [
        f"{v['id']}: {[node['html'][:150] for node in v['nodes'][:5]]}"
        for v in violations
        if v["impact"] in ("serious", "critical")
    ]


def written(folder: Path, *args: str) -> Path:
    out = folder / "page.html"
    done = CliRunner().invoke(cli, [*args, "--out", str(out)])
    assert done.exit_code == 0, done.output
    return out


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width, height", SIZES)
@pytest.mark.sampled(1)
@pytest.mark.proof
def test_the_viewer(scheme: str, width: int, height: int, open_page: Open, tmp_path: Path) -> None:
    log = GAMES / "imperial" / "logs" / "quickstart.jsonl"
    opened = open_page(written(tmp_path, "view", str(log)), "#84", width, height)
    opened.page.emulate_media(color_scheme=scheme)
    opened.wait("document.querySelectorAll('#tables td').length > 0")
    assert findings(opened.page) == []


@pytest.mark.parametrize("width, height", SIZES)
@pytest.mark.proof
def test_the_page_without_a_server(width: int, height: int, open_page: Open, tmp_path: Path) -> None:
    opened = open_page(written(tmp_path, "page", "imperial", "--players", "4"), "", width, height)
    opened.wait("document.querySelector('#turn').matches('.mine')")
    assert findings(opened.page) == []


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """One server for all checks: a table of Imperial."""
    server = Process("imperial", "--players", 4, "--bots", 2, "--store", tmp_path_factory.mktemp("store") / "t.db")
    yield server
    server.close()


@pytest.mark.parametrize("who", ["A", "spectators", "owner"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width, height", SIZES)
@pytest.mark.sampled(1)
@pytest.mark.proof
def test_the_page_of_a_table(
    who: str, scheme: Any, width: int, height: int, browser: Any, table: Process, request: pytest.FixtureRequest
) -> None:
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    request.addfinalizer(page.close)
    page.goto(f"{table.base}/#{table.links[who]}")
    page.wait_for_selector("#tables article" if who == "owner" else "#seats li")
    if who == "A" and page.is_visible("#sit"):
        page.fill("#name", "Ann")
        page.press("#name", "Enter")
        page.wait_for_selector("#sit", state="hidden")
    assert findings(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width, height", SIZES)
@pytest.mark.sampled(1)
@pytest.mark.proof
def test_the_page_of_all_rules(scheme: str, width: int, height: int, open_page: Open, tmp_path: Path) -> None:
    opened = open_page(written(tmp_path, "rules", "imperial+cheap_factories"), "", width, height)
    opened.page.emulate_media(color_scheme=scheme)
    assert findings(opened.page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width, height", SIZES)
@pytest.mark.sampled(1)
@pytest.mark.proof
def test_the_page_of_an_archive(scheme: str, width: int, height: int, open_page: Open, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'rulespec[data]'")
    codes = ["simulate", "nim", "--players", "2", "--games", "20", "--seed", "2", "--codes", str(tmp_path / "store")]
    assert CliRunner().invoke(cli, codes).exit_code == 0
    opened = open_page(written(tmp_path, "corpus", "page", str(tmp_path / "store")), "", width, height)
    opened.page.emulate_media(color_scheme=scheme)
    assert findings(opened.page) == []
