"""A seat at a served table by its link: the tools of a file's seat, answered by the server, and bounded there."""

from __future__ import annotations

import json
import random
import sys
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from folders import ROOT, RULESETS
from secret_games import twins
from servers import served
from shipped import loaded

from rulespec.bundles.rules import bundle_of
from rulespec.engine.game.game import Game
from rulespec.guests import table_seat
from rulespec.guests.table_seat import TableSeat, answer_at_table
from rulespec.guests.tools import Toolbox, ToolError
from rulespec.serve.hall import Hall
from rulespec.serve.past_process import PastGame, start_of

pytestmark = pytest.mark.usefixtures("known_rulesets")
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("rules", {"name": ""}),
    ("view", {"since": 0}),
    ("options", {"first": 0}),
    ("why", {"option": "", "value": ""}),
    ("why", {"option": "", "value": "first(player).card"}),
    ("simulate", {"option": "", "games": 3}),
    ("simulate", {"option": "fly", "games": 3}),
    ("fly", {}),
]


@pytest.fixture(autouse=True)
def here_and_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long work is done by the server of the tests itself: a process of its own takes seconds to begin."""

    async def ask(_: Hall, function: Any, *args: Any) -> Any:
        return function(*args)

    monkeypatch.setattr(Hall, "ask", ask)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[tuple[Any, dict[str, str]]]:
    """A table of Kuhn poker with tools for agents, and the links of its seats."""
    with served(tmp_path / "t.db", "kuhn_poker", 2) as server:
        server.hall.agents = answer_at_table
        base = server.url.replace("ws", "http", 1).removesuffix("/socket")
        yield server, {seat: f"{base}/#{key}" for seat, key in server.keys.items()}


def asked(box: Toolbox, name: str, **arguments: Any) -> dict[str, Any]:
    text, wrong = box.call(name, arguments)
    assert not wrong, text
    result: dict[str, Any] = json.loads(text)
    return result


def test_two_agents_play_a_game_at_a_table(table: tuple[Any, dict[str, str]]) -> None:
    server, links = table
    boxes = {seat: Toolbox(TableSeat(links[f"seat:{seat}"], f"agent {seat}").tools()) for seat in "AB"}
    assert [*boxes["A"].tools] == ["rules", "view", "options", "take", "why", "simulate"]
    view = asked(boxes["A"], "view")
    assert asked(boxes["A"], "simulate", games=3)["games"] == 3
    while view["result"] is None:
        box = boxes[view["decision"]["by"]]
        options = asked(box, "options")
        own = options["options"][0]["option"]
        for wrong in ({"option": own, "ply": options["ply"] + 1}, {"option": "fly", "ply": options["ply"]}):
            assert box.call("take", wrong)[1]
        view = asked(box, "take", option=own, ply=options["ply"])
    (live,) = server.hall.games.values()
    assert live.table.game.is_over and live.table.seats["A"].name == "agent A"
    assert boxes["A"].call("take", {"option": "bet", "ply": view["ply"]})[1]


def test_an_open_plan_changes_no_answer_at_a_table(tmp_path: Path) -> None:
    """Another seat is answered as before; the planning one is asked for the number of decisions that its view has."""
    with served(tmp_path / "t.db", str(RULESETS / "paddocks"), 2) as server:
        server.hall.agents = answer_at_table
        base = server.url.replace("ws", "http", 1).removesuffix("/socket")
        boxes = {seat: Toolbox(TableSeat(f"{base}/#{server.keys[f'seat:{seat}']}", seat).tools()) for seat in "AB"}
        calls = [("view", {}), ("options", {}), ("why", {}), ("take", {"option": "done", "ply": 7})]
        calls += [("take", {"option": "done", "ply": 0})]
        before = [boxes["B"].call(*call) for call in calls]
        for option in ("fence_off(a1_n)", "withdraw", "fence_off(a1_e)", "fence_off(a1_s)"):
            view = asked(boxes["A"], "view")
            asked(boxes["A"], "take", option=option, ply=view["ply"])
            assert [boxes["B"].call(*call) for call in calls] == before
        assert asked(boxes["A"], "view")["ply"] == 2


def test_only_the_link_of_a_seat_has_tools(table: tuple[Any, dict[str, str]]) -> None:
    server, links = table
    for link in (links["spectator"], links["owner"], "http://127.0.0.1:1/#x", "ftp://x/#y", links["seat:A"][:-3]):
        with pytest.raises(ToolError):
            TableSeat(link, "x")
    server.hall.agents = None
    with pytest.raises(ToolError):
        TableSeat(links["seat:A"], "x")


def test_calls_and_games_of_a_seat_are_counted_by_the_server(table: tuple[Any, dict[str, str]]) -> None:
    server, links = table
    (live,) = server.hall.games.values()
    box = Toolbox(TableSeat(links["seat:A"], "x").tools())
    live.used["A"] = [0, 4_999]
    assert "random games" in box.call("simulate", {"games": 2})[0]
    live.used["A"] = [10_000, 0]
    for again in (box, Toolbox(TableSeat(links["seat:A"], "x").tools())):
        assert "all of its calls" in again.call("view", {})[0], "a new connection has no more"
    assert not Toolbox(TableSeat(links["seat:B"], "x").tools()).call("view", {})[1]
    assert "has more than 4,000 bytes" in box.call("why", {"value": "x" * 5_000})[0]


@pytest.mark.parametrize("ref", ["kuhn_poker", "leduc_poker"])
@pytest.mark.sampled(1)
def test_games_that_look_the_same_to_a_seat_give_the_same_answers(ref: str) -> None:
    pairs = twins(ref, range(4), 6)
    assert pairs
    for pair in pairs[:3]:
        *games, seat = pair
        answers = [[answer_at_table(past(game), seat, *call) for call in CALLS] for game in games]
        assert answers[0] == answers[1]


def test_a_kept_game_answers_as_one_from_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call goes on from the game of the one before, whatever has been taken, taken back, or is of other names."""
    starts: list[PastGame] = []

    def started(past: PastGame) -> Game:
        starts.append(past)
        return start_of(past)

    monkeypatch.setattr(table_seat, "start_of", started)
    rng, game = random.Random(5), Game(loaded("leduc_poker")[0], "AB")
    for _ in range(15):
        for _ in range(rng.randint(0, game.ply)):
            game.undo()
        for _ in range(3):
            if not game.is_over:
                game.apply(rng.choice(game.legal_options))
        calls = [(PastGame.of("kept", bundle_of(game.ruleset), game), seat, *rng.choice(CALLS)) for seat in "AB"]
        answers = [answer_at_table(*call) for call in calls]
        with monkeypatch.context() as patch:
            patch.setattr(table_seat, "_tables", OrderedDict())
            assert answers == [answer_at_table(*call) for call in calls]
    assert len(starts) == 2 * 15 + 2, "two games are kept, and all others begin"
    other = Game(game.ruleset, {"A": "Ann", "B": "B"})
    text, _ = answer_at_table(PastGame.of("kept", bundle_of(game.ruleset), other), "A", "rules", {})
    assert json.loads(text)["seats"]["A"] == "Ann"


