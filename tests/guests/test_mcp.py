"""`rulespec mcp`: the SDK's own client lists the tools, and plays."""

from __future__ import annotations

import json
import sys
import threading
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from authors import session as session_of_author
from deadlines import DEADLINE
from folders import ROOT
from shipped import loaded

from rulespec.cli.main import run
from rulespec.engine.game.game import Game
from rulespec.engine.logs.log_file import write_log
from rulespec.guests.tools import Tool, Toolbox

if TYPE_CHECKING:
    from mcp import Client, StdioServerParameters

if find_spec("mcp") is None:  # it takes half a second to import, in each process that collects tests
    pytest.skip("agents need mcp: pip install 'rulespec[mcp]'", allow_module_level=True)

pytestmark = pytest.mark.usefixtures("known_rulesets")


def parameters(*words: str) -> StdioServerParameters:
    from mcp import StdioServerParameters

    env = {"PYTHONPATH": str(ROOT)}
    return StdioServerParameters(command=sys.executable, args=["-m", "rulespec", "mcp", *words], env=env, cwd=ROOT)


async def asked(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    answer: dict[str, Any] = json.loads(result.content[0].text)  # type: ignore[union-attr]
    return answer


async def game(ref: str, path: Path, stop: int) -> dict[str, Any]:
    """A game from two seats, each with a server of its own, taking the first option each time."""
    from mcp import Client

    words = (ref, "--players", "2", "--log", str(path))
    first, second = parameters(*words, "--seat", "A"), parameters(*words, "--seat", "B")
    async with Client(first) as one, Client(second) as other:
        assert [tool.name for tool in (await one.list_tools()).tools][:2] == ["rules", "view"]
        clients = {"A": one, "B": other}
        view = await asked(one, "view")
        while view["result"] is None and view["ply"] < stop:
            client = clients[view["decision"]["by"]]
            options = await asked(client, "options")
            own = [each["option"] for each in options["options"] if not each["out_of_turn"]]
            view = await asked(client, "take", option=own[view["ply"] % len(own)], ply=options["ply"])
        wrong = await one.call_tool("take", {"option": "fly", "ply": view["ply"]})
        assert wrong.is_error
    return view


@pytest.mark.proof
@pytest.mark.parametrize("ref", ["kuhn_poker", "shadow_of_the_emperor"])
def test_two_agents_play_a_game(ref: str, tmp_path: Path) -> None:
    import anyio

    view = anyio.run(game, ref, tmp_path / "game.jsonl", 5_000)
    assert view["result"] is not None
    assert run(["replay", str(tmp_path / "game.jsonl")]) == 0


@pytest.mark.proof
def test_an_author_comes_from_an_empty_folder_to_a_sound_ruleset(tmp_path: Path) -> None:
    import anyio
    from anyio import from_thread, to_thread
    from mcp import Client

    async def served() -> None:
        async with Client(parameters("--folder", str(tmp_path))) as client:

            def ask(name: str, **arguments: Any) -> dict[str, Any]:
                return from_thread.run(partial(asked, client, name, **arguments))

            await to_thread.run_sync(session_of_author, tmp_path, ask)

    anyio.run(served)


def test_a_long_call_keeps_nobody_from_an_answer() -> None:
    """A client that asks for the tools gets its answer meanwhile; calls come one after the other."""
    import anyio
    from mcp import Client

    from rulespec.guests.mcp_server import server

    begun, ended, running = threading.Event(), threading.Event(), []

    def work() -> dict[str, Any]:
        running.append(1)
        begun.set()
        return {"answered": ended.wait(DEADLINE)}

    async def session() -> list[dict[str, Any]]:
        box, results = Toolbox((Tool("work", "Takes long.", (), work),)), list[dict[str, Any]]()

        async def call() -> None:
            results.append(await asked(client, "work"))

        async with Client(server(box)) as client, anyio.create_task_group() as group:
            group.start_soon(call)
            await anyio.to_thread.run_sync(begun.wait)
            group.start_soon(call)
            try:
                assert len((await client.list_tools()).tools) == 1 and len(running) == 1
            finally:
                ended.set()
        return results

    assert [each["answered"] for each in anyio.run(session)] == [True, True]


@pytest.mark.parametrize(
    "words, reason",
    [
        ([], "give a game"),
        (["nim"], "give --seat"),
        (["nim", "--seat", "A"], "give --log"),
        (["nim", "--players", "2", "--seat", "Z", "--log", "FILE"], "the seats are A, B"),
        (["nim", "--folder", "."], "give a game"),
        (["--folder", ".", "--seat", "A"], "--folder cannot be combined with"),
        (["none.jsonl", "--seat", "A"], "there is no saved game none.jsonl"),
        (["nim", "--seat", "A", "--log", "none/game.jsonl"], "there is no folder none"),
    ],
)
def test_wrong_usage_is_refused(words: list[str], reason: str, tmp_path: Path, capsys: Any) -> None:
    line = [str(tmp_path / "game.jsonl") if word == "FILE" else word for word in words]
    assert run(["mcp", *line]) == 2
    assert reason in capsys.readouterr().err and [*tmp_path.iterdir()] == []


def test_a_file_with_another_game_is_not_taken_for_it(tmp_path: Path, capsys: Any) -> None:
    log = tmp_path / "game.jsonl"
    write_log(log, Game(loaded("kuhn_poker")[0], ["A", "B"]))
    before = log.read_bytes()
    for words, reason in (
        (["nim"], "is a game of `kuhn_poker`, not of `nim`"),
        (["kuhn_poker", "--players", "3"], "is a game of 2 players, not of 3"),
        (["liars_dice", "--set", "sides=3"], "is a game of `kuhn_poker`"),
    ):
        assert run(["mcp", *words, "--seat", "A", "--log", str(log)]) == 2
        assert reason in capsys.readouterr().err and log.read_bytes() == before


def test_a_log_that_cannot_be_written_is_named(tmp_path: Path, capsys: Any) -> None:
    assert run(["mcp", "nim", "--seat", "A", "--log", str(tmp_path)]) == 2
    assert "cannot be written" in capsys.readouterr().err
