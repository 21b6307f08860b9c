"""Wrong expressions of a dialect are found without a log."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from folders import GAMES, TESTS
from shipped import loaded

from rulespec.cli.validate import check
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.dialects.dialect import read_dialect
from rulespec.engine.dialects.wrong_expressions import own_rules, wrong_expressions
from rulespec.engine.replay.replay import replay_log
from rulespec.load import load_ruleset

SITE = (TESTS / "fixtures" / "sites" / "picker" / "picker.yaml").read_text("utf-8")
RIGHT = "  joined: {place: [pick], crown: [place]}"


def said(path: Path, text: str) -> list[tuple[str, int, str]]:
    path.write_text(text, "utf-8")
    results = wrong_expressions(read_dialect(path), loaded("chess")[0])
    return [(d.code, d.span.line, d.message) for d in results if d.span is not None]


@pytest.mark.parametrize(
    "right, wrong, line, message",
    [
        (RIGHT, RIGHT + '\n  cut: {places: {from: stops, at: "{s in square where s.rwo == 1}"}}', 8, "has no `rwo`"),
        (RIGHT, RIGHT + '\n  cut: {places: {from: stops, at: "1 + 1"}}', 8, "is int, not a set of entities"),
        ("place.pick.at: a", "place.pick.at: aa", 20, "nothing is called `aa`"),
        ("match: {long:", "when: a, match: {long:", 21, "a"),
        ("redo: redo,", "redo: redo, sets: {quiet: now + 1},", 14, "nothing is called `now`"),
    ],
)
def test_a_wrong_expression_is_reported_at_its_place(
    tmp_path: Path, right: str, wrong: str, line: int, message: str
) -> None:
    path = tmp_path / "picker.yaml"
    assert said(path, SITE) == []
    ((code, at, text),) = said(path, SITE.replace(right, wrong))
    assert (code, at) == ("RS622", line) and message in text


def test_numbers_of_the_first_entry_are_known(tmp_path: Path) -> None:
    wanted = SITE.replace("  seats:", "  values: {seed: settings.seed}\n  seats:")
    assert said(tmp_path / "picker.yaml", wanted.replace("at: b, as: into", "at: b, as: into, no: seed % 8")) == []


CLUB = {
    "game.yaml": 'id: club\ntitle: Club\nversion: "1"\nextends: connect_four\n',
    "dialects/site.yaml": (
        "id: site\ntitle: Site\nrules: connect_four\nentries: actions\naction: {type: type, payload: ''}\n"
        "start: {seats: players.*}\ndecisions:\n  turn.drop: {type: drop, match: {column: c.column}}\n"
    ),
    "game.json": json.dumps({"players": ["Ann", "Bob"], "actions": [{"type": "drop", "column": 4}] * 2}),
}


def test_a_wrong_expression_beside_rules_that_extend_others_stops_the_replay(tmp_path: Path) -> None:
    """Otherwise the field is not compared, and other moves are replayed than those in the log."""
    (tmp_path / "dialects").mkdir()
    for name, text in CLUB.items():
        (tmp_path / name).write_text(text, "utf-8")
    log, site = tmp_path / "game.json", tmp_path / "dialects" / "site.yaml"
    right = replay_log(log, rules=str(tmp_path))
    assert [str(option) for option in right.game.history] == ["drop(d1)", "drop(d2)"]
    site.write_text(CLUB["dialects/site.yaml"].replace("c.column", "cc.column"), "utf-8")
    with pytest.raises(DiagnosticsError) as error:
        replay_log(log, rules=str(tmp_path))
    assert [d.code for d in error.value.diagnostics] == ["RS622"]
    assert [d.code for d in wrong_expressions(read_dialect(site), load_ruleset(str(tmp_path)))] == ["RS622"]


def test_validate_compiles_the_dialects_of_a_ruleset(tmp_path: Path) -> None:
    folder = tmp_path / "nim"
    shutil.copytree(GAMES / "gallery" / "nim", folder)
    (folder / "dialects").mkdir()
    (folder / "dialects" / "site.yaml").write_text(
        "id: site\ntitle: Site\nrules: nim\nentries: {list: moves, inside: [ways], "
        "cut: {ways: {from: stops, at: playr}}}\nstart: {seats: people}\ndecisions: {}\n",
        "utf-8",
    )
    report = Report()
    check(str(folder), report)
    assert [(d.code, d.help) for d in report.diagnostics] == [("RS622", "did you mean `player`?")]


def test_the_rules_of_a_dialect_have_its_overlays() -> None:
    dialect = read_dialect(GAMES / "imperial" / "dialects" / "playimperial.yaml")
    own = list(own_rules(dialect, loaded("imperial")[0]))
    assert {rules.id for rules in own} == {"imperial"} and all(rules.overlays for rules in own)
    assert own and wrong_expressions(dialect, loaded("imperial")[0]) == []
