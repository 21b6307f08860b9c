"""A dialect file: its paths and orders, and the mistakes in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from recorder import begin, changed, plain

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.dialects.dialect import read_dialect
from rulespec.engine.dialects.entries import ordered
from rulespec.engine.dialects.foreign_log import parse_foreign
from rulespec.engine.dialects.importer import Importer
from rulespec.engine.dialects.json_paths import MISSING, follow
from rulespec.engine.game.game import Game
from rulespec.typed.nodes import Ruleset

# --- paths and orders -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path, wanted",
    [
        ("", {"a": {"b": [1, {"c": 2}]}, "n": None}),
        ("a.b", [1, {"c": 2}]),
        ("a.b.0", 1),
        ("a.b.1.c", 2),
        ("n", None),
        ("a.b.2", MISSING),
        ("a.b.-1", MISSING),
        ("a.b.c", MISSING),
        ("n.x", MISSING),
        ("a.b.*.c", [MISSING, 2]),
        ("a.*.c", [MISSING]),
        ("a.b.1.*", [2]),
        ("a.b.0.*", MISSING),
    ],
)
def test_where_a_path_leads(path: str, wanted: Any) -> None:
    assert follow({"a": {"b": [1, {"c": 2}]}, "n": None}, path) == wanted


@pytest.mark.parametrize(
    "order, wanted",
    [("as_is", ["b", "10", "a", "007", "9"]), ("numbers_first", ["9", "10", "b", "a", "007"])],
)
def test_how_a_list_is_ordered(order: str, wanted: list[str]) -> None:
    assert ordered(["b", "10", "a", "007", "9"], order) == wanted


# --- the dialect file itself ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "old, new, code",
    [
        ("title:", "titel:", "RS"),
        ("rules: errands", "rules: [errands]", "RS"),
        ("ignore: [chat, bye]", "ignore: chat", "RS"),
        ("type: begin", "type: 3", "RS"),
        ("{type: rest}", "{type: rest, colour: red}", "RS"),
        ("way.stay:", "stay:", "RS"),
        ("{type: rest}", "{type: rest", "RS1"),
    ],
)
def test_a_dialect_that_does_not_fit_its_schema(tmp_path: Path, old: str, new: str, code: str) -> None:
    path = changed(tmp_path, old, new)
    with pytest.raises(DiagnosticsError) as error:
        read_dialect(path)
    for result in error.value.diagnostics:
        assert result.code.startswith(code)
        assert result.span is not None
        assert result.span.file == str(path)


@pytest.mark.parametrize(
    "old, new, word",
    [
        ("{to: to, ", "{to: too, ", "too"),
        ('fee?": to.fee', 'fee?": to.fees', "fees"),
        ("match: {what: g}", "match: {what: 1 + g}", "loading.lay"),
    ],
)
def test_an_expression_that_is_wrong_is_found_before_the_first_decision(
    errands: Ruleset, tmp_path: Path, old: str, new: str, word: str
) -> None:
    dialect = read_dialect(changed(tmp_path, old, new))
    log = parse_foreign(json.dumps([begin("Ann", "Bob")]), "game.json")
    with pytest.raises(DiagnosticsError) as error:
        Importer(Game(errands, ["Ann", "Bob"]), dialect, log)
    assert {d.code for d in error.value.diagnostics} == {"RS622"}
    assert any(word in d.message for d in error.value.diagnostics)


def test_what_a_ruleset_does_not_have_is_left_out(errands: Ruleset, tmp_path: Path) -> None:
    # One dialect serves several variants of a game.
    dialect = read_dialect(changed(tmp_path, "decisions:\n", "decisions:\n  flying.fly: {type: go, match: {to: to}}\n"))
    log = parse_foreign(json.dumps([begin("Ann", "Bob"), plain("rest")]), "game.json")
    assert Importer(Game(errands, ["Ann", "Bob"]), dialect, log).run() is None
