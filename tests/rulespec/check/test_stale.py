"""Decisions that are asked again with a local that came from what has changed since; and those without a warning."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import GAME, write

from rulespec.diagnostics.report import Report
from rulespec.load import load_ruleset

KINDS = """
kinds:
  town:
    state: {owner: {type: "player?"}, age: {type: int}}
    facts: {mother: town}
    entities: {oak: {mother: elm}, elm: {mother: elm}}
  tile:
    number: 3
    places: {stack: {}, hall: {index: town, at_most: 2}}
  player:
    state: {cash: {account: money}, home: {type: town, start: oak}}
accounts: {bank: {account: money, unlimited: true}}
state: {n: {type: int}}
pieces: {man: {each: [player], places: {box: {}, at: {index: town}}}}
"""


@pytest.mark.parametrize(
    "value, condition, change, message",
    [
        (
            "count(tile.hall[oak])",
            "was < 2",
            "move first(tile) to hall[oak]",
            "`was` is outdated: it was computed from `tile.place`",
        ),
        (
            "room(hall[oak])",
            "was < 2",
            "move first(tile) to hall[oak]",
            "`was` is outdated: it was computed from `tile.place`",
        ),
        (
            "man[p].at[oak]",
            "was < 2",
            "move 1 of man[p] from box to at[oak]",
            "`was` is outdated: it was computed from `man.at`",
        ),
        ("man[p].at[oak]", "was < 2", "move 1 of man[p] from box to at[elm]", ""),
        ("p.home.age", "was < 2", "set p.home.age to 3", "`was` is outdated: it was computed from `town.age`"),
        ("p.home.age", "was < 2", "set oak.age to 3", ""),
        ("oak.mother.age", "was < 2", "set elm.age to 3", "`was` is outdated: it was computed from `town.age`"),
        ("p.home.mother.age", "was < 2", "set elm.age to 3", ""),
        ("age_of(oak)", "was < 2", "set oak.age to 3", "`was` is outdated: it was computed from `town.age`"),
        ("age_of(elm)", "was < 2", "set oak.age to 3", ""),
        ("oldest()", "was < 2", "set elm.age to 3", "`was` is outdated: it was computed from `town.age`"),
        ("age_of(oak)", "was < 2", "grow(oak)", "`was` is outdated: it was computed from `town.age`"),
        ("age_of(oak)", "was < 2", "grow(elm)", ""),
        ("age_of(oak)", "was < 2", "grow_all()", "`was` is outdated: it was computed from `town.age`"),
        ("age_of(oak)", "was + 2 > oak.age", "grow(oak)", ""),
        (
            "n + 1",
            "was < 2",
            "for t in town:\n                set n to n + 1",
            "`was` is outdated: it was computed from `n`",
        ),
        ("age_of(oak)", "n < 2", "set oak.age to was", ""),
    ],
)
def test_what_is_stale_is_told(tmp_path: Path, value: str, condition: str, change: str, message: str) -> None:
    rules = f"""
def age_of(t: town) -> int: t.age
def oldest() -> int: max(t.age for t in town)
procedure grow(t: town):
    set t.age to t.age + 1
procedure grow_all():
    for t in town:
        grow(t)
procedure play():
    for p in player:
        turn(p)
procedure turn(p: player):
    let was = {value}
    decide act by p:
        option go:
            require {condition}
            {change}
            ask again
        option stay:
            set n to was
"""
    report = Report()
    load_ruleset(str(write(tmp_path, {"game.yaml": GAME, "kinds.yaml": KINDS, "rules/play.rules": rules})), report)
    results = [d.message.partition(",")[0] for d in report.diagnostics if d.code == "RS413"]
    assert results == ([message] if message else [])
