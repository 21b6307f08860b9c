"""Values after a hypothetical call: `e once f(…)`, under both backends."""

from __future__ import annotations

import sys

import pytest
from worlds import WORLD, Play, lines, listed, outcome_of, take

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.option import RulesetFaultError

RULES = """
procedure play():
    for p in player:
        turn(p)
    end game

procedure turn(p: player):
    let here = elm
    decide move by p:
        option go(a in town, b in town where b != a):
            require not crowded(b) once carry(a, b)     "T-01: too many there"
            carry(a, b)
        option look(a in town where (m once mark(a, 4)) > 4, k in 1 .. 2):
            require (flag.at[here] == 0) once carry(here, a)
            set n to (m + k) once mark(here, k)
        option stay:
            pass

def crowded(t: town) -> bool: flag.at[t] + cart[salt].at[t] > 1

procedure carry(a: town, b: town):
    if flag.at[a] == 0:
        move 1 of flag from supply to at[a]
    move 1 of flag from at[a] to at[b]
    let far = {t in town where t.tax > 4}
    for t in far where t != a:
        mark(t, 1)

procedure mark(t: town, by: int):
    set t.mark to t.mark + by
    set m to m + t.mark
    set t.seen to true

procedure thrice(t: town):
    set t.mark to 9
    move 3 of flag from supply to at[t]

procedure count_up(k: int):
    repeat at most k:
        set n to n + 1

invariant flags_there:
    (flag.supply >= 0) once mark(oak, 1)

"""
VALUES = lines(
    """
    m once mark(oak, 3)                           → 4
    oak.mark + m once mark(oak, 3)                → 8
    (m once mark(oak, 3)) + m                     → 4
    oak.seen or not oak.seen once mark(oak, 3)    → true
    not oak.seen once mark(oak, 3)                → false
    1 if oak.seen else 2 once mark(oak, 3)        → 1
    (m once mark(oak, m)) once mark(oak, 2)       → 9
    flag.at[elm] once carry(oak, elm)             → 1
    {t in town where t.seen} once carry(oak, elm) → {elm, ash, fir}
    sum(m once mark(t, t.tax) for t in town)      → 35
    """
)


@pytest.mark.parametrize("text, value", VALUES, ids=[t for t, _ in VALUES])
def test_a_value_once_a_procedure_has_run(play: Play, text: str, value: str) -> None:
    game = play(RULES + WORLD)
    cells = list(game.omniscient.numbers.cells)
    assert game.omniscient.value(text) == value
    assert list(game.omniscient.numbers.cells) == cells


def test_it_stands_in_domains_conditions_and_statements_and_changes_nothing(play: Play) -> None:
    game = play(RULES + WORLD)
    before = game.hash
    options = listed(game)
    assert "go(oak, elm)" not in options
    assert {"go(elm, oak)", "look(fir, 1)", "stay"} <= set(options)
    assert game.hash == before
    take(game, "look(fir, 2)")
    assert game.omniscient.value("n") == "12"
    take(game, "go(elm, oak)")
    assert outcome_of(game)[0] == "end"


def test_a_refusal_shows_what_is_supposed(play: Play) -> None:
    game = play(RULES + WORLD)
    refusal = game.why_not(game.parse("go(oak, elm)"))
    assert refusal is not None
    assert refusal.values == {"crowded(b) once carry(oak, elm)": "true"}


def test_a_fault_of_what_is_supposed_has_a_place_and_changes_nothing(play: Play) -> None:
    game = play(RULES + WORLD)
    cells = list(game.omniscient.numbers.cells)
    with pytest.raises(RulesetFaultError, match="3 of 2"):
        game.omniscient.value("flag.supply once thrice(oak)")
    assert list(game.omniscient.numbers.cells) == cells


def test_too_many_steps_are_a_fault(play: Play) -> None:
    text = RULES.replace("option stay:\n", "option stay:\n            require n > 0 once count_up(99999)\n")
    game = play(text + WORLD)
    hash_ = game.hash
    with pytest.raises(RulesetFaultError, match="more than 100,000 steps"):
        listed(game)
    assert game.hash == hash_


def test_an_interrupt_leaves_the_state_as_it_was(play: Play) -> None:
    """Wherever a function is called while options are listed."""
    machine = play(RULES + WORLD).omniscient.numbers.machine
    state = machine.start()
    machine.run(state, machine.p.main)
    cells, cut_off = list(state), 0
    for number in range(1, 600, 3):
        left = number

        def interrupt(frame: object, event: str, arg: object) -> None:
            nonlocal left
            left -= event == "call"
            if left == 0:
                left = -1
                raise KeyboardInterrupt

        sys.setprofile(interrupt)
        try:
            list(machine.own(state, 0))
        except KeyboardInterrupt:
            cut_off += 1
        finally:
            sys.setprofile(None)
        assert state == cells
    assert cut_off > 20


def test_two_lists_at_once_do_not_see_each_other(play: Play) -> None:
    machine = play(RULES + WORLD).omniscient.numbers.machine
    state = machine.start()
    machine.run(state, machine.p.main)
    whole = list(machine.own(state, 0))
    both = list(zip(machine.own(state, 0), machine.own(state, 0), strict=True))
    assert both == [(option, option) for option in whole]


BAD = [
    ("set n to 1 once turn(p)", "RS321"),
    ("set n to 1 once stop()", "RS321"),
    ("set n to 1 once roll_on()", "RS321"),
    ("set n to 1 once nothing()", "RS221"),
    ("set n to 1 once mark(oak)", "RS226"),
    ("if asked(): loops()", "RS401"),
]


@pytest.mark.parametrize("line, code", BAD, ids=[line for line, _ in BAD])
def test_what_cannot_be_supposed_is_told(play: Play, line: str, code: str) -> None:
    text = f"""
procedure again_and_again(p: player):
    {line}
procedure stop():
    end game
procedure roll_on():
    gamble()
procedure gamble():
    chance dice:
        option one:
            pass
procedure lasts(u: town):
    repeat at most n:
        mark(u, 1)
"""
    if code == "RS401":
        text = text.replace("again_and_again(p: player)", "loops()")
        text += "def asked() -> bool: (n > 0) once loops()\n"
    with pytest.raises(DiagnosticsError, match=code):
        play(RULES + text + WORLD)
