"""The serverless page in a real browser, opened from a file: played by clicks, saved, linked, and attacked."""

from __future__ import annotations

import json
import random
import re
import shutil
import zlib
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Any

import pytest
from browser import Open, Opened, click_option
from cases import split, write
from click.testing import CliRunner
from folders import RULESETS
from parlour import PARLOUR

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from rulespec.cli.main import cli, run
from rulespec.engine.game.game import Game
from rulespec.engine.replay.replay import replay_log
from rulespec.load import load_ruleset

pytestmark = pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium")

LARGEST = 330_000
"""The maximum size of a large game's page in bytes."""


def page_of(ref: str, players: int, folder: Path, *more: str, name: str = "") -> Path:
    out = folder / f"{name or ref}.html"
    done = CliRunner().invoke(cli, ["page", ref, "--players", str(players), "--out", str(out), *more])
    assert done.exit_code == 0, done.output
    return out


def kinds(opened: Opened, *names: str) -> None:
    """Selects the kind of player for each seat."""
    for number, name in enumerate(names):
        opened.page.locator("#players select").nth(number).select_option(name)


def over(opened: Opened) -> bool:
    return bool(opened.page.evaluate("document.querySelector('#turn h2').textContent.startsWith('The game is over')"))


def wait_for_turn(opened: Opened) -> None:
    opened.wait(
        "document.querySelector('#turn').matches('.mine') || "
        "document.querySelector('#turn h2').textContent.startsWith('The game is over')"
    )


def saved(opened: Opened) -> str:
    """The log that the page saves."""
    with opened.page.expect_download() as download:
        opened.page.click("#log")
    return Path(download.value.path()).read_text("utf-8")


def counted(opened: Opened) -> int:
    return int(opened.page.locator("#list > li").count())


def click_place(opened: Opened, place: str) -> None:
    """Clicks a highlighted place of the board."""
    opened.click(opened.page.locator(f'[data-place="{place}"].lit').first)


def test_a_game_is_played_by_clicks_on_the_board(open_page: Open, tmp_path: Path) -> None:
    opened = open_page(page_of("connect_four", 2, tmp_path))
    wait_for_turn(opened)
    choose = random.Random(2)
    while not over(opened):
        places = opened.page.evaluate("[...document.querySelectorAll('.lit[data-place]')].map(p => p.dataset.place)")
        before = counted(opened)
        click_place(opened, choose.choice(places))
        opened.wait(f"document.querySelectorAll('#list > li').length > {before}")
        wait_for_turn(opened)
    log = tmp_path / "game.jsonl"
    log.write_text(saved(opened), "utf-8")
    result = replay_log(log)
    assert result.divergence is None and result.game.is_over
    assert opened.texts("#result")[0].endswith(", ".join(result.game.result.winners) or "nobody")  # type: ignore[union-attr]


@pytest.mark.proof  # 1.5 s, of a browser
def test_the_last_roll_lies_on_the_board(open_page: Open, tmp_path: Path) -> None:
    opened = open_page(page_of("backgammon", 2, tmp_path))
    wait_for_turn(opened)
    shown = opened.page.evaluate("document.querySelector('[data-item^=\"dice.\"] title').textContent")
    said = [text for text in opened.texts("#list > li") if "the dice are" in text][-1]
    assert shown.split(", ") == re.findall(r"[1-6]", said.partition("the dice are")[2])


@pytest.mark.proof
def test_what_was_taken_back_is_taken_again(open_page: Open, tmp_path: Path) -> None:
    opened = open_page(page_of("connect_four", 2, tmp_path))
    wait_for_turn(opened)
    opened.click(opened.page.locator("#board .lit").first)
    opened.wait("document.querySelectorAll('#list > li').length === 2")
    texts = opened.texts("#list > li .sentence span")
    wait_for_turn(opened)
    opened.click(opened.page.locator("#back"))
    opened.wait("!document.querySelectorAll('#list > li').length")
    wait_for_turn(opened)
    opened.click(opened.page.locator("#redo"))
    opened.wait("document.querySelectorAll('#list > li').length === 2")
    assert opened.texts("#list > li .sentence span") == texts and opened.page.is_hidden("#redo")


@pytest.mark.proof  # 5 s
def test_a_plan_that_is_withdrawn_is_in_no_log(open_page: Open, tmp_path: Path) -> None:
    ref = str(RULESETS / "paddocks")
    opened, game = open_page(page_of(ref, 2, tmp_path, name="paddocks")), Game(load_ruleset(ref), "AB")
    kinds(opened, "person", "person")
    wait_for_turn(opened)
    fences = [f"fence_off(a1_{way})" for way in "nesw"]
    for text in [*fences[:2], "withdraw", *fences, "done"]:
        number = [str(option) for option in game.legal_options].index(text)
        game.apply(game.parse(text))
        click_option(opened.page, str(number))
        opened.page.wait_for_timeout(400)
    assert counted(opened) == 5
    options = [json.loads(line)["option"] for line in saved(opened).splitlines()[1:]]
    assert options == [*fences, "done"]


