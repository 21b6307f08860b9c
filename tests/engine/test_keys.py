"""Members by their keys: `for … by`, `first(… by …)` and `best`, under both backends."""

from __future__ import annotations

import pytest
from worlds import IDLE, WORLD, Play, lines, listed, run, take

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import RulesetFaultError

VALUES = lines(
    """
    first(t in town by -t.tax)                            → fir
    first(t in town where t.tax < 8 by -t.tax)            → ash
    first(t in town where t.tax > 9 by t.tax)             → none
    first(t in town by t.tax % 2)                         → oak
    first(t in town from ash by t.tax % 2)                → ash
    first(t in town after fir by t.tax % 2)               → oak
    first(t in town by count(t.near), -t.tax)             → ash
    first(t in town by t.seen, t)                         → oak
    first(t in town by t.seen, -t)                        → fir
    first(t in town by t.twin)                            → elm
    first(t in town by -t.twin)                           → oak
    first(t in town where t.twin is none by -t)           → fir
    best(t in town by t.tax)                              → {fir}
    best(t in town by -t.tax)                             → {oak}
    best(t in town by count(t.near))                      → {oak, elm, fir}
    best(t in town by count(t.near), -t.tax)              → {oak}
    best(t in town where t != fir by count(t.near))       → {oak, elm}
    best(t in town where t.tax > 9 by t.tax)              → {}
    best(t in town by t in oak.near)                      → {elm}
    count(best(t in town by 1))                           → 4
    max(t.tax for t in best(u in town by count(u.near)), else 0) → 9
    best                                                  → none
    """
)


@pytest.mark.parametrize("text, value", VALUES, ids=[t for t, _ in VALUES])
def test_an_expression_has_its_value(play: Play, text: str, value: str) -> None:
    game = play(IDLE + WORLD)
    assert game.omniscient.value(text) == value
    wanted = f"({text}) is none" if value == "none" else f"({text}) == {value}"
    assert play(f"invariant i:\n    {wanted}\n{IDLE}{WORLD}").omniscient.broken_invariants() == []


@pytest.mark.parametrize(
    "head, order",
    [
        ("for t in town by -t.tax", "4321"),
        ("for t in town by t.tax % 2, -t", "4321"),
        ("for t in town by t.tax > 4, t.tax % 4", "1243"),
        ("for t in town where t.tax > 4 by -t.tax", "432"),
        ("for t in town from ash by 0", "3412"),  # equals in the order without keys
        ("for t in town after ash by t.tax > 6", "1243"),
        ("for t in town by t.mark", "1342"),
        ("for t in town by 0 - t.mark - n", "2134"),  # the order is fixed when it begins
        ("for t in town where n < 43 by -t.tax", "43"),  # … and the condition is asked again when it is reached
        ("for t in town - town by t.tax", "0"),
    ],
)
def test_a_loop_goes_by_its_keys(play: Play, head: str, order: str) -> None:
    body = f"{head}:\n    set n to n * 10 + t.index + 1\n    set t.mark to 99 - t.mark"
    assert run(play, body).omniscient.value("n") == order


def test_keys_are_asked_of_those_alone_for_whom_the_condition_holds(play: Play) -> None:
    """Optional values that the condition excludes are known in the keys; faulty keys of other members are not run."""
    body = "for t in town where t.twin is some by t.twin.tax, 100 / (7 - t.tax):\n    set n to n * 10 + t.index + 1"
    assert run(play, body).omniscient.value("n") == "1"


def test_nothing_of_a_loop_that_has_been_left_is_in_the_position(play: Play) -> None:
    rules = """
procedure play():
    for p in player:
        turn(p)
procedure turn(p: player):
    for t in town by -t.tax:
        decide stay by p:
            option on(u in town):
                set u.mark to 1
            option off:
                set n to n + 1
                leave
    decide last by p:
        option done:
            set m to m + 1
"""
    one = take(play(rules + WORLD), "off", "done")
    other = play(rules + WORLD)
    assert listed(other) == ["on(oak)", "on(elm)", "on(ash)", "on(fir)", "off"]
    take(other, "off")
    hash_ = other.hash
    other.undo()
    take(other, "on(oak)", "on(oak)")
    other.undo()
    other.undo()
    take(other, "off")
    assert other.hash == hash_
    take(other, "done")
    assert other.hash == one.hash


def test_who_had_a_turn_before_does_not_show(play: Play) -> None:
    """The rest of a loop depends only on the next member, in order."""
    rules = """
procedure play():
    chance way:
        option one:
            set oak.mark to 2
        option other:
            set elm.mark to 0
    for t in town where t.tax > 0 by t == fir, t.mark:
        for u in town:
            set u.mark to t.index
        if t == fir:
            chance meet:
                option go:
                    set n to 1
"""
    games = [take(play(rules + WORLD), way) for way in ("one", "other")]
    assert [listed(game) for game in games] == [["go"], ["go"]] and games[0].hash == games[1].hash


def test_a_fault_of_a_key_is_told_at_its_place(play: Play) -> None:
    with pytest.raises(RulesetFaultError, match="divides by zero"):
        _ = run(play, "for t in town by 1 / (t.tax - 7):\n    set n to 1").decision


@pytest.mark.parametrize(
    "body, code",
    [
        ("for t in town by t.near:\n    set n to 1", "RS301"),
        ("set n to count(best(t in town by none))", "RS301"),
        ("for t in town by t.twin.tax:\n    set n to 1", "RS303"),
        ("set n to count(best(t in town from oak by t.tax))", "RS229"),
        ("set n to count(t in town by t.tax)", "RS131"),
        ("set n to count(best(t in town))", "RS131"),
    ],
)
def test_what_is_no_key_is_told(play: Play, body: str, code: str) -> None:
    with pytest.raises(DiagnosticsError) as error:
        run(play, body)
    assert code in {d.code for d in error.value.diagnostics}


def test_no_definition_is_called_best(play: Play) -> None:
    with pytest.raises(DiagnosticsError, match="RS223"):
        play(f"def best(k: int) -> int: k\n{IDLE}{WORLD}")


def test_a_loop_by_keys_may_wait(play: Play) -> None:
    rules = """
procedure play():
    for t in town where t.mark < 9 by -t.tax:
        chance go:
            option mark(u in town, k in 8 .. 9):
                set u.mark to k
"""
    game: Game = play(rules + WORLD)
    take(game, "mark(ash, 9)", "mark(fir, 9)")
    assert game.omniscient.value("count(t in town where t.mark == 9)") == "2"
    hash_ = game.hash
    game.undo()
    take(game, "mark(fir, 9)")
    assert game.hash == hash_  # ash is passed by, elm is next
    take(game, "mark(oak, 9)")
    assert game.is_over
