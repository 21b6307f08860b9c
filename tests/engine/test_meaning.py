"""Expressions and set-up: small rulesets under both backends, and the values they lead to."""

from __future__ import annotations

import pytest
from cases import small
from worlds import IDLE, WORLD, Play, lines

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game

VALUES = lines(
    """
    7 / 2                                    → 3
    -7 / 2                                   → -4
    7 / -2                                   → -4
    -7 % 2                                   → 1
    7 % -2                                   → -1
    2 + 3 * 4 - 1                            → 13
    10 - 4 - 3                               → 3
    (10 - 4) / 4                             → 1
    - - 3                                    → 3
    2 money * 3 + 1                          → 7
    6 money / 2                              → 3
    7 money / 2 money                        → 3
    7 money % 4                              → 3
    toll * limit                             → 6
    min(3, 1, 2) + max(3, 1, 2) + abs(-4)    → 8
    min(players) + max(players + 1)          → 5
    players                                  → 2
    1 if players > 2 else 2                  → 2
    1 if false else 2 if true else 3         → 2
    not true or true and false               → false
    not (1 == 2)                             → true
    1 < 2 and 2 <= 2 and 3 > 2 and 3 >= 3    → true
    true or 1 / (players - 2) == 0           → true
    false and 1 / (players - 2) == 0         → false
    oak == elm                               → false
    oak != elm                               → true
    oak.index + fir.index                    → 3
    next(oak)                                → elm
    next(fir)                                → oak
    oak.twin                                 → ash
    elm.twin                                 → none
    elm.twin is none                         → true
    oak.twin is some                         → true
    elm.twin ?? fir                          → fir
    oak.twin ?? fir                          → ash
    elm.twin ?? elm.twin ?? fir              → fir
    elm.twin == none                         → true
    elm.twin in town                         → false
    oak in town                              → true
    oak not in {elm, ash}                    → true
    {oak, elm} | {elm, fir}                  → {oak, elm, fir}
    {oak, elm} & {elm, fir}                  → {elm}
    {oak, elm} - {elm, fir}                  → {oak}
    {oak} | {elm} & {}                       → {oak}
    {}                                       → {}
    town - {x in town where x.tax > 4}       → {oak}
    {ware[x, corn] for x in town where x.tax > 6} → {ash_corn, fir_corn}
    count(town)                              → 4
    count({})                                → 0
    count(x in town where x.tax > 4)         → 3
    sum(x.tax for x in town)                 → 24
    sum(x.tax for x in town where x != oak)  → 21
    sum(1 money for x in town where x.tax > 100) → 0
    sum(sum(y.tax for y in x.near) for x in town) → 21
    union(x.near for x in town)              → {elm, ash, fir}
    max(x.tax for x in town where x.tax < 9, else 0) → 7
    max(x.tax for x in town where x.tax > 9, else -1) → -1
    min(x.tax for x in town, else 100)       → 3
    any(x in town where x.tax == 5)          → true
    any(x in {oak} where x.tax == 5)         → false
    any(x in {oak} - {oak})                  → false
    all(x in town: x.tax > 2)                → true
    all(x in town where x != oak: x.tax > 3) → true
    all(x in town - town: false)             → true
    first(x in town where x.tax > 3)         → elm
    first(x in town where x.tax > 9)         → none
    first(x in town from ash)                → ash
    first(x in town after ash)               → fir
    first(x in town after fir)               → oak
    first(x in {oak} after oak)              → oak
    first(x in town from ash where x.tax < 7) → oak
    first(x in town after elm where x.tax < 7) → oak
    first(x in town after oak where x == oak) → oak
    reach(x from {oak}: x.near)              → {oak, elm, ash}
    reach(x from {fir}: x.near)              → {fir}
    reach(x from town - town: x.near)        → {}
    count(reach(x from {oak}: {y in x.near where y.tax < 6})) → 2
    by_number[players]                       → 10
    by_number[1 - 2]                         → 1
    by_town[oak, 2] + by_town[elm, 1]        → 33
    friends[oak] & friends[ash]              → {}
    friends[oak]                             → {elm, ash}
    wheel.steps(rest, work)                  → 3
    wheel.steps(rest, rest)                  → 0
    wheel.ahead(trade, 3)                    → rest
    wheel.ahead(trade, -3)                   → pray
    wheel.ahead(work, 400)                   → work
    scale.space(-5)                          → low
    scale.space(5)                           → low
    scale.space(6)                           → mid
    scale.space(10).bonus                    → 6
    ware[elm, salt]                          → elm_salt
    ware[elm, salt].town                     → elm
    ware[elm, salt].good.index               → 1
    count(w in ware where w.good == corn)    → 4
    cart[corn].supply                        → 5
    cart[salt].at[elm] + cart[salt].at[oak]  → 2
    sum(cart[g].supply for g in good)        → 8
    flag.supply                              → 2
    sum(p.cash for p in player)              → 20
    bob.cash                                 → 10
    next(bob) == ann                         → true
    {p in player where p.index > 0}          → {bob}
    best                                     → none
    best is some and best.cash > 1           → false
    oak.mark + elm.mark                      → 9
    {x in town where {y in x.near where y == ash} != {}} → {elm}
    """
)


