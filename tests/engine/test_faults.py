"""Faults of rules in a game, under both backends: each has a place, and changes nothing."""

from __future__ import annotations

import pytest
from worlds import WORLD, Play, lines, listed, take

from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.state_json import scores

FAULTS = lines(
    """
    pay 11 from p.cash to bank           → RS703 11 of 10
    pay (0 - n) * 1 money from p.cash to bank → RS703 -5 of 10
    move 4 of cart[salt] from supply to at[oak] → RS703 4 of 3
    move 0 - n of flag from supply to at[oak]   → RS703 -5 of 2
    set few to n                         → RS703 it would be 5
    set few to 0 - n                     → RS703 it would be -5
    set m to 7 / (n - 5)                 → RS703 divides by zero
    set m to 7 % (n - 5)                 → RS703 divides by zero
    set m to by_number[n] / 1 money      → RS703 `by_number` has no such row
    set m to by_town[ash, n]             → RS703 `by_town` has no such row
    set m to f(n - 5)                    → RS703 divides by zero
    spin()                               → RS704 no decision within
    grow()                               → RS703 15 digits
    rich(p)                              → RS703 1
    """
)


@pytest.mark.parametrize(
    "line, message",
    [pytest.param(*f, id=f[0], marks=[pytest.mark.proof] * (f[0] == "spin()")) for f in FAULTS],  # millions of steps
)
@pytest.mark.sampled(8)
def test_a_fault_has_a_place_and_changes_nothing(play: Play, line: str, message: str) -> None:
    rules = f"""
procedure play():
    for p in player:
        turn(p)
procedure turn(p: player):
    decide act by p:
        option wait:
            set n to 5
        option err:
            set n to 5
            set oak.mark to 77
            {line}
def f(k: int) -> int: sum(t.tax / k for t in town)
procedure spin():
    repeat at most 2000000:
        for t in town - town:
            set n to 1
procedure grow():
    repeat at most 100:
        set n to n * n
procedure rich(p: player):
    repeat at most 100:
        pay p.cash * (p.cash / 1 money) from bank to p.cash
"""
    game = take(play(rules + WORLD), "wait")
    before, past = game.omniscient.numbers.cells, game.history
    code, _, words = message.partition(" ")
    with pytest.raises(RulesetFaultError) as caught:
        take(game, "err")
    diagnostic = caught.value.diagnostic
    assert diagnostic.code == code and words in diagnostic.message
    if code == "RS703":
        assert diagnostic.span is not None and diagnostic.span.file.endswith("play.rules")
    assert (game.omniscient.numbers.cells, game.history) == (before, past)
    take(game, "wait")


@pytest.mark.parametrize(
    "option",
    [
        "option a(k in 1 .. 7 / n):",
        "option a(t in town where t.tax / n > 1):",
        "option a by p if 7 / n > 1 else p:",
        "option a(k in 1 .. 1000000):",
        "option a(k in 1 .. 400, l in 1 .. 400):",
    ],
)
@pytest.mark.sampled(3)
def test_a_fault_in_a_condition_is_a_fault_too(play: Play, option: str) -> None:
    rules = f"""
procedure play():
    for p in player:
        decide act by p:
            {option}
                set n to 1
"""
    game = play(rules + WORLD)
    with pytest.raises(RulesetFaultError):
        listed(game)


def test_a_fault_in_scoring_or_an_invariant_has_its_place(play: Play) -> None:
    rules = "procedure play():\n    end game\nscoring p in player:\n    score 7 / n\ninvariant i:\n    7 / n > 1\n"
    game = play(rules + WORLD)
    for ask in (
        lambda: scores(game),
        game.omniscient.broken_invariants,
        lambda: game.result,
        lambda: game.omniscient.value("3 / m"),
    ):
        with pytest.raises(RulesetFaultError) as caught:
            ask()
        assert caught.value.diagnostic.span is not None


def test_who_decides_may_be_a_fault(play: Play) -> None:
    rules = "procedure play():\n    for p in player:\n        decide a by p if 5 / n > 1 else p:\n"
    rules += "            option b:\n                set n to 1\n"
    game = play(rules + WORLD)
    with pytest.raises(RulesetFaultError):
        listed(game)
    with pytest.raises(RulesetFaultError):
        assert game.decision


def test_both_backends_test_conditions_in_the_order_of_the_rules(play: Play) -> None:
    """A guard of a division comes first, however early another condition could be tested."""
    rules = """
procedure play():
    for p in player:
        decide act by p:
            option a(t in town):
                require n > 0
                require 7 / n > 1
                set n to 1
            option b(t in town, k in 1 .. by_town[t, 1]):
                require m > 0
                set n to 1
            option c:
                set n to 2
"""
    game = play(rules + WORLD)
    with pytest.raises(RulesetFaultError):  # by_town has no row for ash
        listed(game)
    only_a = rules.replace("by_town[t, 1]", "2")
    assert listed(play(only_a + WORLD)) == ["c"]


