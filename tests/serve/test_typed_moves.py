"""Moves typed at a table, in the notation of its ruleset: taken, or refused with what may have been meant."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from servers import Client, Process, served

from rulespec.engine.dialects.notated import Notated
from rulespec.engine.dialects.notation_file import notation_for
from rulespec.engine.game.game import Game
from rulespec.load import load_ruleset

pytestmark = pytest.mark.usefixtures("known_rulesets")


def typed(client: Client, text: str, **more: Any) -> str:
    """Types a move; what is said of it, and "" if it has been taken."""
    client.answers.clear()
    client.send(do="type", text=text, serial=client.state["serial"], **more)
    client.wait(lambda: client.answers)
    return str(client.answers[-1].get("refused", {}).get("text", ""))


def clients_of(server: Any, *seats: str) -> list[Client]:
    results = [Client(server.url, server.keys[f"seat:{seat}"]) for seat in seats]
    for number, client in enumerate(results):
        client.send(do="name", name=f"n{number}")
        client.wait(lambda client=client, number=number: client.state["seats"][number]["name"] == f"n{number}")
    return results


def test_a_game_of_chess_is_typed(tmp_path: Path) -> None:
    with served(tmp_path / "t.db", "chess", 2) as server:
        white, black = clients_of(server, "white", "black")
        assert "not your turn" in typed(black, "e5")
        assert "did you mean `e" in typed(white, "e9") and "not one of your moves" in typed(white, "Qh5")
        for number, (client, text) in enumerate([(white, "e4"), (black, "e5"), (white, "Ng1-f3"), (black, "Nc6")]):
            assert typed(client, text) == ""
            for each in (white, black):
                each.wait(lambda each=each, number=number: each.state["count"] == number + 1)
        assert "`Nc3`" in typed(white, "Nc")
        looks = Client(server.url, server.keys["spectator"])
        assert "type" not in looks.hello["asks"] and typed(looks, "d4") == "no move can be typed here"
        assert typed(white, "d" * 101) == typed(white, "d\x00") == "no move can be typed here"
        white.answers.clear()
        white.send(do="type", text="d4", serial=0)
        white.wait(lambda: white.answers)
        assert white.answers[-1]["refused"]["stale"]


@pytest.mark.parametrize("ref", ["backgammon", "connect_four"])
@pytest.mark.proof
def test_every_option_of_a_random_game_is_typed_as_it_is_printed(tmp_path: Path, ref: str) -> None:
    with served(tmp_path / "t.db", ref, 2) as server:
        clients = dict(zip("AB", clients_of(server, "A", "B"), strict=True))
        ruleset, draw = load_ruleset(ref), random.Random(ref)
        for _ in range(60):
            (live,) = server.hall.games.values()
            game: Game = live.table.game.copy()
            if game.decision is None or game.decision.by is None:
                break
            notation = notation_for(ruleset)
            assert notation is not None
            text = Notated(game, notation).write(draw.choice(list(game.legal_options)))
            client, ply = clients[game.decision.by], game.ply
            client.wait(lambda client=client, ply=ply: client.state["count"] == ply and client.options)
            assert typed(client, text) == ""
        assert game.ply > 10


def test_texts_could_tell_secrets_and_are_not_read_then(tmp_path: Path) -> None:
    with served(tmp_path / "t.db", "kuhn_poker", 2) as server:
        (ann,) = clients_of(server, "A")
        assert "type" not in ann.hello["asks"] and typed(ann, "bet") == "no move can be typed here"


@pytest.mark.proof
@pytest.mark.parametrize("size", [(1360, 850), (393, 852)])
def test_a_move_is_typed_in_the_page(browser: Any, tmp_path: Path, size: tuple[int, int]) -> None:
    process = Process("chess", "--store", tmp_path / "t.db")
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(f"{process.base}/#{process.links['white']}")
    page.fill("#name", "Ann")
    page.press("#name", "Enter")
    page.wait_for_selector("#turn.mine")
    page.fill("#typed input", "e9")
    page.press("#typed input", "Enter")
    page.locator("#refused", has_text="did you mean").wait_for()
    page.fill("#typed input", "e4")
    page.click("#typed button")
    page.locator("#list > li").nth(0).wait_for()
    assert page.input_value("#typed input") == "" and page.is_hidden("#typed") and not wrong
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    page.close()
    process.close()
