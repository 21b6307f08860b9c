"""A log knows how its game ended; a replay that comes to another end says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import invoke
from folders import RULESETS

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.versions import LANGUAGE, RULESPEC
from rulespec.engine.game.game import Game
from rulespec.engine.logs.log_file import write_log
from rulespec.engine.logs.native import parse_log, read_log
from rulespec.engine.logs.seat_log import seat_log
from rulespec.engine.replay.replay import replay_log
from rulespec.load import load_ruleset

pytestmark = pytest.mark.usefixtures("known_rulesets")
Lines = list[dict[str, Any]]


def game_of(*texts: str, ref: str = "nim") -> Game:
    game = Game(load_ruleset(str(RULESETS / ref)), ["Ann", "Bob"])
    for text in texts:
        game.apply(game.parse(text))
    return game


def lines_of(path: Path) -> Lines:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def write(path: Path, lines: Lines) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A game that was left after two decisions."""
    write_log(tmp_path / "game.jsonl", game_of("take(1)", "take(2)"))
    return tmp_path / "game.jsonl"


def test_the_header_names_the_versions_and_the_last_line_the_end(log: Path) -> None:
    header, *_, last = lines_of(log)
    assert (header["rulespec_log"], header["rulespec"], header["language"]) == (2, RULESPEC, LANGUAGE)
    assert [*last["end"]] == ["ending", "winners", "scores", "fingerprint"] and last["end"]["ending"] is None
    assert invoke("replay", log)[0] == 0


CHANGES: dict[str, tuple[str, Any]] = {
    "an ending": ("ending", "other"),
    "a winner": ("winners", ["Ann"]),
    "a score": ("scores", {"Ann": 1}),
    "a position": ("fingerprint", "0" * 32),
}


@pytest.mark.parametrize("what", CHANGES)
def test_another_end_is_told_and_fails(log: Path, what: str) -> None:
    *lines, last = lines_of(log)
    key, value = CHANGES[what]
    last["end"][key] = value
    write(log, [*lines, last])
    code, out, err = invoke("replay", log)
    assert code == 1 and "error[RS643]" in err and f"{log}:4:" in err and "goes on" in out
    code, out, _ = invoke("replay", log, "--format", "json")
    assert code == 1 and json.loads(out)["end"]["differs"] == [key]
    assert invoke("replay", log, log)[0] == 1
    code, _, _ = invoke("replay", log, "--out", log.with_name("new.jsonl"))
    assert code == 1 and invoke("replay", log.with_name("new.jsonl"))[0] == 0  # this is how a new end is recorded


def test_the_last_end_line_counts_at_its_place(log: Path, tmp_path: Path) -> None:
    header, first, second, end = lines_of(log)
    wrong = {"end": {**end["end"], "fingerprint": "0" * 32}}
    undo: dict[str, Any] = {"undo": 1}
    assert invoke("replay", write(tmp_path / "a.jsonl", [header, wrong, first, second, end]))[0] == 0
    assert invoke("replay", write(tmp_path / "b.jsonl", [header, first, second, end, undo]))[0] == 0
    assert invoke("replay", write(tmp_path / "c.jsonl", [header, first, end, second]))[0] == 1
    assert invoke("replay", write(tmp_path / "d.jsonl", [header, first, second, end, wrong]))[0] == 1
    code, out, _ = invoke("replay", tmp_path / "b.jsonl")
    assert "no end recorded" in out
    for until, code in ((1, 0), (2, 1)):
        assert invoke("replay", tmp_path / "d.jsonl", "--until", until)[0] == code


def test_a_log_without_an_end_is_reported_and_no_failure(log: Path, tmp_path: Path) -> None:
    write(log, lines_of(log)[:-1])
    code, out, err = invoke("replay", log)
    assert code == 0 and "no end recorded" in out and not err
    assert "no end recorded" in invoke("replay", log, log)[1]
    assert json.loads(invoke("replay", log, "--format", "json")[1])["end"] is None


