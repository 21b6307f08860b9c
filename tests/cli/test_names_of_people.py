"""Names of people at the terminal, in flags and in pages: any text, shown on one line and escaped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from any_names import NAMES
from commands import spoken
from folders import ROOT

from rulespec.diagnostics.diagnostic import escaped
from rulespec.engine.game.game import Game
from rulespec.engine.game.seat_names import shown_names
from rulespec.engine.logs.log_file import write_log
from rulespec.load import load_ruleset


def poker(path: Path, names: dict[str, str], cards: tuple[str, str] = ("queen", "king")) -> Path:
    game = Game(load_ruleset("kuhn_poker"), names)
    for card in cards:
        game.apply(game.parse(f"deal({card})"))
    write_log(path, game)
    return path


@pytest.mark.parametrize("name", [name for name in NAMES if name != "B"])
@pytest.mark.sampled(3)
def test_a_seat_is_asked_for_by_its_name_or_its_id(name: str, tmp_path: Path) -> None:
    log = poker(tmp_path / "log.jsonl", {"A": name, "B": "Bob"})
    by_id, by_name = (spoken("log", log, "--for", text) for text in ("A", name))
    assert by_id[0] == by_name[0] == 0
    last = [json.loads(out.splitlines()[0])["for"] for _, out in (by_id, by_name)]
    assert last == ["A", "A"] and "queen" in by_name[1] and "king" not in by_name[1]
    assert spoken("replay", log, "--moves", "--for", name)[1] == spoken("replay", log, "--moves", "--for", "A")[1]
    for text in ("A", name):
        assert spoken("draw", log, "--for", text, "--out", tmp_path / "x.svg")[0] == 0
        assert spoken("view", log, "--for", text, "--out", tmp_path / "x.html")[0] == 0


def test_a_name_of_two_seats_is_no_seat(tmp_path: Path) -> None:
    for names in ({"A": "Ann", "B": "Ann"}, {"A": "Zo\u00eb", "B": "Zoe\u0308"}):
        log = poker(tmp_path / "log.jsonl", names)
        for command in (["log"], ["replay", "--moves"], ["draw", "--out", tmp_path / "x.svg"]):
            code, out = spoken(*command, log, "--for", names["A"])
            assert code == 2 and "several seats have this name: A, B" in out and "queen" not in out
        assert spoken("log", log, "--for", "A")[0] == 0


def test_an_id_is_never_another_seats_name(tmp_path: Path) -> None:
    log = poker(tmp_path / "log.jsonl", {"A": "B", "B": "A"})
    code, out = spoken("log", log, "--for", "A")
    assert code == 0 and "queen" in out and "king" not in out


@pytest.mark.parametrize("word", ["public", "table", "omniscient", "all", "none", "Tisch"])
def test_no_word_stands_in_the_place_of_a_seat(word: str, tmp_path: Path) -> None:
    log = poker(tmp_path / "log.jsonl", {"A": "Ann", "B": "Bob"})
    for command in (["log"], ["replay", "--moves"], ["view", "--out", tmp_path / "x.html"]):
        code, out = spoken(*command, log, "--for", word)
        assert code == 2 and f"there is no seat `{word}`" in out and "queen" not in out and "king" not in out


def test_flags_say_that_all_look_or_who_knows_everything(tmp_path: Path) -> None:
    log = poker(tmp_path / "log.jsonl", {"A": "public", "B": "omniscient"})
    assert json.loads(spoken("log", log, "--public")[1].splitlines()[0])["for"] is None
    assert "queen" not in spoken("log", log, "--public")[1]
    assert spoken("log", log, "--public", "--for", "A")[0] == 2 and spoken("log", log)[0] == 2
    assert spoken("view", log, "--omniscient", "--for", "A", "--out", tmp_path / "x.html")[0] == 2


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled(7)
def test_play_takes_any_name_and_saves_it(name: str, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    args = ("play", "nim", "--name", name, "--name", "Cid", "--log", log)
    code, out = spoken(*args, stdin="1\nq\n")
    header = json.loads(log.read_text("utf-8").splitlines()[0])
    assert code == 0 and list(header["seats"].values()) == [name, "Cid"]
    shown = shown_names(header["seats"])
    first = next(iter(shown.values()))
    assert f"{first}> 1" in out.replace("#\\x23[", "##[").replace("\\x3a:", "::") and "Cid> q" in out
    assert all(escaped(line) == line for line in out.splitlines())
    code, out = spoken("play", "nim", "--players", "2", "--log", log, stdin="q\n")
    assert code == 0 and "continues after 1 decision" in out
    assert spoken("replay", log)[0] == 0


def test_play_reads_names_before_a_colon_and_in_brackets(tmp_path: Path) -> None:
    args = ("play", "nim", "--name", "A:B", "--name", "Ann (host)", "--log", tmp_path / "log.jsonl")
    code, out = spoken(*args, stdin="A:B: 1\nAnn (host): 1\nq\n")
    assert code == 0 and out.count("taken and saved") == 2
    assert spoken("play", "nim", "--names", "Ann,Bob", "--name", "Cid", stdin="q\n")[0] == 2


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled(7)
def test_a_page_shows_any_name_escaped(name: str, tmp_path: Path) -> None:
    log, page = poker(tmp_path / "log.jsonl", {"A": name, "B": "Bob"}), tmp_path / "x.html"
    assert spoken("view", log, "--omniscient", "--out", page)[0] == 0
    text = page.read_text("utf-8")
    assert "<b>Ann" not in text and not set("\u202e\u2066\u200b\x1b").intersection(text)
    assert spoken("draw", log, "--out", tmp_path / "x.svg")[0] == 0
    assert not set("\u202e\u2066\u200b\x1b").intersection((tmp_path / "x.svg").read_text("utf-8"))


@pytest.mark.proof  # 0.4 s
@pytest.mark.parametrize("name", NAMES)
def test_a_log_of_the_site_shows_any_name(name: str, tmp_path: Path) -> None:
    text = (ROOT / "games" / "imperial" / "logs" / "playimperial" / "c002-standard-4p.json").read_text("utf-8")
    log, out = tmp_path / "log.json", tmp_path / "log.jsonl"
    log.write_text(text.replace('"Henry"', json.dumps(name)), "utf-8")
    code, printed = spoken("replay", log, "--out", out)
    assert code == 0 and all(escaped(line) == line for line in printed.splitlines())
    assert name in json.loads(out.read_text("utf-8").splitlines()[0])["seats"].values()
    assert spoken("replay", out)[0] == 0


def test_a_seat_in_another_case_is_suggested(tmp_path: Path) -> None:
    log = poker(tmp_path / "log.jsonl", {"A": "Zoé", "B": "Bo B"})
    for word, meant in (("zoe", "Zoé"), ("bob", "Bo B"), ("a", "A")):
        code, out = spoken("log", log, "--for", word)
        assert code == 2 and f"did you mean `{meant}`?" in out
