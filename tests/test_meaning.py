"""What the language means: small rulesets, started and played under both backends, and the values they lead to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cases import GAME, small, split, write

from engine.begin import Backend
from engine.game import Game
from engine.option import Fault, IllegalOption, Option
from rulespec.diagnostics import RulespecError
from rulespec.load import load_ruleset

Play = Callable[..., Game]


@pytest.fixture(params=["python", "interpreter"])
def play(request: pytest.FixtureRequest, tmp_path: Path) -> Play:
    """Starts a game of a ruleset that is given as text."""
    backend: Backend = request.param

    def start(text: str, seats: str = "ann bob", overlays: str = "", **options: str | bool) -> Game:
        return Game(small(tmp_path / "small", text, overlays), seats.split(), options, backend)

    return start


WORLD = """
--- kinds.yaml
kinds:
  town:
    facts: {tax: int, near: set town, twin: town?}
    state: {owner: {type: player?}, seen: {type: bool}, mark: {type: int}}
    entities:
      oak: {tax: 3, near: [elm], twin: ash}
      elm: {tax: 5, near: [ash]}
      ash: {tax: 7, near: []}
      fir: {tax: 9, near: [fir]}
  good: {entities: {corn: {}, salt: {}}}
  ware: {product: [town, good]}
  player:
    state: {cash: {account: money}, secret: {type: int, private: true}}
state:
  n: {type: int}
  m: {type: int}
  few: {type: int 0..3}
  best: {type: player?}
  towns: {type: set town}
accounts:
  bank: {account: money, unlimited: true}
  chest: {account: money}
pieces:
  cart: {each: [good], places: {supply: {}, at: {index: town}}}
  flag: {each: [], places: {supply: {}, at: {index: town}}}
--- tables.yaml
constants: {toll: 2 money, limit: "2 + 1"}
tables:
  by_number: {key: int, value: money, rows: {2: 10, 3: 8, -1: 1}}
  by_town: {key: [town, int], value: int, rows: {oak: {1: 11, 2: 12}, elm: {1: 21}, ash: {}, fir: {}}}
  friends: {key: town, value: set town, rows: {oak: [elm, ash], elm: [], ash: [oak], fir: []}}
--- tracks.yaml
tracks:
  wheel: {ring: step, spaces: {work: {}, rest: {}, trade: {}, pray: {}}}
  scale:
    line: level
    unit: money
    facts: {bonus: int}
    spaces: {low: {upto: 5, bonus: 0}, mid: {upto: 9, bonus: 4}, top: {bonus: 6}}
--- setup.yaml
setup:
  pieces:
    cart.supply: {corn: 5, salt: 3}
    cart.at: {salt: {elm: 2}}
    flag.supply: players
  accounts: {player.cash: "by_number[players]"}
  state: {town.mark: 1, town.elm.mark: 8}
  players: {3: {accounts: {chest: 4}, state: {n: 33}}}
"""
IDLE = """
procedure play():
    chance go:
        option end:
            end game