@pytest.mark.proof
def test_a_large_game_with_bots_undo_log_and_link(open_page: Open, tmp_path: Path) -> None:
    file = page_of("imperial", 4, tmp_path)
    assert file.stat().st_size < LARGEST
    opened = open_page(file)
    wait_for_turn(opened)
    while not opened.page.locator('[data-place="space.taxation"].lit').count():  # cards are dealt at random:
        asked = counted(opened)  # a bot may move first, and ask this seat something else
        while opened.page.locator("#options button.group").count():
            opened.click(opened.page.locator("#options button.group").first)
        opened.click(opened.page.locator("#options button").first)
        opened.wait(f"document.querySelectorAll('#list > li').length > {asked}")
        wait_for_turn(opened)
    before = counted(opened)
    click_place(opened, "space.taxation")
    opened.wait(f"document.querySelectorAll('#list > li').length > {before}")
    wait_for_turn(opened)
    after = counted(opened)
    assert after > before and "Taxation" in opened.texts("#list > li")[before]
    opened.click(opened.page.locator("#back"))
    opened.wait(f"document.querySelectorAll('#list > li').length < {after}")
    wait_for_turn(opened)
    assert counted(opened) == before
    opened.page.locator("#players input").first.fill("<img src=x onerror=alert(1)>")
    opened.wait("document.querySelector('#seats').textContent.includes('onerror')")  # the buttons are new too
    opened.click(opened.page.locator("#options button").nth(1))
    opened.wait(f"document.querySelectorAll('#list > li').length > {before}")
    wait_for_turn(opened)
    text = saved(opened)
    (tmp_path / "game.jsonl").write_text(text, "utf-8")
    result = replay_log(tmp_path / "game.jsonl")
    assert result.divergence is None and result.game.ply == counted(opened)
    assert result.game.names["A"] == "<img src=x onerror=alert(1)>"
    opened.page.click("#link")
    opened.wait("!document.querySelector('#linked').hidden")
    address = opened.page.locator("#address").input_value()
    other = open_page(file, "#" + address.partition("#")[2])
    wait_for_turn(other)
    assert saved(other) == text and counted(other) == counted(opened)
    assert "<img src=x" in other.texts("#seats")[0] and other.page.locator("#seats img").count() == 0


def test_what_is_pointed_at_says_what_would_be_and_a_bot_hints(open_page: Open, tmp_path: Path) -> None:
    opened = open_page(page_of("connect_four", 2, tmp_path))
    page = opened.page
    wait_for_turn(opened)
    before, log = counted(opened), saved(opened)
    lit = page.locator("#board .lit[data-place]").first
    column = lit.get_attribute("data-place").partition(".")[2][0]
    lit.hover()
    opened.wait("!document.querySelector('.preview').hidden")
    lines = page.locator(".preview p").all_inner_texts()
    assert any(line.startswith("+ ") and f"{column}" in line for line in lines), lines
    assert page.locator("[data-place].meant").count() >= 1
    assert counted(opened) == before and saved(opened) == log, "nothing is taken"
    page.click("#hint")
    opened.wait("document.querySelector('#hinted').textContent.includes('would choose')")
    assert page.locator("button.hinted").count() <= 1
    opened.click(page.locator("#options button").first)
    opened.wait(f"document.querySelectorAll('#list > li').length > {before}")


@pytest.mark.proof  # 3 s
def test_where_something_is_hidden_nothing_is_said_before(open_page: Open, tmp_path: Path) -> None:
    opened = open_page(page_of("skat", 3, tmp_path))
    wait_for_turn(opened)
    assert opened.page.is_hidden("#hint")
    assert opened.page.locator("[data-item^='unseen.']").count() >= 1, "the hands of the others are backs"
    opened.page.locator("#options button").first.hover()
    opened.page.wait_for_timeout(400)
    assert "→" not in (opened.page.locator(".preview").text_content() or "")


def packed(text: str) -> str:
    """The part of a link after `#`."""
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    return "#log=" + urlsafe_b64encode(squeeze.compress(text.encode()) + squeeze.flush()).decode().rstrip("=")


def test_links_of_strangers(open_page: Open, tmp_path: Path) -> None:
    file = page_of("nim", 2, tmp_path)
    opened = open_page(file)
    wait_for_turn(opened)
    header, *_ = saved(opened).splitlines()
    evil = "<script>alert(1)</script>"
    named = json.dumps(json.loads(header) | {"seats": {"A": evil, "B": "Bob"}, "remark": evil})
    first = json.dumps({"decision": "turn", "by": "A", "option": "take(one, 1)", "remark": evil})
    scripts = opened.page.locator("script").count()
    links = {
        packed(f"{named}\n{first}\n"): "",
        packed(f"{named}\n{json.dumps({'decision': 'turn', 'by': 'A', 'option': evil})}\n"): "line 2",
        packed("x" * 30_000_000): "cannot be played",
        packed(header.replace("nim", "chess").replace(json.loads(header)["ruleset_hash"], "0" * 32)): "other rules",
        packed("{}"): "not a Rulespec log",
        "#log=!!!": "",
        "#log=AAAA": "not JSON",
    }
    for link, notice in links.items():
        opened.page.evaluate("document.getElementById('notice').textContent = 'not yet'")
        opened.go(link)
        opened.wait("document.getElementById('notice').textContent !== 'not yet'")
        wait_for_turn(opened)
        shown = opened.texts("#notice")[0]
        assert (notice in shown) if notice else not shown, (link[:40], shown)
        assert opened.page.locator("script").count() == scripts


