"""Statements: small rulesets, played under both backends, and the state that they lead to."""

from __future__ import annotations

import pytest
from worlds import Play, run

from rulespec.engine.game.state_json import state_json


def test_variables_state_and_calls(play: Play) -> None:
    game = run(
        play,
        """
let a = 3
set a to a + 1
set n to a
twice(n, elm)
set towns to {oak} | elm.near
set best to first(p in player where p.cash > 0) if n > 100 else none
""",
        "procedure twice(k: int, t: town):\n    set n to n + k\n    set t.mark to k\n    set t.seen to true\n",
    )
    assert [game.omniscient.value(x) for x in ("n", "elm.mark", "elm.seen", "oak.seen", "towns", "best")] == [
        "8",
        "4",
        "true",
        "false",
        "{oak, ash}",
        "none",
    ]


def test_money_and_pieces_move(play: Play) -> None:
    game = run(
        play,
        """
for p in player:
    pay toll * 2 from p.cash to chest
pay 1 from chest to bank
pay 100 from bank to chest
move 2 of cart[corn] from supply to at[fir]
move 1 of cart[corn] from at[fir] to at[elm]
move 0 of flag from at[oak] to supply
""",
    )
    assert [game.omniscient.value(x) for x in ("ann.cash", "chest", "bank")] == ["6", "107", "-99"]
    assert state_json(game)["pieces"]["cart"]["corn"] == {"supply": 3, "at[elm]": 1, "at[fir]": 1}


def test_conditions_and_cases(play: Play) -> None:
    body = """
for t in town:
    if t == oak:
        set t.mark to 10
    elif t.tax > 8:
        set t.mark to 20
    else:
        set t.mark to 30
    match t:
        case oak, ash:
            set n to n + 1
        case elm:
            set n to n + 10
        else:
            set n to n + 100
"""
    game = run(play, body)
    assert [game.omniscient.value(f"{t}.mark") for t in ("oak", "elm", "ash", "fir")] == ["10", "30", "30", "20"]
    assert game.omniscient.value("n") == "112"


@pytest.mark.parametrize(
    "head, order",
    [
        ("for t in town", "1234"),
        ("for t in town from ash", "3412"),
        ("for t in town after ash", "4123"),
        ("for t in {oak, fir} from elm", "41"),
        ("for t in town where t.tax > n", "12"),  # tested when reached: n is 0, 1, 12 …
        ("for t in town where t.tax > 3 and n < 10", "23"),
        ("for t in town - town", "0"),
    ],
)
def test_a_loop_goes_over_a_set_in_its_order(play: Play, head: str, order: str) -> None:
    body = f"{head}:\n    set n to n * 10 + t.index + 1\n    set towns to {{}}"
    assert run(play, body).omniscient.value("n") == order


def test_the_set_of_a_loop_is_fixed_when_it_starts(play: Play) -> None:
    game = run(play, "set towns to {oak, elm}\nfor t in towns:\n    set towns to {fir}\n    set n to n + 1")
    assert game.omniscient.value("n") == "2"


def test_repeat_leave_continue_and_return(play: Play) -> None:
    body = """
repeat at most 10:
    set n to n + 1
    if n == 3:
        continue
    if n == 6:
        leave
    set m to m + 1
repeat at most n - 100:
    set m to 1000
nested()
"""
    rest = """
procedure nested():
    for t in town:
        for u in town:
            if u == elm:
                leave
            set few to few + 1
        if t == ash:
            return
    set m to 2000
"""
    game = run(play, body, rest)
    assert [game.omniscient.value(x) for x in ("n", "m", "few")] == ["6", "4", "3"]


def test_the_number_of_times_is_fixed_at_the_start(play: Play) -> None:
    assert run(play, "set m to 2\nrepeat at most m:\n    set m to 9\n    set n to n + 1").omniscient.value("n") == "2"


def test_a_checked_optional_may_be_used(play: Play) -> None:
    body = """
for t in town:
    if t.twin is some and t.twin.tax > 1:
        set n to n + t.twin.tax
    let u = t.twin
    if u is none:
        set m to m + 1
        continue
    set n to n + 100 * u.tax
set n to n + sum(t.twin.tax for t in town where t.twin is some)
set oak.owner to first(p in player)
if oak.owner is some:
    pay 1 from oak.owner.cash to bank
if oak.owner == first(q in player where q.index == 0):
    set m to m + 10
"""
    game = run(play, body)
    assert [game.omniscient.value(x) for x in ("n", "m", "ann.cash")] == ["714", "13", "9"]


def test_definitions_with_lets(play: Play) -> None:
    rest = "def f(a: int, b: int) -> int:\n    let c = a * b\n    let d = c + sum(t.tax + a for t in town)\n    d - c\n"
    assert run(play, "set n to f(2, 3) * f(n, 1)", rest).omniscient.value("n") == str((24 + 8) * 24)
