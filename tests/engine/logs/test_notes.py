"""Remarks, dates, an event, times and keys of one's own are kept and printed, and change nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from commands import invoke
from folders import ROOT, RULESETS
from viewers import flags_for

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.logs.log_file import write_log
from rulespec.engine.logs.native import read_log
from rulespec.engine.replay.replay import replay_log
from rulespec.load import load_ruleset

pytestmark = pytest.mark.usefixtures("known_rulesets")
SCHEMA = json.loads((ROOT / "rulespec" / "schemas" / "log.schema.json").read_text("utf-8"))
EVIL = "\x1b[31m red \u202e\nsecond <b>line</b>"


def noted(path: Path, ref: str = "nim", texts: tuple[str, ...] = ("take(1)", "take(2)")) -> Path:
    """A log with notes everywhere."""
    game = Game(load_ruleset(str(RULESETS / ref)), ["Ann", "Bob"])
    for text in texts:
        if game.decision is not None and game.decision.by is None:
            game.apply(game.legal_options[0])
        game.apply(game.parse(text))
    write_log(path, game)
    header, *lines, end = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    header |= {"event": "club evening", "date": "2026-11-25", "remark": "rain", "x-site": {"id": [1, None]}}
    lines[0] |= {"time": 12.5, "remark": EVIL, "x-clock": 300}
    lines[-1] |= {"date": "2026-11-25T20:15:00Z", "time": 3}
    talk = [{"remark": "anns", "by": "Ann"}, {"remark": "bobs", "by": "Bob"}, {"remark": "nobodys"}, {"x-only": 1}]
    end |= {"remark": "well played"}
    path.write_text("".join(json.dumps(x) + "\n" for x in [header, lines[0], *talk, *lines[1:], end]), "utf-8")
    return path


def test_notes_change_nothing_and_are_kept(tmp_path: Path) -> None:
    path, new = noted(tmp_path / "game.jsonl"), tmp_path / "new.jsonl"
    result = replay_log(path)
    assert result.divergence is None and result.other_end is None and result.game.ply == 2
    assert invoke("replay", path, "--out", new)[0] == 0
    assert [json.loads(x) for x in new.read_text("utf-8").splitlines()] == [
        json.loads(x) for x in path.read_text("utf-8").splitlines()
    ]


def test_notes_fit_the_schema(tmp_path: Path) -> None:
    for line in noted(tmp_path / "game.jsonl").read_text("utf-8").splitlines():
        jsonschema.validate(json.loads(line), SCHEMA)


def test_notes_are_printed_and_escaped(tmp_path: Path) -> None:
    code, out, _ = invoke("replay", noted(tmp_path / "game.jsonl"), "--moves")
    assert code == 0 and "\x1b" not in out and "\u202e" not in out
    for text in ("club evening · 2026-11-25", "“rain”", "12.5 s", r"“\x1b[31m red \u202e”", "Ann: “anns”", "“nobodys”"):
        assert text in out
    header = json.loads(invoke("replay", tmp_path / "game.jsonl", "--format", "json")[1])["notes"]
    assert header["event"] == "club evening" and header["x-site"] == {"id": [1, None]}


def test_without_secrets_a_seat_has_all_notes(tmp_path: Path) -> None:
    _, out, _ = invoke("log", noted(tmp_path / "game.jsonl"), "--for", "Ann")
    for text in ("club evening", '"x-site"', '"time": 12.5', "anns", "bobs", "nobodys", '"x-only"'):
        assert text in out
    (tmp_path / "ann.jsonl").write_text(out, "utf-8")
    assert invoke("log", tmp_path / "game.jsonl", "--for", "Ann", "--check", tmp_path / "ann.jsonl")[0] == 0


def test_with_secrets_a_seat_has_its_own_notes_alone(tmp_path: Path) -> None:
    """A remark may tell anything, a time whether there was a choice, and keys of one's own are not understood."""
    path = noted(tmp_path / "game.jsonl", "wager", ("bid(3)",))
    for seat, seen in (("Ann", {"anns"}), ("Bob", {"bobs"}), ("public", set())):
        who = flags_for(seat)
        for out in (invoke("log", path, *who)[1], invoke("replay", path, "--moves", *who)[1]):
            assert "club evening" in out
            assert {text for text in ("anns", "bobs", "nobodys", "rain", "well played") if text in out} == seen
            assert "x-" not in out and ("12.5" in out) is False


