"""Variations at tables: saved from copies, private to a seat, stored, published in the log; and bots' opinions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from servers import Client, Process, served

from rulespec.engine.game.game import Game
from rulespec.engine.logs.native import LogHeader, parse_log
from rulespec.engine.replay.replay import replay_log
from rulespec.load import load_ruleset
from rulespec.serve.hall import Hall
from rulespec.serve.published import published_in

pytestmark = pytest.mark.usefixtures("known_rulesets")


@pytest.fixture(autouse=True)
def here_and_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs long computations in the test's own process, since starting another one takes seconds."""

    async def ask(_: Hall, function: Any, *args: Any) -> Any:
        return function(*args)

    monkeypatch.setattr(Hall, "ask", ask)


def answered(client: Client, **message: Any) -> dict[str, Any]:
    """The answer to a message."""
    client.answers.clear()
    client.send(**message)
    client.wait(lambda: client.answers)
    return client.answers[-1]


def seated(server: Any, *seats: str) -> dict[str, Client]:
    clients = {seat: Client(server.url, server.keys[f"seat:{seat}"]) for seat in seats}
    for seat, client in clients.items():
        client.send(do="name", name=f"{seat}nn")
        client.wait(lambda client=client, seat=seat: any(s["name"] == f"{seat}nn" for s in client.state["seats"]))
    return clients


def copy_of(url: str, client: Client, **message: Any) -> Client:
    """A copy opened by a seat."""
    key = answered(client, **(message or {"do": "fork"}))["fork"]
    copy = Client(url, key)
    copy.wait(lambda: copy.state.get("options"))
    return copy


def play(copy: Client, *options: str) -> None:
    for option in options:
        copy.wait(lambda: copy.options or copy.state["result"])
        copy.send(do="take", option=option, serial=copy.state["serial"], seat=copy.state["seat"])
        count = copy.state["count"]
        copy.wait(lambda count=count: copy.state["count"] > count)


def keep(url: str, client: Client, name: str, *options: str, line: int | None = None, back: int = 0) -> str:
    """Tries moves in a copy, saves them, and closes it; returns the answer."""
    copy = copy_of(url, client, **({} if line is None else {"do": "open", "line": line}))
    for _ in range(back):
        count = copy.state["count"]
        copy.send(do="undo", serial=copy.state["serial"], seat=copy.state["seat"])
        copy.wait(lambda count=count: copy.state["count"] < count)
    play(copy, *options)
    answer = answered(copy, do="keep", name=name, remark=f"why {name}", seat=copy.state["seat"])
    copy.close()
    return str(answer.get("kept", answer))


def test_a_tree_is_kept_renamed_opened_again_and_published(tmp_path: Path) -> None:
    with served(tmp_path / "t.db", "nim", 2) as server:
        ann = seated(server, "A", "B")["A"]
        ann.take("take(1)")
        assert keep(server.url, ann, "long", "take(1)", "take(2)", "take(1)") == "long"
        assert keep(server.url, ann, "short", "take(3)", line=0, back=2) == "short", "a branch of the line opened"
        assert keep(server.url, ann, "third", "take(2)") == "third"
        assert "nothing has been tried" in keep(server.url, ann, "none")
        lines = answered(ann, do="lines")["lines"]
        assert [(line["at"], line["name"], line["remark"]) for line in lines] == [
            (1, "long", "why long"),
            (1, "short", "why short"),
            (1, "third", "why third"),
        ]
        assert "Bnn" in lines[0]["text"] and lines[0]["text"].count("·") == 2
        lines = answered(ann, do="rename", line=2, name="other", remark="")["lines"]
        assert [line["name"] for line in lines] == ["long", "short", "other"]
        page = answered(ann, do="study")["study"]
        assert '"name":"long"' in page and '"begin":1' in page and "1 decision" in page and "game.jsonl" not in page
        assert all(line["published"] for line in answered(ann, do="publish")["lines"])
        assert "refused" in answered(ann, do="publish"), "nothing is left"
        log = answered(ann, do="log")["log"]
        (tmp_path / "game.jsonl").write_text(log, "utf-8")
        result = replay_log(tmp_path / "game.jsonl")
        assert result.divergence is None and result.other_end is None and result.game.ply == 1
        (noted,) = [json.loads(line) for line in log.splitlines() if "variations" in line]
        assert noted["by"] == "A" and [each["name"] for each in noted["variations"]] == ["long", "other"]
        assert noted["variations"][0]["moves"][1]["variations"][0]["name"] == "short"
        assert len(answered(ann, do="drop", line=0)["lines"]) == 2
        assert "variations" in answered(ann, do="log")["log"], "what is published stays"
        ann.send(do="undo", serial=ann.state["serial"])
        ann.wait(lambda: ann.state["count"] == 0)
        assert "variations" not in answered(ann, do="log")["log"], "and goes with the decisions that it began after"


