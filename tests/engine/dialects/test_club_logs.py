"""Logs of a club that are wrong in ways that once passed in silence: an undo, a list, a result, a text for a number."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from rulespec.cli.main import cli

GAME = "id: club\ntitle: Club\nversion: '1.0'\nextends: connect_four\n"
DIALECT = """\
id: fourclub
title: The four club
rules: connect_four
entries: phases.*.moves
action: {type: type, payload: ""}
start: {when: {game: four}, seats: players.*.nick}
undo: {type: undo, by: who}
result: {winners: {path: winner, values: {first: [1], second: [2]}}}
decisions:
  turn.drop: {type: drop, by: who, match: {column: c.column}}
"""
COLUMNS = (4, 3, 4, 3, 4, 3, 4)


def drops(number: int) -> list[dict[str, Any]]:
    return [{"type": "drop", "who": "Ann" if n % 2 == 0 else "Bob", "column": COLUMNS[n]} for n in range(number)]


def replay(folder: Path, moves: list[dict[str, Any]], dialect: str = DIALECT, **more: Any) -> tuple[int, str]:
    """The exit code and output of a replay."""
    (folder / "club" / "dialects").mkdir(parents=True)
    (folder / "club" / "game.yaml").write_text(GAME, "utf-8")
    (folder / "club" / "dialects" / "fourclub.yaml").write_text(dialect, "utf-8")
    log = {"game": "four", "players": [{"nick": "Ann"}, {"nick": "Bob"}], "phases": [{"moves": moves}], **more}
    (folder / "game.json").write_text(json.dumps(log), "utf-8")
    done = CliRunner().invoke(cli, ["replay", str(folder / "game.json"), "--rules", str(folder / "club")])
    return done.exit_code, done.output


def test_a_whole_log_is_legal(tmp_path: Path) -> None:
    moves = [*drops(2), {"type": "undo", "who": "Bob"}, *drops(7)[1:]]
    code, output = replay(tmp_path, moves, winner="first")
    assert code == 0 and "ended: four in a row" in output and "RS" not in output


@pytest.mark.parametrize("who", ["Ann", "Zed"])
def test_an_undo_by_another_seat_is_refused(tmp_path: Path, who: str) -> None:
    code, output = replay(tmp_path, [*drops(2), {"type": "undo", "who": who}, *drops(7)[1:]])
    assert code == 2 and "RS613" in output
    assert "entry 3 is an undo by another seat: entry 2 was made by Bob" in output


def test_anybody_may_undo_where_no_field_says_who(tmp_path: Path) -> None:
    dialect = DIALECT.replace("{type: undo, by: who}", "{type: undo, not_compared: {who: anybody may}}")
    moves = [*drops(2), {"type": "undo", "who": "Ann"}, *drops(7)[1:]]
    assert replay(tmp_path, moves, dialect)[0] == 0


def test_an_undo_of_nothing_is_refused(tmp_path: Path) -> None:
    code, output = replay(tmp_path, [{"type": "undo", "who": "Ann"}, *drops(7)])
    assert code == 2 and "entry 1 is an undo, but there is nothing left to undo" in output


def test_a_list_that_no_phase_has_is_refused(tmp_path: Path) -> None:
    code, output = replay(tmp_path, drops(7), DIALECT.replace("*.moves", "*.move"))
    assert code == 2 and "no part of the log has a list of entries at `phases.*.move`" in output


@pytest.mark.parametrize("phases", [[], [{"moves": []}]])
def test_a_log_without_moves_goes_on(tmp_path: Path, phases: list[Any]) -> None:
    code, output = replay(tmp_path, [], phases=phases)
    assert code == 0 and "goes on" in output


@pytest.mark.parametrize("values", ["{second: [2]}", "{first: [3], second: [2]}"])
def test_a_recorded_winner_that_no_value_names_is_reported(tmp_path: Path, values: str) -> None:
    dialect = DIALECT.replace("{first: [1], second: [2]}", values)
    code, output = replay(tmp_path, drops(7), dialect, winner="first")
    assert code == 0 and "RS629" in output
    assert "`result.winners` names no seats of this game for `first`" in output


def test_a_text_for_a_number_is_told_the_way_out(tmp_path: Path) -> None:
    moves = [{**move, "column": str(move["column"])} for move in drops(7)]
    code, output = replay(tmp_path, moves)
    assert code == 1 and "`action: {numbers: texts}` reads it as one" in output
    numbers = DIALECT.replace('payload: ""}', 'payload: "", numbers: texts}')
    (tmp_path / "other").mkdir()
    assert replay(tmp_path / "other", moves, numbers)[0] == 0


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("decisions:", "names: {cells: {a1: '1'}}\ndecisions:", "has the kind `cells`"),
        ("decisions:", "names: {cell: {a9: '1', case: upper}}\ndecisions:", "has the cell `a9`"),
        ("second: [2]}}}", "second: [2]}}, ending: {path: how, values: {four: in_row}}}", "has the ending `in_row`"),
        ("second: [2]}}}", "second: [2]}}, ending: {path: how, values: {full: four_in_a_row}}}", ""),
    ],
)
def test_names_of_a_dialect_are_validated(tmp_path: Path, old: str, new: str, message: str) -> None:
    replay(tmp_path, [], DIALECT.replace(old, new))
    done = CliRunner().invoke(cli, ["validate", str(tmp_path / "club"), "--no-play"])
    if message:
        assert done.exit_code == 1 and f"no ruleset of the dialect `fourclub` {message}" in done.output
    else:
        assert "RS635" not in done.output