"""


def lines(table: str) -> list[tuple[str, str]]:
    return [(left.strip(), right.strip()) for left, _, right in (r.partition("→") for r in table.strip().splitlines())]


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
    assert world.value(text) == value


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
    assert game.check_invariants() == []


def test_an_unmet_invariant_is_told_by_its_docstring(play: Play) -> None:
    game = play('invariant a:\n    "A-01: n is one"\n    n == 1\ninvariant b:\n    n == 0\n' + IDLE + WORLD)
    assert game.check_invariants() == ["a: A-01: n is one"]


def take(game: Game, *options: str) -> Game:
    for text in options:
        game.apply(game.parse(text))
    return game


def outcome_of(game: Game) -> tuple[str, dict[str, int], list[str]]:
    assert game.result is not None
    return game.result.ending, game.result.scores, game.result.winners


def listed(game: Game) -> list[str]:
    return [str(o) for o in game.options]


# --- set-up


def test_set_up_depends_on_the_number_of_players(play: Play) -> None:
    two, three = play(IDLE + WORLD), play(IDLE + WORLD, "ann bob cid")
    assert [two.value(x) for x in ("ann.cash", "chest", "n", "flag.supply")] == ["10", "0", "0", "2"]
    assert [three.value(x) for x in ("cid.cash", "chest", "n", "flag.supply")] == ["8", "4", "33", "3"]


def test_a_start_value_that_does_not_exist_is_refused(play: Play) -> None:
    with pytest.raises(RulespecError, match="RS702"):
        play(IDLE + WORLD, "a b c d")  # by_number has no row for 4


@pytest.mark.parametrize(
    "setup",
    ["state: {few: players + 2}", "accounts: {chest: (1 - players) * 1 money}", "pieces: {flag.supply: 1 - players}"],
)
def test_a_start_value_outside_its_range_is_refused(play: Play, setup: str) -> None:
    world = WORLD.split("--- setup.yaml")[0]
    with pytest.raises(RulespecError, match="RS702"):
        play(f"{IDLE}{world}--- setup.yaml\nsetup:\n  {setup}\n")


def test_a_start_value_may_be_worked_out_over_sets(play: Play) -> None:
    nested = "players"
    for i in range(12):
        nested = f"sum(x{i}.tax for x{i} in {{oak}} where {nested} > 0)"
    world = WORLD.split("--- setup.yaml")[0]
    game = play(f'{IDLE}{world}--- setup.yaml\nsetup:\n  state: {{m: "{nested}"}}\n')
    assert game.value("m") == "3"


# --- statements


def run(play: Play, body: str, rest: str = "", seats: str = "ann bob", **options: str | bool) -> Game:
    """A game whose start carries out some lines."""
    text = "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    return play(
        f"procedure play():\n{text}    chance rest:\n        option end:\n            end game\n{rest}{WORLD}",
        seats,
        **options,
    )


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
    assert [game.value(x) for x in ("n", "elm.mark", "elm.seen", "oak.seen", "towns", "best")] == [
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
    assert [game.value(x) for x in ("ann.cash", "chest", "bank")] == ["6", "107", "-99"]
    assert game.state()["pieces"]["cart"]["corn"] == {"supply": 3, "at[elm]": 1, "at[fir]": 1}


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
    assert [game.value(f"{t}.mark") for t in ("oak", "elm", "ash", "fir")] == ["10", "30", "30", "20"]
    assert game.value("n") == "112"


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
    assert run(play, body).value("n") == order


def test_the_set_of_a_loop_is_fixed_when_it_starts(play: Play) -> None:
    game = run(play, "set towns to {oak, elm}\nfor t in towns:\n    set towns to {fir}\n    set n to n + 1")
    assert game.value("n") == "2"


def test_repeat_leave_again_and_return(play: Play) -> None:
    body = """
repeat at most 10:
    set n to n + 1
    if n == 3:
        again
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
    assert [game.value(x) for x in ("n", "m", "few")] == ["6", "4", "3"]


def test_the_number_of_times_is_fixed_at_the_start(play: Play) -> None:
    assert run(play, "set m to 2\nrepeat at most m:\n    set m to 9\n    set n to n + 1").value("n") == "2"


def test_a_checked_optional_may_be_used(play: Play) -> None:
    body = """
for t in town:
    if t.twin is some and t.twin.tax > 1:
        set n to n + t.twin.tax
    let u = t.twin
    if u is none:
        set m to m + 1
        again
    set n to n + 100 * u.tax
set n to n + sum(t.twin.tax for t in town where t.twin is some)
set oak.owner to first(p in player)
if oak.owner is some:
    pay 1 from oak.owner.cash to bank
if oak.owner == first(q in player where q.index == 0):
    set m to m + 10
"""
    game = run(play, body)
    assert [game.value(x) for x in ("n", "m", "ann.cash")] == ["714", "13", "9"]


def test_definitions_with_lets(play: Play) -> None:
    rest = "def f(a: int, b: int) -> int:\n    let c = a * b\n    let d = c + sum(t.tax + a for t in town)\n    d - c\n"
    assert run(play, "set n to f(2, 3) * f(n, 1)", rest).value("n") == str((24 + 8) * 24)


# --- decisions