@pytest.fixture(scope="module", params=["python", "interpreter"])
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Game:
    ruleset = small(tmp_path_factory.mktemp("w") / "small", IDLE + WORLD)
    return Game(ruleset, ["ann", "bob"], {}, request.param)


@pytest.mark.parametrize("text, value", VALUES, ids=[t for t, _ in VALUES])
def test_an_expression_has_its_value(world: Game, text: str, value: str) -> None:
    assert world.omniscient.value(text) == value


def test_expressions_mean_the_same_in_rules_as_when_asked(play: Play) -> None:
    """Each expression is an invariant: the generated source has to hold it, too."""
    rules = []
    for number, (text, value) in enumerate(VALUES):
        if "ann" in text or "bob" in text + value or (value == "{}" and text in ("{}", "count({})")) or "in {}" in text:
            continue
        wanted = "{}" if value == "{}" else value
        test = f"({text}) == ({wanted})" if value not in ("true", "false") else f"({text})"
        test = f"({text}) is none" if value == "none" else test
        rules.append(f"invariant v{number}:\n    {'not ' if value == 'false' else ''}{test}\n")
    assert len(rules) > 80
    game = play("".join(rules) + IDLE + WORLD)
    assert game.omniscient.broken_invariants() == []


def test_an_unmet_invariant_is_told_by_its_docstring(play: Play) -> None:
    game = play('invariant a:\n    "A-01: n is one"\n    n == 1\ninvariant b:\n    n == 0\n' + IDLE + WORLD)
    assert game.omniscient.broken_invariants() == ["a: A-01: n is one"]


# --- set-up


def test_set_up_depends_on_the_number_of_players(play: Play) -> None:
    two, three = play(IDLE + WORLD), play(IDLE + WORLD, "ann bob cid")
    assert [two.omniscient.value(x) for x in ("ann.cash", "chest", "n", "flag.supply")] == ["10", "0", "0", "2"]
    assert [three.omniscient.value(x) for x in ("cid.cash", "chest", "n", "flag.supply")] == ["8", "4", "33", "3"]


def test_a_start_value_that_does_not_exist_is_refused(play: Play) -> None:
    with pytest.raises(DiagnosticsError, match="RS702"):
        play(IDLE + WORLD, "a b c d")  # by_number has no row for 4


@pytest.mark.parametrize(
    "setup",
    ["state: {few: players + 2}", "accounts: {chest: (1 - players) * 1 money}", "pieces: {flag.supply: 1 - players}"],
)
def test_a_start_value_outside_its_range_is_refused(play: Play, setup: str) -> None:
    world = WORLD.split("--- setup.yaml")[0]
    with pytest.raises(DiagnosticsError, match="RS702"):
        play(f"{IDLE}{world}--- setup.yaml\nsetup:\n  {setup}\n")


def test_a_start_value_may_be_worked_out_over_sets(play: Play) -> None:
    nested = "players"
    for i in range(12):
        nested = f"sum(x{i}.tax for x{i} in {{oak}} where {nested} > 0)"
    world = WORLD.split("--- setup.yaml")[0]
    game = play(f'{IDLE}{world}--- setup.yaml\nsetup:\n  state: {{m: "{nested}"}}\n')
    assert game.omniscient.value("m") == "3"
