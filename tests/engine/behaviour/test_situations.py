"""Recorded situations: written once, resumed under changed rules; damaged files are refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from cases import write
from commands import invoke, spoken
from folders import RULESETS
from jsonschema import Draft202012Validator

from rulespec.cli.recorded_situations import summary
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.behaviour import record as recording
from rulespec.engine.behaviour.record import record
from rulespec.engine.behaviour.situation_check import SituationCheck, check
from rulespec.engine.behaviour.situations import NAME, RecordedSituation, options_of, place_of, read_situations, written
from rulespec.engine.game.game import Game
from rulespec.engine.replay.correspondence import number_of
from rulespec.load import load_ruleset
from rulespec.schemas import load_schema

PLAY = "rules/play.rules"


def edited(folder: Path, file: str, old: str, new: str) -> Path:
    text = (folder / file).read_text("utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new), "utf-8")
    return folder


def checked(folder: Path, ref: str, file: str, old: str, new: str, number: int = 200) -> SituationCheck:
    """Situations of a shipped ruleset, checked under an edited copy."""
    situations = record(load_ruleset(str(RULESETS / ref)), number, None)
    return check(load_ruleset(str(edited(write(folder, {}, RULESETS / ref), file, old, new))), situations)


@pytest.mark.parametrize("ref", ["nim", "wager", "harbour"])
@pytest.mark.sampled(1)
def test_unchanged_rules_alter_nothing(ref: str) -> None:
    ruleset = load_ruleset(str(RULESETS / ref))
    situations = record(ruleset, 150, None)
    assert len(situations) == 150
    result = check(ruleset, situations)
    assert (result.altered, result.unreached) == ((), 0)


def test_situations_are_the_same_each_time_and_are_read_again(tmp_path: Path) -> None:
    ruleset = load_ruleset(str(RULESETS / "wager"))
    situations = record(ruleset, 120, None)
    assert situations == record(ruleset, 120, None)
    path = tmp_path / NAME
    path.write_bytes(gzip.compress(written(ruleset, situations).encode()))
    assert read_situations(path, "f") == situations


def test_a_forbidden_option_alters_where_it_was_legal(tmp_path: Path) -> None:
    result = checked(tmp_path, "nim", PLAY, "require n <= stone.heap ", "require n <= stone.heap and n < 3 ")
    recorded = sum("take(3)" in s.options for s in result.situations)
    of_options = {a.number for a in result.altered if a.kind == "options"}
    lost = {a.number for a in result.altered if a.kind == "illegal"}
    assert all(result.situations[number].take == "take(3)" for number in lost)
    assert len(of_options) + result.unreached >= recorded > 0
    assert {group[0].rule.name for group in result.groups()} == {"procedure turn"}


def test_an_effect_is_altered_where_it_acts_and_not_after_it(tmp_path: Path) -> None:
    old, new = "pay shown.prize from bank to winner.cash", "pay shown.prize + 1 money from bank to winner.cash"
    result = checked(tmp_path, "wager", PLAY, old, new)
    assert {a.kind for a in result.altered} == {"effect"}
    assert {a.rule.name for a in result.altered} == {"procedure award"}
    assert 0 < len(result.altered) < len(result.situations) // 2
    assert result.unreached == 0


@pytest.mark.parametrize(
    "file, old, new",
    [
        (PLAY, "turn(p", "one_turn(p"),
        ("kinds.yaml", "pieces:", "state:\n  spare: {type: int 0..9}\npieces:"),
        ("game.yaml", "title: Nim", "title: Another"),
    ],
)
def test_what_changes_nothing_alters_nothing(file: str, old: str, new: str, tmp_path: Path) -> None:
    result = checked(tmp_path, "nim", file, old, new)
    assert (result.altered, result.unreached) == ((), 0)


def test_renamed_things_are_found_again(tmp_path: Path) -> None:
    folder = write(tmp_path, {}, RULESETS / "nim")
    edited(folder, "game.yaml", "start: play", "start: play\nwas: {turn.grab: take}")
    situations = record(load_ruleset(str(RULESETS / "nim")), 100, None)
    assert check(load_ruleset(str(edited(folder, PLAY, "option take(", "option grab("))), situations).altered == ()


def test_tables_that_are_gone_are_counted(tmp_path: Path) -> None:
    result = checked(tmp_path, "nim", "game.yaml", "min: 2, max: 4", "min: 2, max: 3")
    assert result.altered == ()
    assert result.unreached > 10


def test_many_options_are_a_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game(load_ruleset(str(RULESETS / "nim")), ("A", "B"))
    monkeypatch.setattr("rulespec.engine.behaviour.situations.MAX_LISTED", 2)
    options = options_of(game)
    assert (options.texts, options.digest.startswith("3 options, ")) == ([], True)


def test_a_record_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    ruleset = load_ruleset(str(RULESETS / "wager"))
    monkeypatch.setattr(recording, "MAX_TEXT", 3_000)
    assert len(record(ruleset, 5_000, None)) < 60
    assert record(ruleset, 5_000, 0.0) == []


def test_a_check_is_bounded_in_time() -> None:
    """Situations beyond the time limit neither pass nor fail, but are counted."""
    ruleset = load_ruleset(str(RULESETS / "nim"))
    situations = record(ruleset, 40, None)
    result = check(ruleset, situations, -1)
    assert (result.altered, result.unreached, result.late, result.is_clean) == ((), 0, 40, False)
    assert summary(result).endswith("0 of 40 recorded situations, 40 not checked within 120 s of processor time")
    assert check(ruleset, situations, None).is_clean


def test_places_that_are_kept_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    ruleset = load_ruleset(str(RULESETS / "nim"))
    situations = record(ruleset, 80, None)
    monkeypatch.setattr("rulespec.engine.behaviour.situation_check.MAX_CELLS", 1)
    result = check(ruleset, situations)
    assert result.altered == ()
    assert result.unreached > 0
    monkeypatch.setattr(recording, "MAX_CELLS", 1)
    assert len(record(ruleset, 80, None)) == 80


def test_a_file_that_nobody_could_read_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulespec.engine.behaviour.record.record.__defaults__", (20, None))
    monkeypatch.setattr("rulespec.engine.behaviour.situations.MAX_BYTES", 100)
    folder = write(tmp_path / "nim", {}, RULESETS / "nim")
    code, out = spoken("explore", folder, "--decisions", 50, "--record")
    assert (code != 0, "has too many fields" in out, (folder / "tests").exists()) == (True, True, False)


def test_numbers_of_values_are_those_of_their_names() -> None:
    game = Game(load_ruleset(str(RULESETS / "harbour")), ("A", "B"))
    labels = game.omniscient.labels
    for cell, value in zip(game.omniscient.program.cells, game.omniscient.numbers.cells, strict=False):
        if cell.group not in ("rules", "frame") and (plain := labels.plain(cell.type, value)) is not None:
            assert number_of(labels, cell.type, plain) == value
    assert (number_of(labels, "bool", None), number_of(labels, "set player", None)) == (None, None)
    assert number_of(labels, "set player", ["A", "nobody"]) is None
    assert number_of(labels, "order player", ["B", "A"]) == 2 + (1 << 2)
    assert number_of(labels, "set player", ["A", "B"]) == 3


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lines, code",
    [
        (["{}"], "RS584"),
        (["nothing"], "RS584"),
        (['{"rulespec_situations":2,"ruleset":"nim","ruleset_hash":"","situations":0}'], "RS605"),
        (['{"rulespec_situations":1,"ruleset":"nim","ruleset_hash":"","situations":2}', "{}"], "RS584"),
        (['{"rulespec_situations":1,"ruleset":"nim","ruleset_hash":"","situations":1}', "{}"], "RS584"),
        (['{"rulespec_situations":1,"ruleset":"nim","ruleset_hash":"","situations":1}', '{"after":7}'], "RS584"),
        (['{"rulespec_situations":1,"ruleset":"nim","ruleset_hash":"","situations":1}', '{"odd":1}'], "RS584"),
        (['{"rulespec_situations":1,"ruleset":"nim","ruleset_hash":"","situations":1}', "[" * 5_000], "RS584"),
    ],
)
def test_a_damaged_file_is_refused(lines: list[str], code: str, tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(gzip.compress("\n".join(lines).encode()))
    with pytest.raises(DiagnosticsError) as caught:
        read_situations(tmp_path / NAME, "f")
    assert caught.value.diagnostics[0].code == code


def test_forged_situations_do_no_harm() -> None:
    ruleset = load_ruleset(str(RULESETS / "nim"))
    odd = RecordedSituation(players=2, settings={"misere": "maybe"}, cells=[("a", "b", "c", "d", "e")], state=[None])
    odder = RecordedSituation(after=0, take="take(" * 50, set=[(99, "x"), (-1, 4)], asked="turn")
    start = record(ruleset, 1, None)[0]
    other = RecordedSituation(
        after=2, take="take(1)", seat="Z", set=[(0, ["A"]), (500, 1)], asked="turn", by="Q", ended=[1]
    )
    result = check(ruleset, [odd, odder, start, other])
    assert result.unreached == 2
    assert [each.kind for each in result.altered] == ["illegal"]


# --- the commands -----------------------------------------------------------------------------------------------------


def test_explore_records_and_test_checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulespec.engine.behaviour.record.record.__defaults__", (150, None))
    folder = write(tmp_path / "nim", {}, RULESETS / "nim")
    code, out = spoken("explore", folder, "--decisions", 200, "--record")
    assert (code, "recorded 150 situations in " in out) == (0, True)
    assert (folder / "tests" / NAME) == place_of(load_ruleset(str(folder)))
    code, out = spoken("test", folder)
    assert (code, "150 recorded situations" in out) == (0, True)
    edited(folder, PLAY, "require n <= stone.heap ", "require n <= stone.heap and n < 3 ")
    code, out = spoken("test", folder, "--only", NAME)
    assert code == 1
    assert "error[RS583]: `procedure turn` (NIM-04) is illegal in " in out
    assert "this change altered " in out
    data = json.loads(invoke("test", folder, "--only", NAME, "--format", "json")[1])
    Draft202012Validator(load_schema("test")).validate(data)
    assert data["situations"]["recorded"] == 150


def test_an_overlay_has_situations_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulespec.engine.behaviour.record.record.__defaults__", (20, None))
    folder = write(tmp_path / "nim", {}, RULESETS / "nim")
    assert spoken("explore", f"{folder}+tall", "--decisions", 50, "--record")[0] == 0
    assert (folder / "tests" / "tall" / NAME).is_file()
    assert not (folder / "tests" / NAME).exists()