def test_two_seats_never_meet_in_their_private_trees(tmp_path: Path) -> None:
    with served(tmp_path / "t.db", "nim", 2) as server:
        clients = seated(server, "A", "B")
        clients["A"].take("take(1)")
        keep(server.url, clients["A"], "secret of A", "take(2)")
        keep(server.url, clients["B"], "secret of B", "take(3)")
        spectator = Client(server.url, server.keys["spectator"])
        for who, client in {**clients, "spectator": spectator}.items():
            said = "".join(json.dumps(answered(client, do=what)) for what in ("lines", "study", "log"))
            said += json.dumps([client.hello, *client.frames])
            assert ("secret of A" in said, "secret of B" in said) == (who == "A", who == "B")
        assert "refused" in answered(spectator, do="publish") and "refused" in answered(spectator, do="keep")
        assert "refused" in answered(clients["B"], do="open", line=1) and "refused" in answered(clients["B"], do="drop")


@pytest.mark.proof
def test_a_tree_of_a_game_with_secrets_is_drawn_and_published_after_the_end(tmp_path: Path) -> None:
    with served(tmp_path / "t.db", "kuhn_poker", 2) as server:
        clients = seated(server, "A", "B")
        clients["A"].wait(lambda: clients["A"].options)
        copy = copy_of(server.url, clients["A"])
        play(copy, copy.options[0])
        assert answered(copy, do="keep", name="x", seat=copy.state["seat"])["kept"] == "x"
        assert "after the end" in answered(clients["A"], do="publish")["refused"]["text"]
        assert '"name":"x"' in answered(clients["A"], do="study")["study"]
        asked = "A"
        while asked:
            client = clients[asked]
            client.wait(lambda client=client: client.options or client.state["result"])
            if client.options:
                client.take(client.options[0])
            asked = next(iter(client.state["asked"]["waiting"])) if client.state["asked"] else ""
        assert answered(clients["A"], do="publish")["lines"][0]["published"]
        for seat, client in clients.items():
            assert ('"variations"' in answered(client, do="log")["log"]) == (seat == "A"), "as other notes"


@pytest.mark.proof
def test_trees_and_publications_outlive_the_server(tmp_path: Path) -> None:
    store = tmp_path / "t.db"
    process = Process("nim", "--players", 2, "--store", store)
    links = dict(process.links)
    try:
        ann = process.client("A")
        ann.send(do="name", name="Ann")
        ann.wait(lambda: ann.options)
        ann.take("take(1)")
        keep(process.socket, ann, "kept", "take(2)")
        keep(process.socket, ann, "shown", "take(3)")
        answered(ann, do="publish", line=1)
        process.kill()
        process = Process("--store", store)
        again = process.client(key=links["A"])
        assert [line["name"] for line in answered(again, do="lines")["lines"]] == ["kept", "shown"]
        log = parse_log(answered(again, do="log")["log"], "game.jsonl")
        assert [notes["variations"][0]["name"] for notes in log.remarks().values()] == ["shown"]
    finally:
        process.close()


@pytest.mark.proof
def test_who_takes_over_a_seat_from_the_owner_has_nothing_of_the_one_before(tmp_path: Path) -> None:
    with served(tmp_path / "t.db", "nim", 2) as server:
        ann = seated(server, "A", "B")["A"]
        ann.take("take(1)")
        keep(server.url, ann, "mine", "take(2)")
        owner = Client(server.url, server.keys["owner"])
        table = next(iter(server.hall.games))
        key = answered(owner, do="remove", game=table, seat="A")
        while "keys" not in key:
            owner.read()
            key = owner.answers[-1] if "keys" in owner.answers[-1] else key
        other = Client(server.url, key["keys"]["keys"]["seat:A"])
        assert answered(other, do="lines")["lines"] == []


@pytest.mark.proof
def test_a_tree_has_bounds(tmp_path: Path) -> None:
    with served(tmp_path / "t.db", "nim", 2) as server:
        ann = seated(server, "A", "B")["A"]
        ann.take("take(1)")
        said = [keep(server.url, ann, f"{number} " + "x" * 500, "take(2)") for number in range(32)]
        assert all(len(each) <= 80 for each in said[:30]) and "no room" in said[30] and "no room" in said[31]


