"""The generated source does what the interpreter does: on random programs, and on every ruleset there is."""

from __future__ import annotations

import random
from itertools import compress
from pathlib import Path

import pytest
from agreement import EVERY, EXAMPLES, agree, plain_hash, take_back
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from programs import programs, with_rules
from programs_seats import SETTINGS

from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Machines
from rulespec.engine.game.numbered import every_option
from rulespec.engine.lower.lowering import lower
from rulespec.engine.passes.narrow import narrow
from rulespec.engine.passes.pipeline import PASSES, Pass, optimized
from rulespec.engine.program import ir
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.program.limits import MAX_STEPS
from rulespec.engine.python.backend import PythonBackend
from rulespec.engine.python.features import ALL_FEATURES, Features
from rulespec.engine.python.on_demand import OnDemandBackend
from rulespec.load import load_ruleset

some_steps = st.sampled_from([MAX_STEPS]) | st.integers(10, 4_000)
"""The bound on steps: mostly the real one, or one that random programs come to."""
some_passes = st.tuples(*(st.booleans() for _ in PASSES)).map(lambda on: tuple(compress(PASSES, on)))
some_features = st.builds(Features, **{name: st.booleans() for name in Features.__struct_fields__})


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
@given(text=programs(), seed=st.integers(0, 999), seats=st.integers(2, 3), steps=some_steps, chosen=SETTINGS)
def test_both_backends_agree_on_random_programs(
    text: str, seed: int, seats: int, steps: int, chosen: dict[str, str | int]
) -> None:
    ruleset = with_rules(text)
    names = ["ann", "bob", "cid"][:seats]
    rng = random.Random(seed)
    for values, plies in (chosen, 12), ({}, 4):  # another number is another program
        fast = Game(ruleset, names, values, lambda r, n, o: PythonBackend(lower(r, n, o), steps=steps))
        plain = Game(ruleset, names, values, lambda r, n, o: Interpreter(lower(r, n, o), steps=steps))
        hashes = agree(fast, plain, rng.randrange, plies)
        take_back(fast, hashes)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
@given(text=programs(), seed=st.integers(0, 999), steps=some_steps, features=some_features, chosen=SETTINGS)
def test_random_programs_mean_the_same_made_on_demand(
    text: str, seed: int, steps: int, features: Features, chosen: dict[str, str | int]
) -> None:
    ruleset, names = with_rules(text), ["ann", "bob", "cid"]
    quick = Game(ruleset, names, chosen, lambda r, n, o: OnDemandBackend(lower(r, n, o), features, steps))
    plain = Game(ruleset, names, chosen, lambda r, n, o: Interpreter(lower(r, n, o), steps=steps))
    hashes = agree(quick, plain, random.Random(seed).randrange, 12)
    take_back(quick, hashes)


@pytest.mark.proof  # of shipped rulesets `test_shipped.py` tries each overlay, too
@pytest.mark.parametrize("folder", EVERY, ids=[f.name for f in EVERY])
def test_both_backends_agree_on_every_ruleset(folder: Path) -> None:
    ruleset = load_ruleset(str(folder))
    low, high = ruleset.players
    for seats in {low, high}:
        rng = random.Random(seats)
        names = [f"P{i}" for i in range(seats)]
        fast, plain = Game(ruleset, names), Game(ruleset, names, backend="interpreter")
        clone = fast.copy()
        hashes = agree(fast, plain, rng.randrange, 40)
        assert clone.ply == 0 and clone.hash == hashes[0]
        assert hashes[0] == Game(load_ruleset(str(folder)), names).hash
        take_back(fast, hashes)


