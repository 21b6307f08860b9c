"""The generated source: hashes, sizes, and what procedures and options leave behind."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import msgspec
import pytest
from agreement import EVERY, agree, plain_hash, take_back
from programs import with_rules

from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.lower.lowering import lower
from rulespec.engine.passes.pipeline import optimized
from rulespec.engine.program import ir
from rulespec.engine.python.backend import PythonBackend
from rulespec.load import load_ruleset


@pytest.mark.parametrize("folder", EVERY, ids=lambda p: p.name)
@pytest.mark.sampled(4)
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


@pytest.mark.proof  # 0.6 s
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


@pytest.mark.parametrize("lets", [4, 120], ids=["variables", "variables in cells"])
def test_a_member_that_is_lent_is_known_to_the_procedure(lets: int) -> None:
    """A parameter shared by a procedure with variables, one with too many for that, and the loop that calls both."""
    rules = ["procedure mark(p: player):", "    for c in cask[p]:", "        set c.sealed to not c.sealed"]
    rules += ["procedure wide(p: player):", *(f"    let a{i} = n + {i}" for i in range(lets))]
    rules += ["    decide d by p:", "        option o:", f"            set n to n + a{lets - 1} % 2"]
    rules += [*(f"    set m to m + a{i} % 2" for i in range(lets)), "procedure play():", "    repeat at most 3:"]
    rules += ["        for p in player after south:", "            mark(p)", "            wide(p)", ""]
    ruleset = with_rules("\n".join(rules))
    fast, plain = (Game(ruleset, ["ann", "bob", "cleo"], backend=backend) for backend in ("python", "interpreter"))
    agree(fast, plain, lambda options: 0, 20)


@pytest.mark.proof  # 0.2 s
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


CODE = "__import__('os').system('id')"


@pytest.mark.parametrize("number", [CODE, "1", 1.5, None])
@pytest.mark.sampled(2)
def test_only_integers_are_written_into_source(number: Any) -> None:
    program = lower(load_ruleset("tutorial"), 2, {})
    for part in (
        ir.Const(number),
        ir.Cell(number, ir.Const(0), 1),
        ir.Local(number),
        ir.Row(number, ir.Local(0)),
        ir.Lookup(number, ir.Local(0), 0),
        ir.Op("/", (ir.Local(0), ir.Local(1)), number),
        ir.Call(number, ()),
    ):
        broken = msgspec.structs.replace(program, functions=(ir.Function("f", 1, (), part), *program.functions))
        with pytest.raises((ValueError, TypeError)):
            PythonBackend(broken, passes=())


def test_only_known_operators_are_written_into_source() -> None:
    program = lower(load_ruleset("tutorial"), 2, {})
    for part in (ir.Op(f"+ {CODE} +", (ir.Local(0), ir.Local(0))), ir.Logic(f"or {CODE} or", (ir.Local(0),) * 2)):
        broken = msgspec.structs.replace(program, functions=(ir.Function("f", 1, (), part), *program.functions))
        with pytest.raises(KeyError):
            PythonBackend(broken, passes=())