BAD: dict[str, tuple[int, dict[str, Any]]] = {
    "a long remark": (1, {"remark": "x" * 2001}),
    "a remark that is a number": (1, {"remark": 1}),
    "a negative time": (1, {"time": -1}),
    "a time that is true": (1, {"time": True}),
    "a time that is a text": (1, {"time": "1:20"}),
    "an endless time": (1, {"time": float("inf")}),
    "no date": (0, {"date": "yesterday"}),
    "a day that is not": (0, {"date": "2026-02-30"}),
    "an event of a move": (1, {"event": "x"}),
    "a time of the game": (0, {"time": 1}),
    "a key without a name": (0, {"x-": 1}),
    "a key with a blank": (1, {"x-a b": 1}),
    "a deep value": (1, {"x-a": [[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]}),
    "a key that nobody knows": (1, {"comment": "x"}),
    "a key of the header that nobody knows": (0, {"site": "x"}),
}


@pytest.mark.parametrize("what", BAD)
def test_notes_of_another_form_are_refused(tmp_path: Path, what: str) -> None:
    path = noted(tmp_path / "game.jsonl")
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    number, notes = BAD[what]
    lines[number] |= notes
    path.write_text("".join(json.dumps(x) + "\n" for x in lines), "utf-8")
    with pytest.raises(DiagnosticsError) as error:
        read_log(path)
    (result,) = error.value.diagnostics
    assert result.code == "RS607" and result.span is not None and result.span.line == number + 1
    if "nobody knows" in what:
        assert "`x-`" in result.help


def test_play_writes_the_date_and_remarks(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    stdin = "r  good luck \nremark\nr " + "x" * 3000 + "\ntake(1)\nq\n"
    code, out, _ = invoke("play", "nim", "--players", 2, "--ids", "--log", path, stdin=stdin)
    assert code == 0 and "remarked" in out and out.count("write a remark of 1 to 2,000 characters") == 2
    log = read_log(path)
    assert [*log.header.notes] == ["date"] and [*log.remarks().values()] == [{"remark": "good luck", "by": "A"}]
    assert "there is no log" in invoke("play", "nim", "--players", 2, stdin="r hi\nq\n")[1]


def test_pages_have_the_notes_that_who_looks_may_have(tmp_path: Path) -> None:
    page = tmp_path / "game.html"
    assert invoke("view", noted(tmp_path / "game.jsonl"), "--out", page)[0] == 0
    text = page.read_text("utf-8")
    assert "club evening" in text and "nobodys" in text and "12.5 s" in text
    assert "\u202e" not in text and "\x1b" not in text and "<b>line" not in text
    path = noted(tmp_path / "secret.jsonl", "wager", ("bid(3)",))
    for seat, seen in (("Ann", "anns"), ("Bob", "bobs"), ("public", ""), ("omniscient", "anns bobs nobodys")):
        assert invoke("view", path, *flags_for(seat), "--out", page)[0] == 0
        text = page.read_text("utf-8")
        assert {name for name in ("anns", "bobs", "nobodys") if f"“{name}”" in text} == {*seen.split()}


def test_who_remarks_something_has_a_name(tmp_path: Path) -> None:
    game = Game(load_ruleset(str(RULESETS / "nim")), {"A": "Ann (host)", "B": "Bob"})
    game.apply(game.parse("take(1)"))
    write_log(tmp_path / "plain.jsonl", game)
    header, *lines = (tmp_path / "plain.jsonl").read_text("utf-8").splitlines()
    remarks = ['{"remark": "nice", "by": "A"}', '{"remark": "late", "by": "nobody"}']
    (tmp_path / "game.jsonl").write_text("\n".join([header, *remarks, *lines]) + "\n", "utf-8")
    out = invoke("replay", tmp_path / "game.jsonl", "--moves")[1]
    assert "Ann (host): “nice”" in out and "nobody: “late”" in out
    assert invoke("view", tmp_path / "game.jsonl", "--out", tmp_path / "game.html")[0] == 0
    assert "Ann (host): “nice”" in (tmp_path / "game.html").read_text("utf-8")