TURN = """
procedure play():
    "T-01"
    for p in player:
        turn(p)
    end game
procedure turn(p: player):
    decide move by p:
        "T-02: where to"
        option go(t in town where t.tax > 3 "T-03: only far", k in 1 .. t.tax - 4):
            "T-04"
            require k != 2                       "T-05: two is unlucky"
            require p.cash >= k * 1 money        "T-06: too dear"
            pay k * 1 money from p.cash to bank
            set t.owner to p
        option stay:
            set n to n + 1
        option gift(q in player where q != p, due in 1 money .. 2 money) by q:
            pay due from q.cash to p.cash
            again
"""


def test_options_are_listed_in_order_with_their_parameters(play: Play) -> None:
    game = play(TURN + WORLD)
    assert game.decision is not None
    assert (game.decision.name, game.decision.by, game.decision.together) == ("move", "ann", False)
    assert listed(game) == [
        *("go(elm, 1)", "go(ash, 1)", "go(ash, 3)", "go(fir, 1)", "go(fir, 3)", "go(fir, 4)", "go(fir, 5)"),
        *("stay", "gift(bob, 1)", "gift(bob, 2)"),
    ]
    options = list(game.options)
    assert options[0].arguments == {"t": "elm", "k": "1"}
    assert [(o.by, o.interrupt) for o in options[-2:]] == [("bob", True), ("bob", True)]


@pytest.mark.parametrize(
    "option, reason",
    [
        ("go(oak, 1)", "T-03: only far (t.tax = 3, 3 = 3)"),
        ("go(fir, 9)", "`9` is not a `k` in 1"),
        ("go(fir, 2)", "T-05: two is unlucky (k = 2)"),
        ("gift(ann, 1)", "q != p (q = ann, p = ann)"),
        ("gift(bob, 3)", "`3` is not a `due` in 1 money (due = 3)"),
    ],
)
def test_a_refusal_says_why(play: Play, option: str, reason: str) -> None:
    game = play(TURN + WORLD)
    before = game.hash
    with pytest.raises(IllegalOption) as caught:
        take(game, option)
    assert str(caught.value.refusal).split(" (")[0] == reason.split(" (")[0]
    assert (game.hash, game.ply) == (before, 0)


def test_an_interrupt_opens_the_decision_anew(play: Play) -> None:
    game = take(play(TURN + WORLD), "gift(bob, 2)", "gift(bob, 1)", "go(fir, 5)")
    assert [game.value(x) for x in ("ann.cash", "bob.cash", "fir.owner", "n")] == ["8", "7", "ann", "0"]
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


def test_again_and_leave_in_a_decision(play: Play) -> None:
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
                    again
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
    assert [game.value(x) for x in ("n", "m")] == ["102", "4"]
    take(game, "done")
    assert game.is_over and game.value("n") == "202"


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
    assert [game.weight(o) for o in game.options] == [2, 1, 1]
    with pytest.raises(IllegalOption):
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
    before = game.state()
    everything = listed(game)
    take(game, "offer(2, oak)")
    assert game.state() == before and listed(game) == everything
    assert game.decision.by == "cid"
    take(game, "offer(1, oak)")
    assert game.state() == before and listed(game) == everything
    take(game, "pass_by")
    # bob's body first: he gets oak; cid comes too late; ann's runs over two towns
    assert [game.value(x) for x in ("n", "oak.owner", "m", "chest", "few")] == ["3321", "bob", "201", "7", "3"]
    for _ in range(3):
        game.undo()
    assert game.state() == before


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
    assert game.value("n") == "10"


# --- the end


def test_a_game_ends_when_its_procedure_does(play: Play) -> None:
    game = play("procedure play():\n    set n to 1\n" + WORLD)
    assert game.is_over and game.result is not None
    assert (game.result.ending, game.result.scores, game.result.winners) == ("end", {}, [])


