"""Heads of options: names, requirements and costs; guards."""

from __future__ import annotations

import pytest
from worlds import WORLD, Play, listed, take

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import IllegalOptionError


def asked(play: Play, options: str, rest: str = "", begin: str = "", form: str = "by first(q in player)") -> Game:
    """A game that asks the first player for one of some options, and then rests."""
    body = "".join(f"            {line}\n" if line else "" for line in options.strip("\n").split("\n"))
    first = "".join(f"    {line}\n" for line in begin.split("\n") if line)
    text = f"""
procedure play():
{first}    for p in player where p.index == 0:
        decide act by p:
{body}            option rest_now:
                pass
    chance done:
        option end:
            end game
"""
    return play(text + rest + WORLD)


def refusal(game: Game, option: str) -> str:
    with pytest.raises(IllegalOptionError) as caught:
        game.apply(game.parse(option))
    return str(caught.value.refusal)


# --- let


def test_what_a_demand_names_is_there_for_the_next_one_and_not_before(play: Play) -> None:
    """The first requirement depends on the town; its other names do not, but are evaluated with it."""
    game = asked(
        play,
        """
option go(t in town):
    let after = next(t)
    let wide = few + 1
    require wide + after.tax != 6
    cost wide % 2 from few
    set n to wide
""",
        begin="set few to 2",
    )
    assert listed(game) == ["go(oak)", "go(elm)", "go(ash)", "rest_now"]
    take(game, "go(elm)")
    assert game.omniscient.value("n") == "3" and game.omniscient.value("few") == "1"


def test_a_demand_reads_what_the_head_has_named(play: Play) -> None:
    game = asked(
        play,
        """
option go(t in town):
    let due = t.tax * 2
    require due > 10    "T-01: too near"
    let more = due + 1
    require more != 15  "T-02: unlucky"
    set n to due + more
""",
    )
    assert listed(game) == ["go(fir)", "rest_now"]
    assert refusal(game, "go(oak)") == "T-01: too near (due = 6)"
    assert refusal(game, "go(ash)") == "T-02: unlucky (more = 15)"
    assert take(game, "go(fir)").omniscient.value("n") == "37"


def test_what_is_named_before_paying_has_the_value_from_before(play: Play) -> None:
    game = asked(
        play,
        """
option go:
    cost 3 from p.cash to chest
    let left = p.cash / 1 money
    set n to left * 100 + p.cash / 1 money
""",
    )
    assert take(game, "go").omniscient.value("n") == "1007"


def test_a_value_is_worked_out_where_it_stands_read_or_not(play: Play) -> None:
    game = asked(
        play,
        """
option go:
    let nothing = 1 / n
    require true
    set m to 1
option come:
    require n > 0
    let nothing = 1 / n
    require true
    set m to 1
""",
        begin="set n to 1",
    )
    assert listed(game) == ["go", "come", "rest_now"]


# --- cost


def test_a_cost_must_be_there_and_is_paid_before_the_body(play: Play) -> None:
    game = asked(
        play,
        """
option buy(t in town):
    cost t.tax * 1 money + 2 from p.cash to chest    "T-03: too dear"
    set n to chest / 1 money
""",
    )
    assert listed(game) == ["buy(oak)", "buy(elm)", "buy(ash)", "rest_now"]
    assert refusal(game, "buy(fir)") == "T-03: too dear (t.tax * 1 money + 2 = 11, p.cash = 10)"
    take(game, "buy(ash)")
    assert (game.omniscient.value("n"), game.omniscient.value("chest"), game.omniscient.value("ann.cash")) == (
        "9",
        "9",
        "1",
    )
    game.undo()
    assert (game.omniscient.value("n"), game.omniscient.value("chest"), game.omniscient.value("ann.cash")) == (
        "0",
        "0",
        "10",
    )


