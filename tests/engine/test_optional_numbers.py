"""Optional numbers, `int?`, under both backends.

The taxes are oak 3, elm 5, ash 7, fir 9; the marks are 1, except 8 for elm.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from cases import split, write
from worlds import IDLE, WORLD, Play, lines, listed

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.state_json import state_json
from rulespec.load import load_ruleset

LEVELS = (
    WORLD.replace(
        "    state: {owner: {type: player?},",
        "    state: {height: {type: int?}, owner: {type: player?},",
    )
    .replace(
        "  n: {type: int}\n",
        "  n: {type: int}\n  tide: {type: int? -3..3}\n  due: {type: money?}\n  best_mark: {type: int?, start: 4}\n",
    )
    .replace(
        "tables:\n",
        "tables:\n  depth: {key: town, value: int?, rows: {oak: 2, elm: none, ash: -4, fir: none}}\n",
    )
    .replace("facts: {tax: int,", "facts: {tax: int, toll_gate: int?,")
    .replace("oak: {tax: 3,", "oak: {tax: 3, toll_gate: 6,")
    .replace("fir: {tax: 9,", "fir: {tax: 9, toll_gate: none,")
)

VALUES = lines(
    """
    tide                                                  → none
    best_mark                                              → 4
    tide ?? 7                                             → 7
    best_mark ?? 7                                         → 4
    tide ?? best_mark ?? 7                                → 4
    tide is none                                          → true
    best_mark is some                                      → true
    tide == 0                                             → false
    tide != -1                                            → true
    tide == none                                          → true
    best_mark == 4                                         → true
    best_mark is some and best_mark + 1 == 5               → true
    best_mark == 4 and best_mark * 2 > 7                   → true
    tide is none or tide > 2                             → true
    tide == best_mark                                     → false
    (best_mark + 1 if best_mark is some else 0)            → 5
    (tide if n > 0 else best_mark) ?? 9                   → 4
    (3 if n > 0 else none) is none                         → true
    (none if n > 0 else 3) ?? 1                            → 3
    oak.height                                             → none
    depth[oak]                                             → 2
    depth[elm]                                             → none
    count(t in town where depth[t] is some)                → 2
    count(t in town where depth[t] == -1)                  → 0
    oak.toll_gate                                          → 6
    elm.toll_gate                                          → none
    sum(t.toll_gate ?? 1 for t in town)                    → 9
    sum(t.toll_gate for t in town where t.toll_gate is some) → 6
    max(t.tax for t in town where t.tax > 9)               → none
    max(t.tax for t in town where t.tax > 8)               → 9
    min(t.tax for t in town where t.tax > 9) ?? -1         → -1
    max(depth[t] for t in town)                            → 2
    min(depth[t] for t in town)                            → -4
    min(depth[t] for t in town where t == elm)             → none
    max(depth[t] for t in town where t == elm)             → none
    min(depth[t] for t in town where t == elm, else 5)     → 5
    max(depth[t] for t in town where t == elm, else 5)     → 5
    max(depth[t] for t in town where t == elm, else tide) → none
    max(t.tax for t in town where n > 0, else tide)       → none
    min(u.tax for t in town for u in t.near)               → 5
    max(u.tax for t in town for u in t.near, else 0)       → 9
    max(u.tax for t in town where t != fir for u in t.near where u.tax > 5, else 0) → 7
    min(u.tax for t in {ash} for u in t.near)              → none
    min(u.tax for t in {ash, oak} for u in t.near, else 3) → 5
    min(u.tax for t in {ash} for u in t.near, else 3)      → 3
    min(v.tax for t in town for u in t.near for v in u.near) → 7
    cheapest(x from {oak} to y in x.near costs y.tax until y == ash)       → 12
    cheapest(x from {oak} to y in x.near costs y.tax until y == fir)       → none
    cheapest(x from {oak} to y in x.near costs 1 until y == fir, else tide) → none
    cheapest(x from {oak} to y in x.near costs 1 until y == fir, else none) → none
    first(t in town by depth[t])                           → elm
    first(t in town by -(depth[t]))                        → oak
    first(t in town by -(depth[t] ?? 99))                  → elm
    best(t in town by depth[t])                            → {oak}
    best(t in town by -(depth[t]))                         → {elm, fir}
    first({t in town by depth[t], -t.tax})                 → fir
    due ?? 3 money                                         → 3
    best_mark once up(9)                                   → 9
    tide once sink()                                      → none
    """
)
RULES = """
procedure up(k: int?):
    set best_mark to k