@pytest.mark.parametrize(
    "statement, ending, winners",
    [
        ("end game", "end", ["bob"]),
        ("end game as famine", "famine", ["bob"]),
        ("end game as coup won by {p in player where p.index == 0}", "coup", ["ann"]),
        ("end game as ruin won by {}", "ruin", []),
        ("end game won by player", "end", ["ann", "bob"]),
    ],
)
def test_the_forms_of_an_end(play: Play, statement: str, ending: str, winners: list[str]) -> None:
    scoring = "scoring p in player:\n    score p.cash / 1 money + p.index\n"
    game = play(f"procedure play():\n    {statement}\n{scoring}{WORLD}")
    assert game.result is not None
    assert (game.result.ending, game.result.winners) == (ending, winners)
    assert game.result.scores == game.scores() == {"ann": 10, "bob": 11}


def test_ties_are_broken_in_turn_by_what_is_highest_first(play: Play) -> None:
    rules = """
procedure play():
    for p in player:
        set best to p
        if p.index > 0:
            pay 1 from p.cash to bank
        for t in town where t.index == p.index:
            set t.owner to p
    end game
scoring p in player:
    score 7
    tiebreak p.index % 1
    tiebreak for t in town by t.tax: 1 if t.owner == p else 0
"""
    game = play(rules + WORLD, "ann bob cid")
    assert game.result is not None and game.result.winners == ["cid"]  # ash has the highest tax of the owned
    equal = play(rules.split("    tiebreak for")[0] + WORLD, "ann bob")
    assert equal.result is not None and equal.result.winners == ["ann", "bob"]


# --- options, overlays


def test_options_are_constants_of_a_game(play: Play) -> None:
    game_yaml = GAME + "options:\n  fog: {default: false}\n  sky: {values: [blue, grey], default: grey}\n"
    text = """
procedure play():
    for p in player:
        decide go by p:
            option a:
                require fog
                end game
            option b(k in 1 .. 2 if sky == blue else 1):
                require sky == sky.blue or not fog
                end game
"""
    text += f"--- game.yaml\n{game_yaml}"
    assert listed(play(text)) == ["b(1)"]
    assert listed(play(text, sky="blue")) == ["b(1)", "b(2)"]
    assert listed(play(text, sky="blue", fog=True)) == ["a", "b(1)", "b(2)"]
    assert listed(play(text, fog="true")) == ["a"]
    for wrong in ({"fgo": True}, {"sky": "green"}, {"fog": "perhaps"}):
        with pytest.raises(RulespecError, match=r"RS70[56]"):
            play(text, **wrong)


VARIANT = """
--- variants/{id}.yaml
id: {id}
title: T
for: small
version: "1"
{changes}
--- variants/{id}.rules
{rules}
"""


def variant(id_: str, changes: str, rules: str) -> str:
    return VARIANT.format(id=id_, changes=changes, rules=rules)


def test_overlays_change_facts_and_rules(play: Play) -> None:
    base = (
        "procedure play():\n    set n to f(elm)\n    step(5)\n    chance r:\n        option e:\n            end game\n"
    )
    base += "def f(t: town) -> int: t.tax * limit\nprocedure step(k: int):\n    set m to m + k\n"
    one = variant(
        "one",
        "changes: {constants.limit: 10, kinds.town.entities.elm.tax: 6}\nadd:\n  state.extra: {type: int}\n",
        "wrap def f(t: town) -> int: original(t) + 1\n"
        "wrap procedure step(k: int):\n    original(k)\n    original(k + 1)\n    set extra to m\n",
    )
    two = variant("two", "changes: {constants.limit: 4}", "replace procedure step(k: int):\n    set m to k * k\n")
    text = base + WORLD + one + two
    assert [play(text).value(x) for x in ("n", "m")] == ["15", "5"]
    assert [play(text, overlays="+one").value(x) for x in ("n", "m", "extra")] == ["61", "11", "11"]
    assert [play(text, overlays="+two").value(x) for x in ("n", "m")] == ["20", "25"]


def test_a_start_value_for_all_may_depend_on_each(play: Play) -> None:
    rules = "procedure play():\n    chance r:\n        option e:\n            end game\n"
    setup = "setup:\n  pieces: {flag.at: town.tax + 1}\n  state: {town.mark: town.tax * 2}\n"
    text = rules + WORLD.partition("--- setup.yaml")[0] + f"--- setup.yaml\n{setup}"
    game = play(text)
    assert [game.value(f"flag.at[{t}]") for t in ("oak", "elm", "ash", "fir")] == ["4", "6", "8", "10"]
    assert [game.value(f"{t}.mark") for t in ("oak", "fir")] == ["6", "18"]