def test_pieces_and_plain_numbers_are_costs_too(play: Play) -> None:
    game = asked(
        play,
        """
option load(t in town, k in 0 .. 7):
    cost k of cart[corn] from supply to at[t]  "T-04: no more carts"
    cost k - 1 from few                        "T-05: too few"
    set n to few
""",
        begin="set few to 3",
    )
    assert "load(oak, 1)" in listed(game) and "load(oak, 4)" in listed(game)
    assert refusal(game, "load(oak, 0)") == "T-05: too few (k - 1 = -1, few = 3)"
    assert refusal(game, "load(oak, 5)") == "T-05: too few (k - 1 = 4, few = 3)"
    assert refusal(game, "load(oak, 6)") == "T-04: no more carts (k = 6, cart[corn].supply = 5)"
    take(game, "load(elm, 4)")
    assert (
        game.omniscient.value("n"),
        game.omniscient.value("cart[corn].at[elm]"),
        game.omniscient.value("cart[corn].supply"),
    ) == ("0", "4", "1")


def test_costs_of_one_source_add_up(play: Play) -> None:
    game = asked(
        play,
        """
option buy(a in 0 money .. 9, q in player):
    cost a from p.cash to bank   "T-06: not the first"
    cost 5 from q.cash to chest  "T-07: not both"
    pass
""",
    )
    assert [o for o in listed(game) if o.endswith("ann)")] == [f"buy({a}, ann)" for a in range(6)]
    assert "buy(9, bob)" in listed(game)
    assert refusal(game, "buy(6, ann)") == "T-07: not both (a = 6, q.cash = 10)"
    assert take(game, "buy(5, ann)").omniscient.value("ann.cash") == "0"


def test_all_costs_are_worked_out_before_the_first_is_paid(play: Play) -> None:
    game = asked(
        play,
        """
option swap:
    cost 4 from p.cash to chest
    cost p.cash / 5 from p.cash to bank
    cost 1 of cart[corn] from supply to at[elm]
    cost cart[corn].supply - 3 of cart[salt] from supply to at[first(t in town where cart[corn].at[t] > 0) ?? oak]
    pass
""",
    )
    take(game, "swap")
    assert game.omniscient.value("ann.cash") == "4"
    assert game.omniscient.value("cart[salt].at[oak]") == "2"


def test_an_account_without_a_limit_pays_all_but_less_than_nothing(play: Play) -> None:
    game = asked(
        play,
        """
option loan(k in -1 .. 3):
    cost k * 10 money from bank to p.cash  "T-08: nothing less than nothing"
    pass
""",
    )
    assert listed(game) == ["loan(0)", "loan(1)", "loan(2)", "loan(3)", "rest_now"]
    assert refusal(game, "loan(-1)") == "T-08: nothing less than nothing (k * 10 money = -10)"


# --- guards


GUARDS = """
guard free(t: town):
    "A town that nobody has."
    require t.owner is none      "T-10: it has an owner"

guard affordable(p: player, t: town, k: int):
    let due = t.tax * k * 1 money
    needs free(t)
    cost due from p.cash to bank "T-11: not enough"
"""


def test_the_demands_of_a_guard_are_those_of_the_option(play: Play) -> None:
    game = asked(
        play,
        """
option buy(t in town):
    require t != elm             "T-12: not here"
    needs affordable(p, t, t.index + 1)
    set t.owner to p
option spy(t in town):
    needs free(t)
    set n to t.tax
""",
        GUARDS,
        begin="set fir.owner to first(q in player)",
    )
    assert listed(game) == ["buy(oak)", "spy(oak)", "spy(elm)", "spy(ash)", "rest_now"]
    assert refusal(game, "buy(elm)") == "T-12: not here (t = elm)"
    assert refusal(game, "buy(ash)") == "T-11: not enough (due = 21, p.cash = 10)"
    assert refusal(game, "spy(fir)") == "T-10: it has an owner (t.owner = ann)"
    assert take(game, "buy(oak)").omniscient.value("ann.cash") == "7"


def test_costs_add_up_across_guards(play: Play) -> None:
    game = asked(
        play,
        """
option buy(s in town, t in town):
    needs affordable(p, s, 1)
    needs affordable(p, t, 1)
    set s.owner to p
    set t.owner to p
""",
        GUARDS,
    )
    pairs = ("oak, oak", "oak, elm", "oak, ash", "elm, oak", "elm, elm", "ash, oak")
    assert listed(game) == [*(f"buy({pair})" for pair in pairs), "rest_now"]
    assert take(game, "buy(oak, ash)").omniscient.value("ann.cash") == "0"


