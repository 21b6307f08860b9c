"""The page of a map in a real browser: one edit of each kind, and the work of others at once."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from map_pages import Drive, regions

from editors import copied, editing, files


@pytest.mark.proof  # 3.7 s
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


@pytest.mark.proof
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
@pytest.mark.proof
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