def test_an_overlay_includes_others_and_may_change_them_further(play: Play) -> None:
    base = "procedure play():\n    set n to limit\n    chance r:\n        option e:\n            end game\n"
    inner = variant("inner", "changes: {constants.limit: 10}\nadd: {constants.more: 1}", "")
    outer = variant(
        "outer",
        "includes: [inner]\nchanges: {constants.limit: 11, constants.more: 2}",
        f"replace {base}".replace("limit", "limit * more"),
    )
    text = base + WORLD + inner + outer
    assert play(text, overlays="+outer").value("n") == "22"
    assert play(text, overlays="+outer").ruleset.overlays == ("outer",)


def test_what_is_emptied_is_replaced_as_a_whole(play: Play) -> None:
    base = "procedure play():\n    chance r:\n        option e:\n            end game\n"
    new = "replaces: [kinds.good.entities, setup]\nchanges: {kinds.good.entities: {silk: {}}}"
    assert play(base + WORLD + variant("one", new, ""), overlays="+one").value("good") == "{silk}"


def test_decisions_get_further_options(play: Play) -> None:
    base = """
procedure play():
    for p in player:
        if p.index >= 0:
            decide go by p:
                option stay:
                    set n to n + 1
    end game
"""
    more = """extend decision go:
    "Wherever it is taken, with what is known there."
    include trips
    option rest:
        set n to p.index
options trips:
    option walk(k in 3 .. 4):
        set n to n + k
        again
"""
    game = play(base + WORLD + variant("one", "doc: more", more), overlays="+one")
    assert listed(game) == ["stay", "walk(3)", "walk(4)", "rest"]
    game.apply(game.parse("walk(4)", "ann"))
    assert (game.decision is not None and game.decision.by, game.value("n")) == ("ann", "4")
    game.apply(game.parse("stay", "ann"))
    assert listed(game) == ["stay", "walk(3)", "walk(4)", "rest"]


def test_a_ruleset_extends_another_with_overlays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is one ruleset then, which overlays may change as any other."""
    text = "procedure play():\n    set n to limit\n    chance r:\n        option e:\n            end game\n" + WORLD
    four, five = (variant(f"limit_{k}", f"changes: {{constants.limit: {k}}}", "") for k in (40, 50))
    write(tmp_path / "small", split(text + four + five, "rules/play.rules"))
    write(tmp_path / "b", {"game.yaml": "id: b\ntitle: B\nversion: '1'\nextends: small+limit_40\n"})
    write(tmp_path / "c", {"game.yaml": "id: c\ntitle: C\nversion: '1'\nextends: ../small+limit_40\n"})
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))
    assert Game(load_ruleset("b"), ["ann", "bob"]).value("n") == "40"
    assert Game(load_ruleset("b+limit_50"), ["ann", "bob"]).value("n") == "50"
    assert load_ruleset("b+limit_50").ref == "b+limit_50"
    own = "wrap procedure play():\n    original()\nextend decision r:\n    option f:\n        pass\n"
    write(tmp_path / "d", {"game.yaml": "id: d\ntitle: D\nversion: '1'\nextends: b\n", "rules/r.rules": own})
    last = variant("last", "for_version: '1'", f"replace {text.partition('---')[0]}").replace("for: small", "for: d")
    write(tmp_path / "d", split(last, "-") | {"game.yaml": (tmp_path / "d" / "game.yaml").read_text()})
    assert Game(load_ruleset("d+last"), ["ann", "bob"]).value("n") == "40"
    monkeypatch.chdir(tmp_path / "small")
    assert Game(load_ruleset("../c"), ["ann", "bob"]).value("n") == "40"


def test_a_wrap_may_be_wrapped_and_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three rulesets on top of one another, each wrapping the same rules."""
    rules = (
        "procedure play():\n    step(1)\n    set m to f(1)\n    chance r:\n        option e:\n            end game\n"
    )
    rules += "procedure step(k: int):\n    set n to n * 10 + k\ndef f(k: int) -> int: k\n"
    state = "state:\n  n: {type: int}\n  m: {type: int}\n"
    wrap = "wrap procedure step(k: int):\n    original(k + 1)\n    original(k + 2)\n"
    wrap += "wrap def f(k: int) -> int: original(k) * 10 + 1\n"
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))
    write(tmp_path / "a", {"game.yaml": GAME.replace("small", "a"), "kinds.yaml": state, "rules/r.rules": rules})
    for name, under in (("b", "a"), ("c", "b")):
        head = f"id: {name}\ntitle: {name}\nversion: '1'\nextends: {under}\n"
        write(tmp_path / name, {"game.yaml": head, "rules/r.rules": wrap})
    last = "replace procedure step(k: int):\n    set n to k\nreplace def f(k: int) -> int: -k\n"
    write(tmp_path / "d", {"game.yaml": "id: d\ntitle: d\nversion: '1'\nextends: c\n", "rules/r.rules": last})
    for ref, n, m in (("a", "1", "1"), ("b", "23", "11"), ("c", "3445", "111"), ("d", "1", "-1")):
        for backend in ("python", "interpreter"):
            game = Game(load_ruleset(ref), ["ann"], {}, backend)
            assert (game.value("n"), game.value("m")) == (n, m), ref
    assert set(load_ruleset("d").rules.procedures) == {"play", "step"}
    (tmp_path / "d" / "rules" / "r.rules").write_text(last.replace("set n to k", "original(k)"))
    with pytest.raises(RulespecError, match="RS221"):
        load_ruleset("d")


