"""Values of which one is chosen: `a?.b`, `… if e is some as x else …`, `match` as a value; entities in order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import small
from worlds import IDLE, WORLD, Play, lines

from rulespec.engine.coverage.trace import Coverage, trace_playouts
from rulespec.engine.game.game import Game
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.why.answer_output import Printer, whole
from rulespec.engine.why.why import Why
from rulespec.syntax.format import format_rules

RULES = """
def worth(t: town) -> int:
    match t:
        case oak: 30
        case ash, fir: t.tax * 10
        else: n - 1

def fixed(t: town) -> int: match t:
    case elm:
        2
    else: 5

def around(t: town, least: int) -> set town:
    match next(t):
        case elm: {u in town where u.tax > least}
        case ash: match t.twin ?? t:
            case oak: {}
            else: t.near
        else: {t}

def heir(t: town) -> town?:
    match t:
        case oak: t.twin
        case elm: none
        else: fir

procedure mark(t: town, by: int):
    set t.mark to t.mark + by
    set last_marked to t
"""
STATE = "state:\n  last_marked: {type: town?}\n  quota: {type: int? -9..9}\n"
VALUES = lines(
    """
    oak.twin?.tax ?? 0                                                    → 7
    first(t in town where t.tax > 8)?.mark ?? 0                           → 1
    first(t in town where t.tax > 9)?.mark ?? 4                           → 4
    first(t in town where t.twin is some)?.twin?.twin?.tax ?? 9           → 9
    first(t in town where t.twin is some)?.twin                           → ash
    sum(t.twin?.tax ?? 1 for t in town)                                   → 10
    {t.twin for t in town}                                                → {ash}
    count(t in town where t.twin?.tax == 7)                               → 1
    t.tax + 1 if last_marked is some as t else 0 - 1                      → -1
    quota ?? 3                                                            → 3
    q * 2 if quota is some as q else n                                    → 0
    t.near if first(t in town where t.tax > 3) is some as t else {}       → {ash}
    sum(b.tax if first(u in town where u.tax > a.tax) is some as b else 100 for a in town) → 121
    sum(sum(t.tax * a.tax if a.twin is some as t else 1 for b in a.near) for a in town)    → 23
    (last_marked?.mark ?? 0) once mark(oak, 3)                            → 4
    (m + t.mark once mark(oak, 3)) if oak.twin is some as t else 0        → 1
    sum(worth(t) for t in town)                                           → 189
    worth(elm) + fixed(elm) + fixed(fir)                                  → 6
    around(oak, 5)                                                        → {ash, fir}
    around(elm, 0)                                                        → {ash}
    around(fir, 0)                                                        → {fir}
    heir(oak)?.tax ?? 0                                                   → 7
    {heir(t) for t in town}                                               → {ash, fir}
    oak < elm and elm <= elm and not (fir < ash)                          → true
    {t in town where t > elm}                                             → {ash, fir}
    """
)


@pytest.mark.parametrize("text, value", VALUES, ids=[t for t, _ in VALUES])
def test_a_value(play: Play, text: str, value: str) -> None:
    assert play(RULES + IDLE + WORLD.replace("state:\n  n:", STATE + "  n:")).omniscient.value(text) == value


def test_the_name_is_the_value_from_before_a_call(play: Play) -> None:
    """A named value is looked at once, and not where `once` supposes something else."""
    text = "(t.tax once mark(fir, 1)) if last_marked is some as t else 0"
    game = play(RULES + IDLE + WORLD.replace("state:\n  n:", STATE + "  n:"))
    assert game.omniscient.value(f"({text}) once mark(oak, 1)") == "3"


TOWN = """
procedure play():
    repeat at most 2:
        decide visit by first(player):
            option go(h in house):
                require suits(h)        "H-1: not there"
                set home to h
    end game

def suits(h: house) -> bool: fits(h) and (h > o if home is some as o else h == mill)

def fits(h: house) -> bool:
    match h:
        case mill: true
        case inn: h.owner?.rent != 5
        else: h.guest?.rent == 4
--- kinds.yaml
kinds:
  house:
    facts: {rent: int, guest: house?}
    state:
      owner: {type: house?, start: house.guest}
      rooms: {type: set house, start: house}
      paid: {type: int, start: "house.rent if house != inn else count(house.rooms)"}
      self: {type: house, start: house}
    entities: {mill: {rent: 5, guest: inn}, inn: {rent: 4, guest: mill}, barn: {rent: 3, guest: inn}}
state: {home: {type: house?}}
"""


def test_a_start_knows_the_entity_at_hand(tmp_path: Path) -> None:
    game = Game(small(tmp_path, TOWN), ["Ann"])
    value = game.omniscient.value
    assert [value(f"{h}.{field}") for h in ("mill", "inn") for field in ("owner", "paid", "rooms", "self")] == [
        *("inn", "5", "{mill, inn, barn}", "mill"),
        *("mill", "3", "{mill, inn, barn}", "inn"),
    ]


def test_reasons_show_the_case_and_the_name(tmp_path: Path) -> None:
    game = Game(small(tmp_path, TOWN), ["Ann"])
    game.apply(game.parse("go(mill)"))
    printer, why = Printer(game.ruleset, game.omniscient.labels), Why(game, OMNISCIENT)
    for option, parts in (("go(inn)", ['"h.owner?.rent != 5"', '"h.owner?.rent"']), ("go(mill)", ['"h > o"', '"o"'])):
        answer = why.option(option)
        assert answer.verdict == "refused"
        text = json.dumps(printer.json(whole(answer, fold=False)))
        assert all(part in text for part in parts), text
    assert [str(option) for option in game.legal_options] == ["go(barn)"]


def test_coverage_counts_cases_and_names(tmp_path: Path) -> None:
    coverage = Coverage()
    tracer = coverage.trace(small(tmp_path, TOWN))
    for trace in trace_playouts(tracer, [1], 1, 0):
        coverage.add(trace)
    seen = {f"{point.item.name}: {point.outcome}" for point in coverage.runs if point.item.kind == "branch"}
    assert {"match: case mill", "match: else", "… if … else: holds", "… if … else: fails"} <= seen


def test_the_layout_of_cases_and_chains() -> None:
    loose = "def f( t: town )->int:\n  match t :\n    case oak , elm : t ?. twin?.to( d ) ?. tax ?? 0\n    else : 1\n"
    tidy = "def f(t: town) -> int:\n    match t:\n        case oak, elm: t?.twin?.to(d)?.tax ?? 0\n        else: 1\n"
    assert format_rules(loose, "f.rules") == tidy == format_rules(tidy, "f.rules")


WAITING = """
procedure play():
    let least = 4
    let k = least * 2
    set n to t.tax + k if first(u in town where u.tax > k - least) is some as t else 0
    decide next_one by first(player):
        option go:
            pass
    set m to match next(first(t in town where t.tax > least + n - 9) ?? oak):
        case oak: k
        else: k + n
"""


def test_choices_read_the_variables_of_procedures(play: Play) -> None:
    game = play(WAITING + WORLD)
    game.apply(game.parse("go"))
    assert (game.omniscient.value("n"), game.omniscient.value("m")) == ("13", "8")