def test_a_game_with_secrets_has_one_person_who_sees_no_more_than_a_seat(open_page: Open, tmp_path: Path) -> None:
    opened = open_page(page_of("kuhn_poker", 2, tmp_path))
    wait_for_turn(opened)
    assert not opened.page.evaluate("document.querySelector('#secrets').hidden")
    items = opened.page.evaluate("[...document.querySelectorAll('[data-item], #holdings td')].map(e => e.textContent)")
    cards = [item for item in items if re.search("jack|queen|king", item, re.IGNORECASE)]
    assert len(items) > 2 and len(cards) == 1
    kinds(opened, "person", "person")
    assert opened.page.evaluate("[...document.querySelectorAll('#players select')].map(e => e.value)") == [
        "random",
        "person",
    ]


@pytest.mark.proof  # 0.4 s, of a browser
def test_arguments_that_all_see_are_told_in_a_game_with_secrets(open_page: Open, tmp_path: Path) -> None:
    opened = open_page(page_of("liars_dice", 2, tmp_path))
    wait_for_turn(opened)
    own, other = opened.texts("#list > li")[:2]
    assert re.search(r"A throws a die, which shows \d", own) and other.endswith("B throws a die")
    kinds(opened, "random", "person")  # now the other seat, which sees its own die only
    wait_for_turn(opened)
    own, other = opened.texts("#list > li")[:2]
    assert own.endswith("A throws a die") and re.search(r"B throws a die, which shows \d", other)
    bids = [text for text in opened.texts("#list > li")[2:] if "doubts" not in text]
    assert bids and all(re.search(r"[AB] bids \d . \d", text) for text in bids)


def test_values_that_are_not_drawn_are_listed_as_the_seat_sees_them(open_page: Open, tmp_path: Path) -> None:
    bare = "--- drawing.yaml\ndrawing: {tables: {}, markers: [], boards: {player: {as: hidden}}}\n"
    folder = write(tmp_path / "small", split(f"{PARLOUR}\n{bare}", "rules/play.rules"))
    opened = open_page(page_of(str(folder), 2, tmp_path, name="small"))
    wait_for_turn(opened)
    opened.page.locator("#values summary").click()
    titles, texts = opened.texts("#values dt"), opened.texts("#values dd")
    rows = dict(zip(titles, texts, strict=True))
    assert rows["B cash"] == "?" and rows["A cash"] in "123" and rows["rested"] == "0"
    assert "?" in (rows["pile"], rows["B plan"]) and rows["pointed"] == "\u2013"


@pytest.mark.proof  # 0.4 s, of a browser
def test_people_at_one_screen_take_turns(open_page: Open, tmp_path: Path) -> None:
    opened = open_page(page_of("nim", 2, tmp_path))
    wait_for_turn(opened)
    kinds(opened, "person", "person")
    for seat in ("A", "B", "A"):
        opened.wait(f"document.querySelector('#question').textContent.includes('{seat}:')")
        before = counted(opened)
        while counted(opened) == before:  # a long list is chosen in steps
            opened.click(opened.page.locator("#options button").first)


def test_there_is_no_page_without_a_module(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["page", "nim", "--players", "2", "--out", str(tmp_path / "no" / "x.html")]) == 2
    assert "x.html" in capsys.readouterr().err


@pytest.mark.proof
@pytest.mark.parametrize(
    "ref, players",
    [
        *(("imperial", 4), ("imperial_2030", 5), ("tetrarchia", 3), ("chess", 2), ("backgammon", 2)),
        *(("connect_four", 2), ("shadow_of_the_emperor", 4)),
    ],
)
def test_whole_games(ref: str, players: int, open_page: Open, tmp_path: Path) -> None:
    opened = open_page(page_of(ref, players, tmp_path))
    wait_for_turn(opened)
    kinds(opened, *["person"], *["random"] * (players - 1))
    steps: list[Any] = []
    while not over(opened):
        steps.append(opened.page.evaluate(_CHOOSE))
        wait_for_turn(opened)
        assert len(steps) < 2_000
    log = tmp_path / "game.jsonl"
    log.write_text(saved(opened), "utf-8")
    result = replay_log(log)
    assert result.divergence is None and result.game.is_over
    opened.page.click("#link")
    opened.wait("!document.querySelector('#linked').hidden")
    other = open_page(opened.file, "#" + opened.page.locator("#address").input_value().partition("#")[2])
    wait_for_turn(other)
    assert over(other) and saved(other) == log.read_text("utf-8")


_CHOOSE = """() => {
    let buttons = [...document.querySelectorAll("#options button")];
    buttons[Math.floor(Math.random() * buttons.length)]?.click();
}"""
