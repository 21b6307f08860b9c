"""Words at the terminal: `replay --moves` and `--at`, languages, ids, `play`, `titles`."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from commands import spoken
from folders import ROOT, RULESETS
from jsonschema import Draft202012Validator

from rulespec.cli.main import cli, run
from rulespec.cli.people import Person
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import TakenBack
from rulespec.engine.logs.log_file import LogWriter
from rulespec.engine.logs.native import LogHeader
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset
from rulespec.schemas import load_schema

QUICK = ROOT / "games" / "imperial" / "logs" / "quickstart.jsonl"
IMPORT = "Austria-Hungary (Claudia) imports a fleet to Trieste, pays 1 million"


pytestmark = pytest.mark.usefixtures("known_rulesets")


# --- replay -------------------------------------------------------------------------------------------


def test_moves_are_listed_in_words_with_what_they_changed() -> None:
    code, out = spoken("replay", QUICK, "--moves", "--from", "5", "--to", "6")
    assert code == 0
    assert out.splitlines()[2:7] == [
        "    5  Austria-Hungary (Claudia) moves to Import",
        "       Austria-Hungary space: Import",
        f"    6  {IMPORT}",
        "       fleet of Austria-Hungary: supply → Trieste",
        "       Austria-Hungary treasury: 2 → 1 million",
    ]
    assert "seat     points" in out and "goes on: France (Claudia): choose a space of the rondel" in out


def test_moves_in_another_language_and_by_ids() -> None:
    german = spoken("replay", QUICK, "--moves", "--to", "6", "--language", "de")[1]
    assert "Österreich-Ungarn (Claudia) importiert eine Flotte nach Triest, zahlt 1 Million" in german
    ids = spoken("replay", QUICK, "--moves", "--to", "6", "--names", "id")[1]
    assert "austria_hungary (Claudia): fleet(trieste)" in ids
    assert "fleet austria_hungary: supply → at[trieste]" in ids


@pytest.mark.proof
def test_results_have_titles_in_the_language_or_ids() -> None:
    games = ["simulate", "tutorial", "--players", "3", "--games", "1"]
    under = ["replay", QUICK.with_name("nobody-invests.jsonl"), "--under", "+cheap_factories"]
    for command, title, german, id_ in (
        (games, "a nation has all power points", "eine Nation hat alle Machtpunkte", "power "),
        (under, "no nation has a government", "keine Nation hat eine Regierung", "stalemate"),
    ):
        assert title in spoken(*command)[1]
        assert german in (note := spoken(*command, "--language", "de")[1]) and "Spieler" in note
        assert id_ in (ids := spoken(*command, "--names", "id")[1]) and title not in ids


def test_a_language_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    for args in (["replay", str(QUICK)], ["play", "nim", "--players", "2"], ["titles", "imperial"]):
        assert run([*args, "--language", "xx"]) == 2
        assert "RS534" in capsys.readouterr().err


def test_moves_as_json() -> None:
    code, out = spoken("replay", QUICK, "--moves", "--from", "6", "--to", "7", "--format", "json")
    data = json.loads(out)
    Draft202012Validator(load_schema("replay")).validate(data)
    assert code == 0 and [move["number"] for move in data["moves"]] == [6, 7]
    first = data["moves"][0]
    assert (first["by"], first["actor"], first["option"]) == ("Claudia", "Austria-Hungary", "fleet(trieste)")
    assert first["text"] == IMPORT


@pytest.mark.proof
def test_a_position_is_shown_with_the_move_that_led_to_it() -> None:
    code, out = spoken("replay", QUICK, "--at", "6")
    assert code == 0 and f"    6  {IMPORT}" in out and "6 decisions" in out and "fleet of nation" not in out
    assert "stopped: Austria-Hungary (Claudia): choose armies and fleets to import" in out
    assert "Trieste" in spoken("replay", QUICK, "--at", "6", "--state")[1]
    code, out = spoken("replay", QUICK, "--at", "0")
    assert code == 0 and "0 decisions" in out
    code, out = spoken("replay", QUICK, "--at", "113")
    assert code == 2 and "the game has 112 moves" in out


def test_what_was_taken_back_is_listed(tmp_path: Path) -> None:
    game = Game(load_ruleset("nim"), ["Ann", "Bob"])
    log = tmp_path / "game.jsonl"
    with LogWriter(log, LogHeader.of(game)) as writer:
        writer.add(game.apply(game.parse("take(1)")))
        game.undo()
        writer.add(TakenBack(1))
        writer.add(game.apply(game.parse("take(2)")))
    out = spoken("replay", log, "--moves")[1]
    assert "    2  taken back: 1 decision" in out and "    3  Ann: take: 2" in out


@pytest.mark.parametrize(
    "args", [["--from", "3"], ["--for", "Ann"], ["--moves", "--at", "2"], ["--moves", "--for", "Nobody"]]
)
def test_options_that_do_not_go_together(args: list[str]) -> None:
    assert spoken("replay", QUICK, *args)[0] == 2


def test_moves_for_a_seat_tell_what_it_has_seen(tmp_path: Path) -> None:
    game = Game(load_ruleset("kuhn_poker"), ["Ann", "Bob"])
    log = tmp_path / "whole.jsonl"
    with LogWriter(log, LogHeader.of(game)) as writer:
        for text in ("deal(queen)", "deal(king)", "leave_it", "bet", "leave_it"):
            writer.add(game.apply(game.parse(text)))
    for seat, seen, hidden in (("Ann", "queen", "king"), ("Bob", "king", "queen")):
        code, out = spoken("replay", log, "--moves", "--for", seat)
        assert code == 0 and seen in out and hidden not in out and " is dealt a card\n" in out
    out = spoken("replay", log, "--moves", "--public")[1]
    assert "king" not in out and "queen" not in out


# --- play ---------------------------------------------------------------------------------------------


def test_news_that_are_too_many_name_the_command_for_all_moves(capsys: pytest.CaptureFixture[str]) -> None:
    game = Game(load_ruleset("nim"), ["Ann", "Bob"])
    person = Person(Words(game.ruleset), game, "A")
    person.news = ["news"] * 150
    person.show_news()
    (command,) = re.findall(r"50 more lines \(`(\w)` shows the game so far\)", capsys.readouterr().out)
    _, out = spoken("play", "nim", "--names", "Ann,Bob", stdin=f"take(1)\n{command}\nq\ny\n")
    assert re.search(r"^ +1  Ann: take: 1", out, re.MULTILINE)


def test_play_says_who_acts_and_what_it_costs() -> None:
    _, out = spoken("play", "imperial", "--players", "4", "--bots", "3", "--seed", "24", stdin="factory\nq\ny\n")
    assert "German Empire (A): choose a space of the rondel" in out
    assert "taken: German Empire (A) moves to Factory" in out
    assert "Build a factory in Cologne (5 million)" in out
    assert "unmoved" not in out and "bank" not in out


def test_play_says_the_rule_of_an_option_a_word_and_the_question() -> None:
    words = "? 1\n? taxation\n? nothing such\n?\nmoves to import\n"
    _, out = spoken("play", "imperial", "--players", "4", "--bots", "3", "--seed", "24", stdin=words)
    first, second, third, fourth = out.split("A> ?")[1:5]
    assert "Factory: The nation may build a factory" in first and "IMP-FAC-01" in first
    assert "Taxation: The nation is paid 2 million" in second and "no rule was found for `nothing such`" in third
    assert "The rondel: Each turn a nation moves its marker" in fourth
    assert "taken: German Empire (A) moves to Import" in out, "what was done can be typed, too"


def test_play_takes_words_that_are_nearly_right() -> None:
    words = "munich\nprod after imp\nundo\nIMPORT\n"
    _, out = spoken("play", "imperial", "--players", "4", "--bots", "3", "--seed", "24", stdin=words)
    assert "did you mean: moves to" in out or "no option `munich`" in out
    assert "taken: German Empire (A) moves to Production (after Import)" in out
    assert "taken back: 1 decision" in out and "taken: German Empire (A) moves to Import" in out


def test_play_asks_which_of_several_is_meant() -> None:
    _, out = spoken("play", "imperial", "--players", "4", "--bots", "3", "--seed", "24", stdin="manoeuvre\n")
    assert "which of these 2?" in out


def test_play_folds_what_is_alike() -> None:
    _, out = spoken("play", "imperial", "--players", "4", "--bots", "3", "--seed", "24", stdin="o\no give\no all\nw\n")
    folded, source, whole = out.split("A> o")[1:4]
    assert "more like these" in folded and "`o give` lists them" in folded
    assert "gives 2 million to Russia" in source and "Move to" not in source.split("A> ")[0]
    assert "gives 2 million to Russia" in whole and "Move to Import" in whole
    assert "name a file" in out


def test_play_asks_before_it_drops_a_game(tmp_path: Path) -> None:
    _, out = spoken("play", "nim", "--players", "2", stdin="q\n")
    assert "not saved" not in out  # no decision yet
    _, out = spoken("play", "nim", "--players", "2", stdin="1\nquit\nn\n2\nq\ny\n")
    assert out.count("the game is not saved") == 2 and "taken: B: take: 2" in out
    _, out = spoken("play", "nim", "--players", "2", stdin=f"1\nw {tmp_path}/a.jsonl\nq\n")
    assert "not saved" not in out
    _, out = spoken("play", "nim", "--players", "2", "--log", tmp_path / "b.jsonl", stdin="1\nq\n")
    assert "not saved" not in out


def test_the_help_of_play_fits_a_terminal() -> None:
    _, out = spoken("play", "nim", "--players", "2", stdin="help\n")
    help_ = out.split("A> help\n")[1].split("A> ")[0].splitlines()
    assert len(help_) > 5 and max(map(len, help_)) < 80


def test_play_by_ids_and_in_another_language() -> None:
    args = ("play", "imperial", "--players", "4", "--bots", "3", "--seed", "24")
    assert "    5  move(import)" in spoken(*args, "--ids")[1]
    assert "    5  Auf Import ziehen" in spoken(*args, "--language", "de")[1]


# --- titles ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ref",
    [
        *("imperial", "imperial+playimperial", "imperial_2030", "imperial_2030+playimperial"),
        *("imperial_asia", "imperial_asia+playimperial", "tutorial", "rails_1889", "rails_18chesapeake"),
    ],
)
@pytest.mark.sampled(1)
def test_these_have_all_words_in_english_and_german(ref: str) -> None:
    assert [spoken("titles", ref, "--language", language)[0] for language in ("en", "de")] == [0, 0]


@pytest.mark.parametrize(
    "ref",
    [
        *("tetrarchia", "tetrarchia+el_grande", "tetrarchia+imperivm", "tetrarchia+patres_patriae"),
        "shadow_of_the_emperor",
    ],
)
@pytest.mark.sampled(1)
def test_others_have_all_words_in_english_and_spanish(ref: str) -> None:
    assert [spoken("titles", ref, "--language", language)[0] for language in ("en", "es")] == [0, 0]


def test_titles_lists_what_has_no_words() -> None:
    code, out = spoken("titles", "nim", "--language", "en")
    assert code == 1 and "options: turn.take" in out and "nim, en: " in out


@pytest.mark.parametrize("text", ["\\e[31m", "\\u202e", "\\n::error::"])
def test_words_that_are_no_text_are_refused(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(RULESETS / "nim", tmp_path / "nim")
    (tmp_path / "nim" / "titles.yaml").write_text(f'options: {{turn.take: "takes {text} {{n}}"}}\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["play", "./nim", "--players", "2"], input="1\n")
    shown = result.output + str(result.exception)
    assert "\x1b" not in shown and "\u202e" not in shown and "\n::error" not in shown