def test_what_a_wrapped_rule_changes_is_known_to_its_callers(tmp_path: Path) -> None:
    rules = "procedure play():\n    for p in player:\n        set best to p\n        if best is some:\n"
    rules += "            step()\n            pay 1 from best.cash to bank\nprocedure step():\n    set best to none\n"
    text = rules + WORLD + variant("one", "", "wrap procedure step():\n    original()\n    set n to 1\n")
    for overlays in ("", "+one"):
        with pytest.raises(RulespecError, match="RS303"):
            small(tmp_path / f"x{len(overlays)}" / "small", text, overlays)


def test_a_replaced_ruleset_may_drop_whole_sections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))
    files = {**split(IDLE + WORLD, "rules/play.rules"), "game.yaml": GAME.replace("small", "a")}
    write(tmp_path / "a", files)
    head = "id: b\ntitle: B\nversion: '1'\nextends: a\nreplaces: [kinds.good.entities, setup, tables.friends.rows]\n"
    write(
        tmp_path / "b",
        {
            "game.yaml": head,
            "kinds.yaml": "kinds: {good: {entities: {silk: {}}}}\n",
            "tables.yaml": "tables: {friends: {rows: {oak: [], elm: [oak], ash: [], fir: []}}}\n",
        },
    )
    game = Game(load_ruleset("b"), ["ann", "bob"])
    assert game.value("good") == "{silk}"
    assert game.value("friends[elm]") == "{oak}"
    assert game.value("ann.cash") == "0"


# --- secrets


def test_private_state_is_shown_to_its_player_only(play: Play) -> None:
    game = run(play, "for p in player:\n    set p.secret to p.index + 5")
    players = game.state("ann")["entities"]["player"]
    assert (players["ann"]["secret"], players["bob"]["secret"]) == (5, None)
    assert game.state()["entities"]["player"]["bob"]["secret"] == 6


# --- faults

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


@pytest.mark.parametrize("line, message", FAULTS, ids=[t for t, _ in FAULTS])
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
    before, past = game.cells, game.history
    code, _, words = message.partition(" ")
    with pytest.raises(Fault) as caught:
        take(game, "err")
    diagnostic = caught.value.diagnostic
    assert diagnostic.code == code and words in diagnostic.message
    if code == "RS703":
        assert diagnostic.span is not None and diagnostic.span.file.endswith("play.rules")
    assert (game.cells, game.history) == (before, past)
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
def test_a_fault_in_a_condition_is_a_fault_too(play: Play, option: str) -> None:
    rules = f"""
procedure play():
    for p in player:
        decide act by p:
            {option}
                set n to 1
"""
    game = play(rules + WORLD)
    with pytest.raises(Fault):
        listed(game)


