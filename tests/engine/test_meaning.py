"""Semantics of the language: small rulesets, played under both backends, and the values they lead to."""

from __future__ import annotations

import pytest
from cases import small
from worlds import IDLE, TURN, WORLD, Play, lines, listed, outcome_of, run, take

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import IllegalOptionError
from rulespec.engine.game.state_json import state_json

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


# --- statements


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


# --- decisions


def test_options_are_listed_in_order_with_their_parameters(play: Play) -> None:
    game = play(TURN + WORLD)
    assert game.decision is not None
    assert (game.decision.name, game.decision.by, game.decision.together) == ("move", "ann", False)
    assert listed(game) == [
        *("go(elm, 1)", "go(ash, 1)", "go(ash, 3)", "go(fir, 1)", "go(fir, 3)", "go(fir, 4)", "go(fir, 5)"),
        *("stay", "gift(bob, 1)", "gift(bob, 2)"),
    ]
    options = list(every_option(game))
    assert options[0].arguments == {"t": "elm", "k": "1"}
    assert [(o.by, o.interrupt) for o in options[-2:]] == [("bob", True), ("bob", True)]


@pytest.mark.parametrize(
    "option, reason",
    [
        ("go(oak, 1)", "T-03: only far (t.tax = 3, 3 = 3)"),
        ("go(fir, 9)", "`9` is not in 1 .. t.tax - 4"),
        ("go(fir, 2)", "T-05: two is unlucky (k = 2)"),
        ("gift(ann, 1)", "q != p (q = ann, p = ann)"),
        ("gift(bob, 3)", "`3` is not in 1 money .. 2 money (due = 3)"),
    ],
)
def test_a_refusal_says_why(play: Play, option: str, reason: str) -> None:
    game = play(TURN + WORLD)
    before = game.hash
    with pytest.raises(IllegalOptionError) as caught:
        take(game, option)
    assert str(caught.value.refusal).split(" (")[0] == reason.split(" (")[0]
    assert (game.hash, game.ply) == (before, 0)


def test_an_interrupt_opens_the_decision_anew(play: Play) -> None:
    game = take(play(TURN + WORLD), "gift(bob, 2)", "gift(bob, 1)", "go(fir, 5)")
    assert [game.omniscient.value(x) for x in ("ann.cash", "bob.cash", "fir.owner", "n")] == ["8", "7", "ann", "0"]
    assert [o.by for o in game.history] == ["bob", "bob", "ann"]
    assert game.decision is not None and game.decision.by == "bob"
    with pytest.raises(ValueError, match="for ann to do"):
        game.parse("gift(ann, 1)", "bob")
    take(game, "stay")
    assert game.is_over
    assert listed(game) == []
    assert outcome_of(game) == ("end", {}, [])


@pytest.mark.parametrize(
    "text", ["fly", "go", "go(oak)", "go(oka, 1)", "go(oak, x)", "go(oak, 1", "", "go(oak, 99999999999999999)"]
)
def test_what_is_no_option_cannot_be_parsed(play: Play, text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        play(TURN + WORLD).parse(text)


def test_ask_again_and_leave_in_a_decision(play: Play) -> None:
    game = play(
        """
procedure play():
    for p in player:
        repeat:
            set m to m + 1
            decide act by p:
                option more:
                    set n to n + 1
                option other:
                    ask again
                include leaving
        set n to n + 100
    end game
options leaving:
    option done:
        leave
"""
        + WORLD
    )
    take(game, "more", "other", "more", "done")
    assert [game.omniscient.value(x) for x in ("n", "m")] == ["102", "4"]
    take(game, "done")
    assert game.is_over and game.omniscient.value("n") == "202"


def test_chance_has_weights_and_nobody_decides(play: Play) -> None:
    game = play(
        """
procedure play():
    chance die:
        option roll(k in 1 .. 3) weight 3 - k:
            set n to k
        option edge:
            set n to 50
    end game
"""
        + WORLD
    )
    assert game.decision is not None and game.decision.by is None
    assert listed(game) == ["roll(1)", "roll(2)", "edge"]  # weight 0 never comes
    assert [game.omniscient.numbers.weight(o.kind.choice, o.args) for o in every_option(game)] == [2, 1, 1]
    with pytest.raises(IllegalOptionError):
        take(game, "roll(3)")


SECRET = """
procedure play():
    for p in player:
        round(p)
        leave
    chance rest:
        option end:
            end game
procedure round(lead: player):
    decide bid together by p in player after lead where p.cash > 0:
        option offer(k in 0 .. 3, t in town where t.owner is none):
            require p.cash >= k * 1 money
            require n == 33
            pay k * 1 money from p.cash to chest
            set n to n * 10 + k
            if t.owner is none:
                set t.owner to p
            else:
                set m to m + 1
        option pass_by:
            for t in town:
                if t == ash:
                    leave
                set m to m + 100
    set few to 3
"""


def test_what_is_decided_together_is_secret_until_all_have_chosen(play: Play) -> None:
    game = play(SECRET + WORLD, "ann bob cid")
    assert game.decision is not None and (game.decision.by, game.decision.together) == ("bob", True)
    before = state_json(game)
    everything = listed(game)
    take(game, "offer(2, oak)")
    assert state_json(game) == before and listed(game) == everything
    assert game.decision.by == "cid"
    take(game, "offer(1, oak)")
    assert state_json(game) == before and listed(game) == everything
    take(game, "pass_by")
    # bob's body first: he gets oak; cid comes too late; ann's runs over two towns
    assert [game.omniscient.value(x) for x in ("n", "oak.owner", "m", "chest", "few")] == [
        "3321",
        "bob",
        "201",
        "7",
        "3",
    ]
    for _ in range(3):
        game.undo()
    assert state_json(game) == before


def test_a_decision_together_asks_only_who_fits_and_may_ask_nobody(play: Play) -> None:
    rules = """
procedure play():
    decide vote together by p in player where p.cash > 100:
        option yes:
            set n to n + 1
    decide count_up together by q in player where q.index == 1:
        option yes:
            set n to n + 10
    chance rest:
        option end:
            end game
"""
    game = play(rules + WORLD)
    assert game.decision is not None and (game.decision.name, game.decision.by) == ("count_up", "bob")
    take(game, "yes")
    assert game.omniscient.value("n") == "10"
