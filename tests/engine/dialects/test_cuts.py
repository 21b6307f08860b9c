"""Lists that logs have in one piece, where others of the same dialect have a list of pieces."""

from __future__ import annotations

from typing import Any

import pytest
from folders import TESTS
from msgspec.structs import replace

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.dialects.dialect import Cut, Dialect, LogShape, read_dialect
from rulespec.engine.dialects.first_entry import cut_at
from rulespec.engine.dialects.foreign_log import parse_foreign, pieces, shaped
from rulespec.engine.game.game import Game
from rulespec.load import load_ruleset


def dialect(at: str) -> Dialect:
    plain = read_dialect(TESTS / "fixtures" / "sites" / "picker" / "picker.yaml")
    return replace(plain, shape=LogShape("moves", ("ways", "parts"), {}, {"parts": Cut("stops", at)}))


def game() -> Game:
    return Game(load_ruleset("nim"), ["A", "B"])


@pytest.mark.parametrize(
    "names, expected",
    [
        ("a x b", [["a", "x", "b"]]),
        ("a b c", [["a", "b"], ["b", "c"]]),
        ("a b b x c", [["a", "b"], ["b", "x", "c"]]),
        ("x a y b", [["x", "a"], ["a", "y", "b"]]),
        ("a x y", [["a", "x", "y"]]),
        ("a", []),
        ("", []),
    ],
)
def test_a_list_is_cut_where_a_piece_ends_and_the_next_one_begins(names: str, expected: list[list[str]]) -> None:
    assert pieces(names.split(), {"a", "b", "c"}) == expected


@pytest.mark.parametrize("value", [None, "a b", {"a": 1}, 7])
def test_what_is_no_list_has_no_pieces(value: Any) -> None:
    assert pieces(value, {"a", "b"}) == []


def test_a_list_of_pieces_is_taken_as_it_is_written() -> None:
    log = parse_foreign(
        '{"moves": [{"ways": [{"stops": ["a", "b"], "parts": [["c", "d"]]}, {"stops": ["a", "b"]}]}]}', "x"
    )
    entries = shaped(log, dialect("player"), {"parts": {"a", "b"}}).entries
    assert [entry for entry in entries if isinstance(entry, list)] == [["c", "d"], ["a", "b"]]
    assert not [entry for entry in shaped(log, dialect("player")).entries if entry == ["a", "b"]]


def test_the_ends_are_a_set_of_entities_by_their_foreign_names() -> None:
    assert cut_at(dialect("{p in player where p.index == 0}"), game()) == {"parts": {"A"}}


@pytest.mark.parametrize("at, why", [("1 + 1", "is int, not a set"), ("{p in playr}", "playr"), ("1 / (1 - 1)", "")])
def test_ends_that_are_no_set_are_refused(at: str, why: str) -> None:
    with pytest.raises(DiagnosticsError) as error:
        cut_at(dialect(at), game())
    assert [d.code for d in error.value.diagnostics] == ["RS622"]
    assert why in error.value.diagnostics[0].message