@pytest.mark.parametrize("folder", EVERY, ids=lambda p: p.name)
@pytest.mark.sampled(7)
def test_the_hash_is_that_of_the_cells_whoever_asked_before(folder: Path) -> None:
    ruleset, rng = load_ruleset(str(folder)), random.Random(folder.name)
    games = [Game(ruleset, [f"P{i}" for i in range(ruleset.players[1])])]
    for _ in range(400):
        game = rng.choice(games)
        listed = list(every_option(game))
        assert list(game.legal_options) == [option for option in listed if not option.interrupt]
        if game.ply and (not listed or rng.random() < 0.3):
            game.undo()
        elif listed:
            game.apply(rng.choice(listed))
        if rng.random() < 0.1:
            games = [*games[-3:], game.copy()]
        if rng.random() < 0.4:
            assert game.hash == plain_hash(game)


@pytest.mark.parametrize("lets", [40, 120], ids=["variables", "variables in cells"])
def test_the_source_does_not_grow_out_of_bounds(lets: int) -> None:
    """Each block after a call may be where a game goes on; what follows is not copied for each of them."""
    rules = ["procedure wait(p: player):", "    decide d by p:", "        option o:", "            set n to n + 1"]
    for k in range(4):
        rules += [f"procedure q{k}(p: player):", *(f"    let a{i} = n + {i}" for i in range(lets))]
        rules += [*["    wait(p)"] * 140, f"    set m to a{lets - 1}"]
    rules += ["procedure play():", "    for p in player:", *(f"        q{k}(p)" for k in range(4))]
    ruleset = with_rules("\n".join([*rules, "invariant i:", "    m >= 0", ""]))
    fast, plain = Game(ruleset, ["ann", "bob"]), Game(ruleset, ["ann", "bob"], backend="interpreter")
    machine = fast.omniscient.numbers.machine
    assert isinstance(machine, PythonBackend)
    assert machine.source.count("\n") < 60 * len(machine.p.blocks)
    agree(fast, plain, lambda options: 0, 300)


@pytest.mark.parametrize("lets", [4, 120], ids=["variables", "variables in cells"])
def test_what_a_procedure_is_lent_is_there_when_it_has_waited(lets: int) -> None:
    """A procedure called from one place has no cells for its parameters: they are the caller's, loops' and options'."""
    rules = f"""
procedure play():
    for p in player:
        for t in town after oak:
            visit(p, t)
procedure visit(p: player, t: town):
    decide d by p:
        option go(u in town, k in 1 .. 2):
            build(p, t, u, k, k)
        option pass:
            set n to n + 1
procedure build(p: player, t: town, u: town, k: int, l: int):
    {"; ".join(f"let a{i} = n + {i}" for i in range(lets))}
    decide e by p:
        option o(v in town where v.tax >= u.tax):
            set v.mark to k + 2 * l + t.tax + a{lets - 1}
            set u.owner to p
        option once_more:
            set n to n + k
            if n < 9:
                ask again
"""
    ruleset = with_rules(rules.replace("; ", "\n    "))
    for seed in range(8):
        fast, plain = Game(ruleset, ["ann", "bob"]), Game(ruleset, ["ann", "bob"], backend="interpreter")
        take_back(fast, agree(fast, plain, random.Random(seed).randrange, 60))


def test_how_far_a_loop_is_followed_is_bounded() -> None:
    """A loop that can be left may change all that comes after it: of many loops, only the last are followed."""
    loop = ["    for t in town where t == oak:", "        set n to n + 1", "        if n > 5:", "            leave"]
    ruleset = with_rules("\n".join(["procedure play():", *loop * 200, ""]))
    p = optimized(lower(ruleset, 2, {name: o.default for name, o in ruleset.settings.items()}))
    tests = [block.exit for block in p.blocks if isinstance(block.exit, ir.Branch) and len(block.body) == 2]
    narrowed = [test.within is not None for test in tests]
    assert len(narrowed) == 200 and narrowed == sorted(narrowed) and 10 < sum(narrowed) < 100


def test_equal_options_are_not_unequal() -> None:
    game = Game(load_ruleset("tutorial"), ["A", "B"])
    one, other = (next(every_option(game)) for _ in range(2))
    assert one == other and not one != other and hash(one) == hash(other)  # noqa: SIM202 - that is the question
    assert one != list(every_option(game))[1] and one != "another thing"