def test_only_some_games_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_seat, "_MOST_KEPT", 2)
    tables: OrderedDict[tuple[object, ...], object] = OrderedDict()
    monkeypatch.setattr(table_seat, "_tables", tables)
    ruleset = loaded("kuhn_poker")[0]
    for number in range(4):
        answer_at_table(PastGame.of(f"t{number}", bundle_of(ruleset), Game(ruleset, "AB")), "A", "view", {"since": 0})
    assert [key[0] for key in tables] == ["t2", "t3"]


def past(game: Game) -> PastGame:
    for step in game.omniscient.numbers.steps:
        step.salt = f"{id(game):032x}"
    return PastGame.of("t", bundle_of(game.ruleset), game)


@pytest.mark.proof
def test_the_command_serves_a_seat_at_a_table(table: tuple[Any, dict[str, str]]) -> None:
    pytest.importorskip("mcp", reason="agents need mcp: pip install 'rulespec[mcp]'")
    import anyio
    from mcp import Client, StdioServerParameters

    _, links = table
    words = ["-m", "rulespec", "mcp", links["seat:A"], "--name", "Robin"]
    how = StdioServerParameters(command=sys.executable, args=words, env={"PYTHONPATH": str(ROOT)}, cwd=ROOT)

    async def session() -> dict[str, Any]:
        async with Client(how) as client:
            assert len((await client.list_tools()).tools) == 6
            result = await client.call_tool("rules", {})
            answer: dict[str, Any] = json.loads(result.content[0].text)  # type: ignore[union-attr]
            return answer

    answer = anyio.run(session)
    assert answer["you"] == "A" and answer["seats"]["A"] == "Robin"