procedure sink():
    set tide to none
"""


@pytest.mark.parametrize("text, value", VALUES, ids=[t for t, _ in VALUES])
@pytest.mark.sampled(60)
def test_an_expression_has_its_value(play: Play, text: str, value: str) -> None:
    game = play(RULES + IDLE + LEVELS)
    assert game.omniscient.value(text) == value
    wanted = f"({text}) is none" if value == "none" else f"({text}) == {value}"
    wanted = f"(({text}) / 1 money) == 3" if "money" in text else wanted
    assert play(f"invariant i:\n    {wanted}\n{RULES}{IDLE}{LEVELS}").omniscient.broken_invariants() == []


def test_none_is_stored_and_narrowed(play: Play) -> None:
    body = """
set tide to 3
set n to tide + 1
set tide to none
let far = max(t.tax for t in town where t.tax > n + 9)
let near = min(t.tax for t in town where t.tax > n)
if near is some:
    set m to near * 2
elif far is some:
    set m to far
if far == none: set few to 2
set oak.height to near
set elm.height to far
"""
    game = run_levels(play, body)
    assert [game.omniscient.value(x) for x in ("tide", "n", "m", "few", "oak.height", "elm.height")] == [
        *("none", "4", "10", "2", "5", "none"),
    ]
    state = state_json(game)["entities"]
    assert (state["game"]["game"]["tide"], state["town"]["oak"]["height"]) == (None, 5)


def test_none_goes_through_procedures_guards_and_definitions(play: Play) -> None:
    rules = """
def plus(k: int?, l: int?) -> int?:
    let sum_of = (k ?? 0) + (l ?? 0)
    sum_of if k is some or l is some else none
guard enough(k: int?):
    require k is some and k > 3  "too little"
procedure highest(s: set town) -> int?:
    if count(s) == 0: return none
    return max(t.tax for t in s)
procedure play():
    let a = highest({})
    set best_mark to highest({oak, elm})
    set n to plus(a, best_mark) ?? 77
    set m to plus(none, a) ?? 77
    decide go by first(player):
        option few_of:
            needs enough(a)
            end game as one
        option many:
            needs enough(best_mark)
            let double = best_mark ?? 0
            set few to double - 3
            end game as other