def judged(client: Client) -> dict[str, Any]:
    """The opinions on a viewer's page, or the message if there are none."""
    answer = answered(client, do="opinion")
    if "refused" in answer:
        return dict(answer["refused"])
    text = answer["opinion"].partition('id="data">')[2].partition("</script>")[0]
    return dict(json.loads(text))


@pytest.mark.proof
@pytest.mark.parametrize("ref", ["nim", "kuhn_poker"])
def test_a_bot_gives_its_opinion_after_the_end(tmp_path: Path, ref: str) -> None:
    pytest.importorskip("numpy", reason="bots need numpy")
    with served(tmp_path / "t.db", ref, 2) as server:
        server.hall.bots = ("random", "flat:64")
        clients = seated(server, "A", "B")
        assert "after the end" in judged(clients["A"])["text"]
        decided = dict.fromkeys(clients, 0)
        asked = "A"
        while asked:
            client = clients[asked]
            client.wait(lambda client=client: client.options or client.state["result"])
            if client.options:
                client.take(client.options[0])
                decided[asked] += 1
            asked = next(iter(client.state["asked"]["waiting"])) if client.state["asked"] else ""
        data = judged(clients["A"])
        assert data["begin"] == len(data["moves"]) and "flat:256" in data["opinions"]["head"]
        lines = [row["opinion"] for row in data["moves"] if "opinion" in row]
        mine = decided["A"] if ref == "kuhn_poker" else sum(decided.values())
        assert 0 < len(lines) <= mine, "of a game with secrets, only on one's own decisions"
        assert ("what its seat saw" in data["opinions"]["basis"]) == (ref == "kuhn_poker")
        spectator = judged(Client(server.url, server.keys["spectator"]))
        assert ("text" in spectator) == (ref == "kuhn_poker")


@pytest.mark.proof
def test_a_bot_gives_its_opinion_in_a_copy_where_the_owner_allows_it(tmp_path: Path) -> None:
    pytest.importorskip("numpy", reason="bots need numpy")
    with served(tmp_path / "t.db", "nim", 2) as server:
        server.hall.bots = ("random", "flat:64")
        ann = seated(server, "A", "B")["A"]
        owner, table = Client(server.url, server.keys["owner"]), next(iter(server.hall.games))
        ann.take("take(1)")
        copy = copy_of(server.url, ann)
        assert "opinion" not in copy.hello["asks"] and "after the end" in judged(copy)["text"]
        owner.send(do="opinions", game=table, opinions=True)
        owner.wait(lambda: {"done": "opinions"} in owner.answers)
        copy = copy_of(server.url, ann)
        play(copy, "take(1)")
        assert "opinion" in copy.hello["asks"] and len(judged(copy)["moves"]) == 2
        assert "after the end" in judged(ann)["text"], "of the game itself nothing before its end"


def log_with_variations() -> str:
    """A log of two decisions with variations: one replacing the second, one elsewhere, and one whose place is gone."""

    def move(option: str, by: str, **more: Any) -> dict[str, Any]:
        return {"decision": "turn", "by": by, "option": option, **more}

    inside = {"moves": [move("take(2)", "B")], "name": "inside"}
    own = {"variations": [{"at": 0, "moves": [move("take(2)", "A")], "name": "apart"}], "by": "A"}
    gone = {"variations": [{"moves": [move("take(2)", "B")], "name": "gone"}]}
    decisions = [move("take(1)", "A"), move("take(1)", "B", variations=[inside]), move("take(1)", "A")]
    header = LogHeader.of(Game(load_ruleset("nim"), "AB"), {}).to_json()
    return "".join(json.dumps(line) + "\n" for line in [header, *decisions, gone, {"undo": 1}, own])


def named(log: str) -> list[tuple[str, int]]:
    return sorted((each.variation.name, each.variation.at or 0) for each in published_in(parse_log(log, "game.jsonl")))


def test_variations_of_a_log_are_those_of_its_decisions_too() -> None:
    assert named(log_with_variations()) == [("apart", 0), ("gone", 3), ("inside", 1)]


@pytest.mark.proof
def test_a_table_begun_from_a_log_has_its_variations_and_keeps_them(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text(log_with_variations())
    server = Process(path, "--store", tmp_path / "t.db")
    key = server.links["A"]
    for _ in range(2):
        client = server.client(key=key)
        log = answered(client, do="log")["log"]
        assert named(log) == [("apart", 0), ("inside", 1)]
        assert [entry.option for entry in parse_log(log, "game.jsonl").entries] == ["take(1)", "take(1)"]
        client.close()
        server.close()
        server = Process("--store", tmp_path / "t.db")
    server.close()
