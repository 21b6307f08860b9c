"""Fields of a foreign log are compared, or declared to say nothing; else a diagnostic names the field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from folders import GAMES
from recorder import COURIER, begin, cargo, changed, gift, go, plain

from rulespec.cli.main import cli
from rulespec.engine.dialects.dialect import read_dialect
from rulespec.engine.dialects.entries import Entries
from rulespec.engine.dialects.foreign_log import ForeignLog
from rulespec.engine.dialects.unread_fields import MAX_UNREAD, uneven_forms, unread_fields

SHIPPED = GAMES / "imperial" / "dialects" / "playimperial.yaml"


def unread(dialect: Path, *entries: Any) -> list[str]:
    read = read_dialect(dialect)
    log = ForeignLog("game.json", list(entries))
    return [d.message for d in unread_fields(read, log, Entries(read, log))]


def uneven(dialect: Path) -> list[str]:
    return [d.message for d in uneven_forms(read_dialect(dialect))]


# --- the log ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "entry, path",
    [
        ({"kind": "rest", "data": {"colour": "red"}}, "colour"),
        ({"kind": "go", "data": {"to": "THE_MILL", "fee": 1, "by": {"cart": 2}}}, "by.cart"),
        ({"kind": "cargo", "data": {"crates": [{"what": "C", "price": 3}]}}, "crates.*.price"),
        ({"kind": "gift", "data": {"from": "A", "to": {"name": "B", "age": 4}, "amount": 1}}, "to.age"),
        ({"kind": "gift", "data": {"from": "A", "to": "B", "amount": 1}}, "to"),
        ({"kind": "rest", "data": {}, "time": 12}, "time"),
        ({"kind": "begin", "data": {"people": [{"name": "A", "hat": "blue"}]}}, "people.*.hat"),
    ],
)
def test_a_field_that_nothing_compares(tmp_path: Path, entry: Any, path: str) -> None:
    dialect = changed(tmp_path, "title:", "title:")
    (message,) = unread(dialect, {"kind": "begin", "data": {"people": [{"name": "A"}]}}, entry)
    assert message == f"nothing compares `{path}` of `{entry['kind']}`, first in entry 1"


def test_fields_of_an_entry_that_ends_the_game_are_declared_there(tmp_path: Path) -> None:
    log = [{"kind": "begin", "data": {"people": [{"name": "A"}]}}, {"kind": "over", "data": {"by": "A", "score": 3}}]
    listed, place = changed(tmp_path, "title:", "ends: [over]\ntitle:"), "first in entry 1"
    assert unread(listed, *log) == [f"nothing compares `{path}` of `over`, {place}" for path in ("by", "score")]
    read = read_dialect(listed)
    file = ForeignLog("game.json", [*log])
    assert "`ends: {over: {by: …}}`" in unread_fields(read, file, Entries(read, file))[0].help
    declared = changed(tmp_path, "title:", "ends: {over: {by: whoever clicked}}\ntitle:")
    assert unread(declared, *log) == [f"nothing compares `score` of `over`, {place}"]
    assert read_dialect(declared).ends == read.ends


@pytest.mark.parametrize(
    "entry",
    [
        {"kind": "rest", "data": {"colour": None, "list": [], "object": {}}},
        {"kind": "chat", "data": {"text": "hello"}},
        {"kind": "unknown", "data": {"text": "hello"}},
        {"kind": "rest"},
        {"kind": "cargo", "data": {"crates": []}},
    ],
)
def test_where_nothing_is_said_nothing_is_missed(tmp_path: Path, entry: Any) -> None:
    assert unread(changed(tmp_path, "title:", "title:"), entry) == []


@pytest.mark.parametrize(
    "old, new",
    [
        ("{type: rest}", "{type: rest, not_compared: {colour: it is a matter of taste}}"),
        ("ignore:", "not_compared: {colour: it is a matter of taste}\nignore:"),
    ],
)
def test_what_is_declared_is_not_told(tmp_path: Path, old: str, new: str) -> None:
    assert unread(changed(tmp_path, old, new), {"kind": "rest", "data": {"colour": "red"}}) == []


def test_a_log_full_of_unknown_fields_is_told_in_few_lines(tmp_path: Path) -> None:
    entries = [{"kind": "rest", "data": {f"f{n}": n}} for n in range(5_000)]
    assert len(unread(changed(tmp_path, "title:", "title:"), *entries)) == MAX_UNREAD


def test_a_log_of_which_all_is_read() -> None:
    entries = [begin("A", "B"), go("mill", fee=2), cargo("corn"), gift("A", "B", 1), plain("keep")]
    assert unread(COURIER, *entries) == []


# --- the dialect ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "old, new, path",
    [
        ("way.run: {type: go, match: {to: to, ", "way.run: {type: go, match: {", "to"),
        ('"fee?": to.fee}}\n  way.stay', "}}\n  way.stay", "fee"),
        ("giving.keep: {type: keep}", "giving.keep: {type: gift, match: {to.name: 1, amount: 0}}", "from"),
    ],
)
def test_an_option_that_leaves_out_a_field(tmp_path: Path, old: str, new: str, path: str) -> None:
    (message,) = uneven(changed(tmp_path, old, new))
    assert f"does not compare `{path}`" in message


def test_shipped_dialects_leave_nothing_out() -> None:
    assert uneven(SHIPPED) == []


# --- costs in club games ----------------------------------------------------------------------------------------------


def _replayed(tmp_path: Path, change: Any) -> tuple[int, str]:
    entries = json.loads((GAMES / "imperial/logs/playimperial/c000-standard-2p.json").read_text("utf-8"))
    change(entries)
    path = tmp_path / "game.json"
    path.write_text(json.dumps(entries), "utf-8")
    result = CliRunner().invoke(cli, ["replay", str(path)])
    return result.exit_code, result.output


def _first(entries: list[Any], kind: str) -> dict[str, Any]:
    results: dict[str, Any] = next(e for e in entries if e["type"] == kind)["payload"]
    return results


@pytest.mark.parametrize(
    "kind, field, value",
    [
        ("buildFactory", "nationCosts", 3),
        ("buildFactory", "playerCosts", 5),
        ("buildFactory", "player", "Nobody"),
        ("rondel", "cost", 2),
        ("bondPurchase", "cost", 3),
        ("bondPurchase", "player", "Nobody"),
        ("unfriendlyEntrance", "incumbent", {"value": "IT"}),
        ("fight", "targetType", "fleet"),
        ("coexist", "incumbent", {"value": "nobody"}),
    ],
)
@pytest.mark.sampled(2)
def test_what_a_club_game_says_is_compared(tmp_path: Path, kind: str, field: str, value: Any) -> None:
    code, output = _replayed(tmp_path, lambda entries: _first(entries, kind).update({field: value}))
    assert code == 1, output


def test_a_club_game_with_a_field_that_nobody_knows(tmp_path: Path) -> None:
    code, output = _replayed(tmp_path, lambda entries: _first(entries, "buildFactory").update(discount=2))
    assert code == 0
    assert "nothing compares `discount` of `buildFactory`" in output