def test_version_1_is_read_and_carried_over(log: Path) -> None:
    header, *lines, _ = lines_of(log)
    old = {k: v for k, v in header.items() if k not in ("rulespec", "language")} | {"rulespec_log": 1}
    write(log, [old, *lines])
    assert read_log(log).version == 1
    assert invoke("replay", log, "--out", log.with_name("new.jsonl"))[0] == 0
    assert lines_of(log.with_name("new.jsonl"))[0] == header and "end" in lines_of(log.with_name("new.jsonl"))[-1]
    with pytest.raises(DiagnosticsError, match="RS605"):  # the lines of two versions are never mixed
        invoke("play", "nim", "--players", 2, "--log", log, stdin="q\n")


BAD: dict[str, Any] = {
    "not an object": [],
    "a key is missing": {"ending": None, "winners": [], "scores": {}},
    "an unknown key": {"ending": None, "winners": [], "scores": {}, "fingerprint": "0" * 32, "loser": "Bob"},
    "an ending that is a number": {"ending": 1, "winners": [], "scores": {}, "fingerprint": "0" * 32},
    "winners that are no list": {"ending": None, "winners": "Ann", "scores": {}, "fingerprint": "0" * 32},
    "scores that are true": {"ending": None, "winners": [], "scores": {"Ann": True}, "fingerprint": "0" * 32},
    "a short fingerprint": {"ending": None, "winners": [], "scores": {}, "fingerprint": "0"},
    "many winners": {"ending": None, "winners": ["Ann"] * 65, "scores": {}, "fingerprint": "0" * 32},
}


@pytest.mark.parametrize("what", BAD)
def test_an_end_of_another_form_is_refused_at_its_place(log: Path, what: str) -> None:
    write(log, [*lines_of(log)[:-1], {"end": BAD[what]}])
    with pytest.raises(DiagnosticsError, match="RS607"):
        read_log(log)


def test_a_torn_end_line_is_no_end(log: Path) -> None:
    text = log.read_text("utf-8")
    whole = text.rindex('{"end"')
    for cut in range(whole + 1, len(text) - 2, 7):
        native = parse_log(text[:cut], "game.jsonl", False)
        assert native.end is None and [w.code for w in native.warnings] == ["RS603"] and len(native.entries) == 2


def test_no_end_line_tells_a_seat_what_it_may_not_know() -> None:
    """Bids are sealed until both have bid, whatever they are."""
    ends = []
    for bid in ("bid(1)", "bid(3)"):
        game = game_of(ref="wager")
        while game.decision is not None and game.decision.by is None:
            game.apply(game.legal_options[0])
        game.apply(game.parse(bid, "Ann"))
        ends.append([line for seat in ("Bob", None) for line in seat_log(game, seat) if "end" in line])
    assert ends[0] == ends[1] and len(ends[0]) == 2 and all(line["end"]["scores"] == {} for line in ends[0])


def test_play_writes_the_end_where_a_game_is_left_and_where_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    args = ("play", "nim", "--players", "2", "--ids", "--log", path)
    for stdin, ends in (("take(1)\nq\n", 1), ("q\n", 1), ("", 1), ("take(2)\n", 2), ("u\ntake(3)\nq\n", 3)):
        assert invoke(*args, stdin=stdin)[0] == 0
        results = [line for line in lines_of(path) if "end" in line]
        assert len(results) == ends and "end" in lines_of(path)[-1]
        assert invoke("replay", path)[0] == 0 and "no end" not in invoke("replay", path)[1]
    invoke(*args, stdin="1\n" * 40)
    assert lines_of(path)[-1]["end"]["winners"] and invoke("replay", path)[0] == 0


def test_logs_of_random_games_have_an_end(tmp_path: Path) -> None:
    from rulespec.engine.simulate.checked_playouts import play_out

    playout = play_out(Game(load_ruleset("nim"), ["Ann", "Bob"]), 1, 0)
    assert playout.log()[-1]["end"]["ending"] == playout.ending
    result = replay_log(write(tmp_path / "game.jsonl", playout.log()), report=(report := Report()))
    assert result.other_end is None and not report.diagnostics
