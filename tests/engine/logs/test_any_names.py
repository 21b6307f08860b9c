"""Logs of people with any names, of this program and of others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from any_names import NAMES
from folders import GAMES, TESTS

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.logs.log_file import write_log
from rulespec.engine.logs.native import parse_log, read_log
from rulespec.engine.logs.seat_log import seat_log
from rulespec.engine.replay.replay import ReplayRequest, replay_log
from rulespec.load import load_ruleset

SITE = GAMES / "imperial" / "logs" / "playimperial" / "c000-standard-2p.json"
ERRANDS = str(TESTS / "rulesets" / "errands")


def poker(names: dict[str, str]) -> Game:
    game = Game(load_ruleset("kuhn_poker"), names)
    while not game.is_over:
        game.apply(game.legal_options[0])
    return game


@pytest.mark.sampled(14)
@pytest.mark.parametrize("name", NAMES)
def test_a_native_log_has_the_name_and_is_replayed(name: str, tmp_path: Path) -> None:
    game, path = poker({"A": name, "B": "Bob"}), tmp_path / "log.jsonl"
    write_log(path, game)
    header, *lines, end = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert header["seats"] == {"A": name, "B": "Bob"} and "ending" in end["end"]
    assert {line["by"] for line in lines} == {None, "A", "B"}
    result = replay_log(path)
    assert result.divergence is None and result.game.hash == game.hash and result.game.names == game.names
    assert next(seat_log(result.game, "B"))["for"] == "B" and next(seat_log(result.game, None))["for"] is None


OLD = '{"rulespec_log": 1, "ruleset": "errands", "seats": SEATS, "settings": {}}\n'


@pytest.mark.parametrize("name", [name for name in NAMES if name != "B"])
def test_an_old_log_names_people_in_its_lines(name: str) -> None:
    text = OLD.replace("SEATS", json.dumps([name, "Bob"]))
    lines: list[dict[str, Any]] = [
        {"decision": "opening", "by": None, "option": f"opens({name})"},
        {"decision": "giving", "by": "Bob", "option": f"give({name}, 2)"},
        {"undo": 1, "set": {"first": name}},
    ]
    log = parse_log(text + "".join(json.dumps(line) + "\n" for line in lines), "old.jsonl")
    (seat, bob), opened, source = log.header.seats, *log.entries[:2]
    assert log.header.seats == {seat: name, bob: "Bob"}
    assert (opened.by, opened.option) == (None, f"opens({seat})")
    assert (source.by, source.option) == (bob, f"give({seat}, 2)")
    assert log.entries[2].back is not None and log.entries[2].back.set == (("first", seat),)


def test_an_old_log_with_plain_names_is_read_as_it_stands() -> None:
    """Whatever else is called like a seat, an argument stays what it was."""
    line = {"decision": "giving", "by": "B", "option": "give(A, 2)"}
    log = parse_log(OLD.replace("SEATS", '["B", "A"]') + json.dumps(line) + "\n", "old.jsonl")
    assert log.header.seats == {"B": "B", "A": "A"}
    assert (log.entries[0].by, log.entries[0].option) == ("B", "give(A, 2)")


def site(name: str) -> str:
    """A game of the site, of which one player has another name."""
    return json.dumps(_renamed(json.loads(SITE.read_text("utf-8")), name))


def _renamed(value: Any, name: str) -> Any:
    if isinstance(value, list):
        return [_renamed(item, name) for item in value]
    if isinstance(value, dict):
        return {key: _renamed(item, name) for key, item in value.items()}
    return name if value == FIRST else value


FIRST = json.loads(SITE.read_text("utf-8"))[0]["payload"]["players"][0]["id"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled(1)
def test_a_log_of_the_site_is_replayed_with_any_name(name: str, tmp_path: Path) -> None:
    path, out = tmp_path / "log.json", tmp_path / "log.jsonl"
    path.write_text(site(name), "utf-8")
    result, plain = replay_log(path), replay_log(SITE)
    assert result.divergence is None and result.game.hash == plain.game.hash
    assert [*result.game.names.values()] == [name if n == FIRST else n for n in plain.game.names.values()]
    result.write_native(out)
    again = replay_log(out)
    assert again.divergence is None and again.game.names == result.game.names and again.game.hash == plain.game.hash


COURIER = [
    ("begin", {"game": "errands", "fair": "no", "people": [{"name": "NAME"}, {"name": "Bob"}]}),
    ("rest", None),
    ("gift", {"from": "NAME", "to": {"name": "Bob"}, "amount": 1}),
]
POSTMAN = [
    ("open", {"game": "post", "people": ["NAME", "Bob"]}),
    ("rest", {"who": "NAME"}),
]


def foreign(entries: list[tuple[str, Any]], name: str, written: str = "") -> str:
    first, *rest = json.loads(json.dumps([{"kind": kind, "data": data} for kind, data in entries]))
    text = json.dumps([first]).replace('"NAME"', json.dumps(written or name))[:-1]
    return text + ", " + json.dumps(rest).replace('"NAME"', json.dumps(name))[1:]


@pytest.mark.parametrize("entries, dialect", [(COURIER[:2], "courier"), (POSTMAN, "postman")])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled(28)
def test_other_dialects_read_any_name(name: str, entries: list[tuple[str, Any]], dialect: str, tmp_path: Path) -> None:
    ends, names = [], []
    for number, each in enumerate((name, "Ann")):
        path = tmp_path / f"{number}.json"
        path.write_text(foreign(entries, each), "utf-8")
        result = ReplayRequest(path, rules=ERRANDS, dialect=dialect, strict=False).replay()
        ends.append((result.game.ply, result.game.hash, result.divergence is None))
        names.append(tuple(result.game.names.values()))
    assert ends[0] == ends[1] and ends[0][0] > 0
    assert names == [(name, "Bob"), ("Ann", "Bob")]


def test_an_entry_may_write_the_same_letters_otherwise(tmp_path: Path) -> None:
    for written, name in (("Zo\u00eb", "Zoe\u0308"), ("Zoe\u0308", "Zo\u00eb")):
        path = tmp_path / "log.json"
        path.write_text(foreign(POSTMAN, name, written), "utf-8")
        result = ReplayRequest(path, rules=ERRANDS, dialect="postman", strict=True).replay()
        assert result.divergence is None and list(result.game.names.values()) == [written, "Bob"]


@pytest.mark.parametrize("names", [("Ann", "Ann"), ("Zo\u00eb", "Zoe\u0308"), ("", "")])
def test_a_foreign_log_names_seats_and_cannot_tell_the_same_names_apart(names: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(foreign(POSTMAN, names[0]).replace('"Bob"', json.dumps(names[1])), "utf-8")
    with pytest.raises(DiagnosticsError) as error:
        replay_log(path, rules=ERRANDS, dialect="postman")
    assert [d.code for d in error.value.diagnostics] == ["RS650"]


def test_a_log_of_one_name_twice_is_read_by_ids(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    write_log(path, poker({"A": "Ann", "B": "Ann"}))
    assert read_log(path).header.seats == {"A": "Ann", "B": "Ann"} and replay_log(path).divergence is None