def after(rules: str, *options: str) -> Game:
    game = Game(with_rules(rules), ["a", "b"])
    for option in options:
        game.apply(game.parse(option))
    return game


def test_equal_states_of_other_games_have_equal_hashes() -> None:
    """The hash is of the state alone, not of the way to it."""
    rules = """
procedure play():
    for p in player:
        decide act by p:
            option mark(t in town, k in 1 .. 2):
                set t.mark to k
            option both:
                set oak.mark to 2
"""
    one, two = after(rules, "mark(oak, 1)", "mark(oak, 2)"), after(rules, "mark(oak, 2)", "mark(oak, 2)")
    assert one.is_over and one.hash == two.hash


@pytest.mark.parametrize("way_out", ["set t.seen to true", "ask again", "leave", "deeper()"])
def test_nothing_is_left_of_an_option_that_has_been_carried_out(way_out: str) -> None:
    """Whatever leads out of it: the order in which a player has done two things does not show."""
    rules = f"""
procedure play():
    for p in player:
        repeat at most 3:
            repeat at most 8:
                decide act by p:
                    option mark(t in town, k in 1 .. 2):
                        set t.mark to k
                        {way_out}
                    option other:
                        decide which by p:
                            option see(t in town, k in 1 .. 2):
                                set t.mark to k
                                {way_out}
                            option neither:
                                leave
procedure deeper():
    set n to n + 1
"""
    one = after(rules, "mark(oak, 1)", "other", "see(elm, 2)")
    two = after(rules, "mark(elm, 2)", "other", "see(oak, 1)")
    assert (
        one.decision is not None
        and one.omniscient.numbers.cells == two.omniscient.numbers.cells
        and one.hash == two.hash
    )


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
@given(text=programs(), seed=st.integers(0, 999), passes=some_passes, features=some_features)
def test_random_programs_mean_the_same_whichever_passes_run(
    text: str, seed: int, passes: tuple[Pass, ...], features: Features
) -> None:
    """Some passes and features before the generated source, the same passes before the interpreter.

    Where conditions have become sets, that interpreter says that an argument is not in the set.
    """
    ruleset = with_rules(text)
    fast = Game(ruleset, ["ann", "bob"], backend=lambda r, n, o: PythonBackend(lower(r, n, o), passes, features))
    plain = Game(ruleset, ["ann", "bob"], backend=lambda r, n, o: Interpreter(optimized(lower(r, n, o), passes)))
    rng = random.Random(seed)
    hashes = agree(fast, plain, rng.randrange, 12, reasons=narrow not in passes)
    assert not hashes or hashes[0] == Game(ruleset, ["ann", "bob"], backend="interpreter").hash
    take_back(fast, hashes)


@pytest.mark.parametrize("at", range(len(PASSES)), ids=lambda at: f"{PASSES[at].__name__}-{at}")
def test_a_game_is_the_same_without_a_pass(at: int) -> None:
    plays_the_same(lambda r, n, o: PythonBackend(lower(r, n, o), (*PASSES[:at], *PASSES[at + 1 :])), str(at))


@pytest.mark.parametrize("name", Features.__struct_fields__)
def test_a_game_is_the_same_without_a_feature(name: str) -> None:
    features = replace(ALL_FEATURES, **{name: False})
    plays_the_same(lambda r, n, o: PythonBackend(lower(r, n, o), features=features), name)


def plays_the_same(machines: Machines, seed: str) -> None:
    """Plays a game on machines of one's own and on the default machine."""
    ruleset = load_ruleset("tutorial")
    names = ["ann", "bob", "cid"]
    game = Game(ruleset, names, backend=machines)
    hashes = agree(game, Game(ruleset, names), random.Random(seed).randrange, 150)
    take_back(game, hashes)