"""
    game = play(rules + LEVELS)
    assert [game.omniscient.value(x) for x in ("best_mark", "n", "m")] == ["5", "5", "77"]
    assert listed(game) == ["many"]
    assert "k = none" in str(game.why_not(game.parse("few_of")))
    game.apply(game.parse("many"))
    assert game.omniscient.value("few") == "2"


@pytest.mark.parametrize(
    "line, message",
    [
        ("set tide to n + 4", "tide` must stay between -3 and 3"),
        ("set tide to max(t.tax for t in town)", "between -3 and 3"),
        ("set best_mark to 0 - 999999999999999 - n - 2", "15 digits"),
        ("set best_mark to none if n > 0 else 0 - 999999999999999 - n - 2", "15 digits"),
        ("let k = min(0 - 999999999999999 - n - 2 for t in town)", "15 digits"),
        ("let k = min(0 - 999999999999999 - n - 2 for t in town where n == 0)", "15 digits"),
        ("let k = (0 - 999999999999999 - n - 2) == best_mark", "15 digits"),
        ("rise(0 - 999999999999999 - n - 2)", "15 digits"),
        ("let k = same(0 - 999999999999999 - n - 2)", "15 digits"),
    ],
)
def test_no_number_is_taken_for_none(play: Play, line: str, message: str) -> None:
    rest = "procedure rise(k: int?):\n    set best_mark to k\ndef same(k: int?) -> int?: k\n"
    game = run_levels(play, line + "\nset m to 1", rest)
    with pytest.raises(RulesetFaultError, match=message):
        _ = game.decision


@pytest.mark.parametrize(
    "line, code, message",
    [
        ("set n to tide + 1", "RS303", "x ?? 0"),
        ("set n to -tide", "RS303", "x ?? 0"),
        ("set n to abs(best_mark)", "RS303", "x ?? 0"),
        ("set n to min(tide, 3)", "RS303", "x ?? 0"),
        ("set n to tide", "RS303", "x ?? 0"),
        ("set n to sum(t.toll_gate for t in town)", "RS303", "x ?? 0"),
        ("set n to max(t.tax for t in town where t.tax > n)", "RS303", "max(… , else 0)"),
        ("set n to cheapest(x from {oak} to y in x.near costs 1 until y == fir)", "RS303", "cheapest(… , else 0)"),
        ("if tide > 0: set n to 1", "RS303", "x ?? 0"),
        ("if n is none: set n to 1", "RS309", "never none"),
        ("set n to n ?? 1", "RS309", "never none"),
        ("if n == none: set n to 1", "RS301", "cannot be compared"),
        ("set tide to 4", "RS307", "between -3 and 3"),
        ("set best_mark to 4 money", "RS302", ""),
        ("set best_mark to due", "RS302", ""),
        ("set best_mark to oak", "RS301", ""),
        ("set n to none", "RS303", ""),
        ("pay due from bank to chest", "RS303", "x ?? 0"),
        ("repeat at most tide: set n to n + 1", "RS303", "x ?? 0"),
        ("match tide:\n        case 3: set n to 1\n        else: set n to 2", "RS301", ""),
        ("let k = none", "RS301", "unknown"),
        ("set n to (tide ?? none) + 1", "RS303", ""),
    ],
)
def test_what_may_be_none_is_told_with_the_way_out(line: str, code: str, message: str, tmp_path: Path) -> None:
    report = Report()
    text = (
        f"procedure play():\n    {line}\n    set towns to {{}}\n    chance go:\n        option end: end game\n{LEVELS}"
    )
    with contextlib.suppress(DiagnosticsError):
        load_ruleset(str(write(tmp_path / "w", split(text, "rules/play.rules"))), report)
    results = [(d.code, f"{d.message} {d.help}") for d in report.diagnostics]
    assert any(c == code and message in text for c, text in results), results


@pytest.mark.parametrize(
    "declared, code",
    [
        ("n: {type: int?, start: none}", ""),
        ("n: {type: int? 2..5}", ""),
        ("n: {type: int? 2..5, start: 7}", "RS307"),
        ("n: {type: int? 5..2}", "RS307"),
        ("n: {type: int? 2..5, start: oak}", "RS301"),
        ("n: {type: town? 2..5}", "RS224"),
        ("n: {type: set int}", "RS224"),
    ],
)
def test_declarations(declared: str, code: str, tmp_path: Path) -> None:
    world = WORLD.replace("n: {type: int}", declared).replace(", state: {n: 33}", "")
    report = Report()
    with contextlib.suppress(DiagnosticsError):
        load_ruleset(str(write(tmp_path / "w", split(IDLE + world, "rules/play.rules"))), report)
    assert [d.code for d in report.diagnostics if d.severity.name == "ERROR"] == ([code] if code else [])


def test_state_is_put_and_read_from_outside(play: Play) -> None:
    game = play(RULES + IDLE + LEVELS)
    game.omniscient.set_value("tide", "2")
    assert game.omniscient.value("tide") == "2"
    game.omniscient.set_value("tide", "none")
    game.omniscient.set_value("best_mark", "none")
    assert game.omniscient.value("tide") == game.omniscient.value("best_mark") == "none"


def run_levels(play: Play, body: str, rest: str = "", world: str = LEVELS) -> Game:
    text = "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    return play(f"procedure play():\n{text}    chance rest:\n        option end:\n            end game\n{rest}{world}")


def test_a_token_is_back_at_none_in_a_fresh_place(play: Play) -> None:
    boat = "  boat: {entities: {skiff: {}}, state: {load: {type: int? 1..3}}, places: {dock: {fresh: true}, sea: {}}}\n"
    body = """
set skiff.load to 2
move skiff to sea
set n to skiff.load ?? 9
move skiff to dock
set m to skiff.load ?? 9
"""
    game = run_levels(play, body, rest="", world=LEVELS.replace("kinds:\n", f"kinds:\n{boat}", 1))
    assert (game.omniscient.value("n"), game.omniscient.value("m"), game.omniscient.value("skiff.load")) == (
        "2",
        "9",
        "none",
    )