def test_long_lists_of_locals_and_parameters(play: Play) -> None:
    lets = "".join(
        f"    let a{i} = {'k' if i == 0 else f'a{i - 1}'} + sum(t.tax for t in town where t.tax > {i})\n"
        for i in range(20)
    )
    # As many as there may be, in fewer combinations than the checker refuses to list.
    params = ", ".join(
        f"q{i} in town where q{i}.index == {i % 4}" if i % 2 else f"q{i} in {{{('oak', 'ash')[i // 2 % 2]}}}"
        for i in range(12)
    )
    rules = f"""
def f(k: int) -> int:
{lets}    a19
procedure play():
    for p in player:
        decide act by p:
            option a({params}):
                require any(t in town where t == q11 and any(u in town where u == q0 and f(1) > 1))
                set n to f(2)
"""
    game = play(rules + WORLD)
    assert len(listed(game)) == 1
    game.apply(next(iter(every_option(game))))
    assert game.omniscient.value("n") == str(2 + sum(sum(t for t in (3, 5, 7, 9) if t > i) for i in range(20)))


@pytest.mark.sampled(1)
def test_a_long_line_and_a_large_set(play: Play) -> None:
    spaces = ", ".join(f"s{i}: {{upto: {i}}}" for i in range(500))
    tracks = f"--- tracks.yaml\ntracks:\n  long: {{line: mark, spaces: {{{spaces}, last: {{}}}}}}\n"
    state = "--- kinds.yaml\nstate:\n  v: {type: int}\n  w: {type: set mark}\n"
    members = ", ".join(f"long.space(v + {i})" for i in range(150))
    rules = f"procedure play():\n    set v to 77\n    set w to {{{members}}}\n"
    rules += "    chance r:\n        option e:\n            end game\n"
    game = play(rules + tracks + state)
    assert (
        game.omniscient.value("long.space(v)"),
        game.omniscient.value("long.space(9999)"),
        game.omniscient.value("count(w)"),
    ) == (
        "s77",
        "last",
        "150",
    )


def test_spaces_of_spaces_are_looked_up_once_each(play: Play) -> None:
    tracks = "--- tracks.yaml\ntracks:\n  t: {line: mark, spaces: {a: {upto: 0}, b: {upto: 1}, c: {upto: 2}, d: {}}}\n"
    state = "--- kinds.yaml\nstate:\n  v: {type: int}\n"
    deep = "v"
    for _ in range(25):
        deep = f"t.space({deep}).index"
    game = play(f"procedure play():\n    set v to 2\n    set v to {deep}\n    end game\n" + tracks + state)
    assert (game.omniscient.value("v"), game.omniscient.value(f"{deep} + 2")) == ("2", "4")


@pytest.mark.parametrize(
    "flags, where, step, visited",
    [
        (["oak"], "flag.at[t] > 0", "move 1 of flag from supply to at[ash]", "{oak, ash}"),  # comes in on the way
        (["oak", "elm"], "flag.at[t] > 0", "move 1 of flag from at[elm] to at[fir]", "{oak, fir}"),
        (["oak", "elm"], "flag.at[t] > 0", "move 1 of flag from at[elm] to supply", "{oak}"),  # goes out on the way
        (["oak", "elm"], "flag.at[t] > 0", "shift()", "{oak, ash}"),
        (["elm"], "flag.at[t] == 0", "move 1 of flag from at[elm] to supply", "{oak, elm, ash, fir}"),
        (["elm"], "flag.at[t] == 0", "move 1 of flag from supply to at[ash]", "{oak, fir}"),
        ([], "t in towns", "set towns to {oak, fir}", "{oak, fir}"),
        ([], "t.owner == best", "set best to one", "{oak}"),
        ([], "t.owner == best", "set fir.owner to one", "{oak, elm, ash}"),
    ],
)
def test_what_a_loop_changes_counts_for_the_members_to_come(
    play: Play, flags: list[str], where: str, step: str, visited: str
) -> None:
    placed = "".join(f"    move 1 of flag from supply to at[{town}]\n" for town in flags)
    rules = f"""
procedure play():
    let one = first(p in player)
    set towns to {{oak, elm}}
{placed}
    for t in town where {where}:
        set t.seen to true
        if t == oak:
            {step}
    end game

procedure shift():
    move flag.at[elm] of flag from at[elm] to at[ash]
"""
    assert play(rules + WORLD).omniscient.value("{t in town where t.seen}") == visited