def test_a_fault_in_scoring_or_an_invariant_has_its_place(play: Play) -> None:
    rules = "procedure play():\n    end game\nscoring p in player:\n    score 7 / n\ninvariant i:\n    7 / n > 1\n"
    game = play(rules + WORLD)
    for ask in (game.scores, game.check_invariants, lambda: game.result, lambda: game.value("3 / m")):
        with pytest.raises(Fault) as caught:
            ask()
        assert caught.value.diagnostic.span is not None


def test_who_decides_may_be_a_fault(play: Play) -> None:
    rules = "procedure play():\n    for p in player:\n        decide a by p if 5 / n > 1 else p:\n"
    rules += "            option b:\n                set n to 1\n"
    game = play(rules + WORLD)
    with pytest.raises(Fault):
        listed(game)
    with pytest.raises(Fault):
        assert game.decision


def test_both_backends_test_conditions_in_the_order_of_the_rules(play: Play) -> None:
    """What guards a division comes first, however early another condition could be tested."""
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
    with pytest.raises(Fault):  # by_town has no row for ash
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
    game.apply(next(iter(game.options)))
    assert game.value("n") == str(2 + sum(sum(t for t in (3, 5, 7, 9) if t > i) for i in range(20)))


def test_a_long_line_and_a_large_set(play: Play) -> None:
    spaces = ", ".join(f"s{i}: {{upto: {i}}}" for i in range(500))
    tracks = f"--- tracks.yaml\ntracks:\n  long: {{line: mark, spaces: {{{spaces}, last: {{}}}}}}\n"
    state = "--- kinds.yaml\nstate:\n  v: {type: int}\n  w: {type: set mark}\n"
    members = ", ".join(f"long.space(v + {i})" for i in range(150))
    rules = f"procedure play():\n    set v to 77\n    set w to {{{members}}}\n"
    rules += "    chance r:\n        option e:\n            end game\n"
    game = play(rules + tracks + state)
    assert (game.value("long.space(v)"), game.value("long.space(9999)"), game.value("count(w)")) == (
        "s77",
        "last",
        "150",
    )


# --- the interface


def test_undo_clone_and_hash(play: Play) -> None:
    game = play(TURN + WORLD)
    start = game.hash
    take(game, "gift(bob, 2)")
    twin = game.clone()
    take(twin, "stay")
    assert game.ply == 1 and twin.ply == 2 and game.hash != twin.hash
    undone: Option = twin.undo()
    assert str(undone) == "stay" and twin.hash == game.hash
    twin.undo()
    assert twin.hash == start
    with pytest.raises(IndexError):
        twin.undo()


def test_a_game_may_start_in_a_procedure_and_with_given_values(tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", TURN + WORLD)
    game = Game(ruleset, ["ann", "bob"], start="turn(bob)")
    game.set_value("bob.cash", "3")
    game.set_value("cart[corn].at[oak]", "2")
    assert [game.value(x) for x in ("bob.cash", "bank", "cart[corn].supply")] == ["3", "7", "3"]
    assert game.decision is not None and game.decision.by == "bob"
    take(game, "stay")
    assert game.is_over
    for target, value in (
        ("cart[corn].supply", "-1"),
        ("cart[corn].at[oak]", "9"),
        ("oak", "1"),
        ("n", "x"),
        ("n", "oak"),
    ):
        with pytest.raises(RulespecError):
            game.set_value(target, value)
    with pytest.raises(Fault):
        game.set_value("n", "1 / m")
    with pytest.raises(RulespecError):
        listed(Game(ruleset, ["ann", "bob"], start="trun(bob)"))
    with pytest.raises(RulespecError):
        game.value("n +")


@pytest.mark.parametrize("seats", [[], ["a"] * 2, ["a", ""], ["a", "b(c"], list("abcde"), ["x" * 81, "y"]])
def test_seats_that_do_not_fit_are_refused(tmp_path: Path, seats: list[str]) -> None:
    ruleset = small(tmp_path / "small", IDLE + WORLD)
    with pytest.raises(RulespecError, match=r"RS70[78]"):
        Game(ruleset, seats)