def test_a_head_in_a_decision_taken_together_is_settled_when_it_is_chosen(play: Play) -> None:
    text = """
guard share(q: player):
    let part = chest / 2 money
    require part >= 0
    cost part from few           "T-13: too few"

procedure play():
    pay 4 from bank to chest
    set few to 3
    set n to 0
    decide gift together by q in player:
        option give:
            let whole = chest
            require whole > 0
            cost 1 from q.cash to chest
            set n to n * 100 + whole / 1 money * 10 + chest / 1 money
        option share_it:
            needs share(q)
            set m to few
    chance done:
        option end:
            end game
"""
    game = play(text + WORLD)
    take(game, "give", "give")
    assert (game.omniscient.value("n"), game.omniscient.value("chest")) == ("4546", "6")
    game = play(text + WORLD)
    take(game, "give", "share_it")
    assert (game.omniscient.value("n"), game.omniscient.value("few"), game.omniscient.value("m")) == ("45", "1", "1")


def test_the_value_of_a_procedure_ends_the_head(play: Play) -> None:
    game = asked(
        play,
        """
option go:
    cost 3 from p.cash to chest
    let counted = counted_now(p)
    set n to counted
""",
        "procedure counted_now(q: player) -> int:\n    return q.cash / 1 money\n",
    )
    assert take(game, "go").omniscient.value("n") == "7"


# --- what options share


def test_options_share_parameters_and_conditions(play: Play) -> None:
    game = asked(
        play,
        """
with t in town where t != oak "T-20: not the oak" when n + t.tax > 5 "T-21: too little":
    option go:
        set m to t.tax
    when t != ash "T-22: not the ash":
        option stay(k in 1 .. 2):
            require k + t.tax != 10 "T-23: not ten"
            set m to k
        include more
when n > 0:
    option never_now:
        pass
""",
        "options more:\n    option run:\n        set m to 100\n    with s in {oak, elm}:\n        option hop:\n"
        "            set m to s.tax\n",
    )
    assert listed(game) == [
        *("go(ash)", "go(fir)", "stay(fir, 2)", "run(fir)", "hop(fir, oak)", "hop(fir, elm)", "rest_now"),
    ]
    assert refusal(game, "go(oak)") == "T-20: not the oak (t = oak)"
    assert refusal(game, "stay(elm, 1)") == "T-21: too little (n + t.tax = 5)"
    assert refusal(game, "run(ash)") == "T-22: not the ash (t = ash)"
    assert refusal(game, "stay(fir, 1)") == "T-23: not ten (k + t.tax = 10)"
    assert take(game, "hop(fir, elm)").omniscient.value("m") == "5"


def test_an_overlay_extends_a_decision_by_options_that_share(play: Play) -> None:
    text = """
procedure play():
    for p in player where p.index == 0:
        act(p)
procedure act(p: player):
    decide move by p:
        when n == 0:
            option wait:
                pass
--- variants/more.yaml
id: more
title: More
for: small
version: "1"
--- variants/more.rules
extend decision move:
    with t in {oak, elm} when t.tax > 4:
        option go:
            needs far(t)
            pass
guard far(t: town):
    require t.tax < 9
--- variants/near.yaml
id: near
title: Near
for: small
version: "1"
includes: [more]
--- variants/near.rules
replace guard far(t: town):
    require t.tax < 5
"""
    assert listed(play(text + WORLD, overlays="+more")) == ["wait", "go(elm)"]
    assert listed(play(text + WORLD, overlays="+near")) == ["wait"]


# --- demands that come before their turn


def test_a_demand_that_is_tested_early_does_not_rely_on_those_before_it(play: Play) -> None:
    """The first requirement depends on both towns, the second one only on the first town, which may have no twin."""
    game = asked(
        play,
        """
option go(t in town, u in town):
    require t.twin is some and u != t
    require any(v in {t.twin} where v.tax > 0) and t.twin not in {u}
option call(t in town):
    needs paired(t, t.owner ?? p)
option visit(t in town where best is some and count(u in town where u.owner is some and u.owner in {best}) == 0):
    pass
""",
        """
guard paired(t: town, q: player):
    require t.twin is some and q.secret == 0
    require any(v in {t.twin} where v.tax == 7)
""",
    )
    assert listed(game) == ["go(oak, elm)", "go(oak, fir)", "call(oak)", "rest_now"]
    assert refusal(game, "go(elm, oak)").startswith("t.twin is some")
    assert refusal(game, "call(fir)").startswith("t.twin is some")
