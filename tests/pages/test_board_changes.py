"""The board of a page: changes alone are kept, and give each position back."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from browser import Open
from folders import GAMES, SHIPPED

from rulespec.cli.main import run
from rulespec.drawing.board import board_of
from rulespec.drawing.scene import SceneItem
from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.state_json import state_json
from rulespec.engine.replay.replay import replay_log
from rulespec.engine.words.words import Words
from rulespec.pages.board_changes import BoardChanges

QUICKSTART = GAMES / "imperial" / "logs" / "quickstart.jsonl"


def drawn(game: Game, words: Words) -> list[SceneItem]:
    return list(board_of(game.ruleset, game.seats, words).items(state_json(game)))


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
@pytest.mark.sampled(2)
def test_changes_give_each_position_back(folder: Path) -> None:
    log = next(iter(sorted(folder.glob("logs/*.jsonl*"))), None)
    if log is None:
        pytest.skip("it has no logs")
    played = replay_log(log, until=25).game
    words, again, wanted, pictures = Words(played.ruleset), restarted(played), [], BoardChanges(())
    for option in [None, *played.history]:
        if option is not None:
            again.apply(option)
        result = drawn(again, words)
        wanted.append({item.svg for item in result})
        pictures.note(result)
    data = pictures.to_json()
    now: dict[int, int] = {}
    for changes, shown in zip(data["changes"], wanted, strict=True):
        now |= dict(zip(changes[::2], changes[1::2], strict=True))
        assert {data["drawings"][drawing] for drawing in now.values() if drawing >= 0} == shown


def test_items_lie_upon_one_another_as_they_were_given() -> None:
    pictures = BoardChanges([SceneItem("ground", "areas", "<path/>")])
    for names in ("ac", "abc", "bd"):
        pictures.note(SceneItem(name, "pieces", f"<g>{name}</g>") for name in names)
    text = pictures.svg(10, 10, "T", "D")
    assert re.findall('data-item="(.)"', text) == list("abdc")
    assert text.index("<path/>") < text.index("data-item")


def test_what_is_gone_and_what_comes_back_is_noted_once() -> None:
    pictures = BoardChanges(())
    for shown in (["x"], [], ["x"], ["x"]):
        pictures.note(SceneItem("a", "pieces", svg) for svg in shown)
    assert pictures.to_json() == {"items": 1, "drawings": ["x"], "changes": [[0, 0], [0, -1], [0, 0], []]}


def test_items_kept_from_the_last_position_make_no_difference() -> None:
    """Random positions of items that are mostly the same objects: gone, moved, changed, twice, and back again."""
    random, stock = Random(3), {(name, svg): SceneItem(name, "pieces", svg) for name in "abcdefgh" for svg in "xy"}
    pictures, last, wanted, items = BoardChanges(()), dict[str, str](), list[dict[str, str | None]](), [*stock.values()]
    for _ in range(2_000):
        place = random.randrange(len(items) + 1)
        items[place : place + random.randrange(3)] = random.choices([*stock.values()], k=random.randrange(3))
        items = items if random.random() < 0.1 else [*{item.id: item for item in items}.values()]
        now = {item.id: item.svg for item in items}
        gone: dict[str, str | None] = {id_: None for id_ in last if id_ not in now}
        wanted.append(gone | {id_: svg for id_, svg in now.items() if last.get(id_) != svg})
        pictures.note(items)
        last = now
    data = pictures.to_json()
    order = re.findall('data-item="(.)"', pictures.svg(1, 1, "", ""))
    drawings = [*data["drawings"], None]
    assert [
        {order[at]: drawings[svg] for at, svg in zip(each[::2], each[1::2], strict=True)} for each in data["changes"]
    ] == wanted
    assert [order.index(id_) for each in wanted for id_ in each] == [at for each in data["changes"] for at in each[::2]]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    page = tmp_path_factory.mktemp("pages") / "page.html"
    assert run(["view", str(QUICKSTART), "--out", str(page)]) == 0
    return page


@pytest.mark.proof
def test_a_browser_shows_the_items_of_the_position(open_page: Open, page: Path) -> None:
    opened, again = open_page(page, "#73"), replay_log(QUICKSTART, until=0).game
    for moves, option in enumerate(replay_log(QUICKSTART).game.history, 1):
        again.apply(again.parse(str(option)))
        if moves not in (1, 49, 50, 51, 112):
            continue
        opened.page.evaluate(f"location.hash = '#{moves}'")
        opened.wait(f"document.getElementById('slider').value === '{moves}'")
        words = Words(again.ruleset)
        board = board_of(again.ruleset, again.seats, words, tables=False)  # they are text beside the board
        wanted = {item.id: item.svg for item in board.items(state_json(again))}
        wrong = opened.page.evaluate(
            """wanted => [...document.querySelectorAll("[data-item]")].filter((place) => {
                const copy = place.cloneNode();
                copy.innerHTML = wanted[place.dataset.item] || "";
                return copy.innerHTML !== place.innerHTML;
            }).map((place) => place.dataset.item)""",
            wanted,
        )
        shown = opened.page.evaluate("[...document.querySelectorAll('[data-item]')].filter(p => p.innerHTML).length")
        assert (wrong, shown) == ([], len(wanted))


@pytest.mark.proof  # 1.1 s
def test_what_a_move_has_changed_is_marked(open_page: Open, page: Path) -> None:
    opened = open_page(page, "#52")
    marked = opened.page.evaluate("[...document.querySelectorAll('.changed')].map(p => p.dataset.item)")
    assert any("west_balkan" in each for each in marked) and len(marked) < 8
    opened.press("Home")
    assert opened.page.query_selector_all(".changed") == []
