"""Paths as parameters: listed in a fixed order, tested in steps proportional to length, drawn, iterated, and logged."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from cases import small, split, write
from folders import RULESETS
from machines_alike import MACHINES, Length, Table, beside_the_interpreter, needs_wasm
from proofs import examples
from worlds import WORLD, Play, listed, take

from rulespec.engine.game.game import Game
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import IllegalOptionError, UnlistedOptionsError
from rulespec.engine.game.secrets import UNKNOWN
from rulespec.engine.game.wasm_export import exported
from rulespec.engine.logs.log_file import write_log
from rulespec.engine.program.draws import Draws
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.replay.replay import replay_log
from rulespec.engine.simulate.checked_playouts import play_out
from rulespec.engine.why.why import LEGAL, Why
from rulespec.load import load_ruleset

COURIER = load_ruleset(str(RULESETS / "courier"))

RULES = """
def length(way: path town) -> int: count(way) - 1
procedure visit(way: path town):
    for t in way:
        set t.mark to 10 * t.mark + 1
procedure play():
    for p in player:
        decide move by p:
            option go(way in path(x from {oak, fir} to y in x.near | {t in town where t == x.twin} once y within 3)):
                visit(way)
                for x to y in way where x != elm:
                    set n to 100 * n + x.tax + y.tax
                set towns to way
            option run(way in path(x from {oak} to y in town where y != x once x within 2 until none)
                       where last(way) != oak "P-1: not back home"):
                set n to length(way) + first(way).tax + sum(y.tax for x to y in way)
                set towns to {y for x to y in way where x == oak}
            option pay_way(way in path(x from town to y in x.near counts y.tax within few + 8)):
                require count(x to y in way) < 3 "P-2: too far"
                set n to sum(t.tax for t in way)
                set towns to union({x, y} for x to y in way)
    end game as done
"""


def test_one_option_for_each_in_the_order_of_its_steps(play: Play) -> None:
    game = play(RULES + WORLD)
    assert listed(game) == [
        *("go([oak, elm])", "go([oak, elm, ash])", "go([oak, ash])"),
        *("run([oak, elm, ash])", "run([oak, elm, fir])", "run([oak, ash, elm])"),
        *("run([oak, ash, fir])", "run([oak, fir, elm])", "run([oak, fir, ash])"),
        *("pay_way([oak, elm])", "pay_way([elm, ash])"),
    ]
    assert game.legal_options[0].arguments == {"way": "[oak, elm]"}
    assert game.parse("go([oak, ash])").parts == [("town", "oak"), ("town", "ash")]


def test_an_option_says_why_it_is_refused(play: Play) -> None:
    game = play(RULES + WORLD)
    steps = "a path has at least one step, and at most 64 stops (way = "
    for text, reason in (
        ("run([oak, elm, oak])", "P-1: not back home"),
        ("go([oak, fir])", "no step leads from `oak` to `fir` (way = [oak, fir])"),
        ("go([elm, ash])", "no path begins at `elm`"),
        ("go([oak])", f"{steps}[oak])"),
        ("go([oak, elm, ash, oak])", "no step leads from `ash` to `oak`"),
        ("run([oak, elm])", "the path does not end at `elm`: it goes on to `oak`, `ash`, `fir`"),
        ("run([oak, elm, oak, ash])", "the step from `oak` to `ash` uses `oak` again"),
        ("pay_way([oak, elm, ash])", "the step from `elm` to `ash` counts 7, but only 3 are left"),
        ("go([])", f"{steps}[])"),
    ):
        assert reason in str(game.why_not(game.parse(text))), text
        with pytest.raises(IllegalOptionError, match="not legal"):
            game.apply(game.parse(text))


def test_what_is_no_path_has_its_reason_in_why_too() -> None:
    game, draws, reasons = Game(COURIER, ["A", "B"]), random.Random(2), set[str]()
    take(game, "home(north)", "home(south)")
    names = ("north", "east", "south", "west", "middle")
    for _ in range(40):
        stops = ", ".join(["north", *(draws.choice(names) for _ in range(draws.randint(0, 4)))])
        option = game.parse(f"{draws.choice(('ride', 'round_trip'))}([{stops}])")
        refusal, answer = game.why_not(option), Why(game, OMNISCIENT).option(str(option))
        assert game.is_legal(option) is (refusal is None) is (answer.verdict == LEGAL)
        assert refusal is None or answer.reason == refusal.reason
        reasons.add(re.sub("`.*`", "", answer.reason))
    assert len(reasons) == 7, reasons


HIDDEN = """
procedure play():
    decide move by first(player):
        option go(way in path(x from {oak} to y in x.near where second(player).secret < y.tax within 3)): pass
        option stay: pass
    end game

def second(s: set player) -> player: the(s - {first(s)})
"""


def test_a_step_that_depends_on_a_secret_tells_nothing(play: Play) -> None:
    game = play(HIDDEN + WORLD)
    answer = Why(game, "ann").option("go([oak, fir])")
    assert (answer.verdict, answer.reason) == (UNKNOWN, "")
    assert Why(game, "bob").option("go([oak, fir])").reason == "no step leads from `oak` to `fir`"


def test_texts_name_the_stops(play: Play) -> None:
    game = play(RULES + WORLD)
    assert str(game.parse("go( [oak,elm , ash] )")) == "go([oak, elm, ash])"
    for text, note in (
        ("go(oak)", "not a path"),
        ("go({oak, elm})", "not a path"),
        ("go([oak, elk])", "no town `elk`"),
        ("go([oak, elm)", "not a path"),
        ("go([oak, elm], oak)", "takes"),
        (f"go([{', '.join(['oak'] * 65)}])", "at most 64"),
    ):
        with pytest.raises(ValueError, match=note):
            game.parse(text)


def test_a_path_is_gone_along_in_its_order_and_taken_back(play: Play) -> None:
    game = play(RULES + WORLD)
    before = game.hash
    take(game, "go([oak, elm, ash])")
    assert [game.omniscient.value(text) for text in ("n", "towns", "oak.mark", "fir.mark")] == [
        *("8", "{oak, elm, ash}", "11", "1")
    ]
    take(game, "run([oak, ash, fir])")
    assert [game.omniscient.value(text) for text in ("n", "towns")] == ["21", "{ash}"]
    game.undo()
    take(game, "pay_way([elm, ash])")
    assert [game.omniscient.value(text) for text in ("n", "towns")] == ["12", "{elm, ash}"]
    game.undo()
    game.undo()
    assert game.hash == before


@pytest.mark.parametrize("machine", MACHINES)
def test_two_options_have_the_same_paths(machine: str, tmp_path: Path) -> None:
    """A domain that depends on the state is not a value that the options could share."""
    domain = "way in path(x from town to y in {t in town where t.mark < 200} once y within 2)"
    options = "".join(f"            option {name}({domain}):\n                visit(way)\n" for name in ("go", "fly"))
    rules = RULES[: RULES.index("            option go")] + options
    ruleset = small(tmp_path / "small", rules + "    end game as done\n" + WORLD)
    beside_the_interpreter(machine, Table(ruleset, 2), Length(6, 2), random.Random(1))


@pytest.mark.parametrize("machine", MACHINES)
def test_whole_games_are_the_same(machine: str) -> None:
    for seed in range(examples(1, 2)):
        beside_the_interpreter(machine, Table(COURIER, 3), Length(14, 5), random.Random(f"{machine} {seed}"))


def test_a_private_path_stays_so() -> None:
    game = Game(COURIER, ["A", "B"])
    take(game, "home(north)", "home(south)", "round_trip([north, east, south, west, north])")
    assert "round_trip([north" in str(game.view("A").history[-1])
    assert "round_trip(?)" in str(game.view("B").history[-1])


def test_games_are_logged_and_read_again(tmp_path: Path) -> None:
    game = Game(COURIER, ["A", "B"])
    play_out(game, 4, 2)
    write_log(tmp_path / "game.jsonl", game)
    assert "([" in (tmp_path / "game.jsonl").read_text("utf-8")
    assert replay_log(str(tmp_path / "game.jsonl")).game.hash == game.hash


MANY = """
procedure play():
    decide move by first(player):
        option tour(way in path(x from town to y in town where x != y once y within 5)): set towns to way
        option stay: pass
    end game
--- kinds.yaml
kinds:
  town: {entities: {TOWNS}}
  player: {}
state: {towns: {type: set town}}
"""


@pytest.mark.parametrize("size", [20, pytest.param(300, marks=pytest.mark.proof)])  # 1.5 s
def test_too_many_are_tested_and_drawn_without_listing(play: Play, size: int) -> None:
    game = play(MANY.replace("TOWNS", ", ".join(f"t{n}: {{}}" for n in range(size))))
    with pytest.raises(UnlistedOptionsError, match="more than 10,000 paths") as caught:
        len(game.legal_options)
    assert caught.value.diagnostic.code == "RS418"
    assert game.legal_options.unlisted == 10_001
    assert game.is_legal(game.parse("tour([t9, t3, t12, t1])")) and not game.is_legal(game.parse("tour([t9, t3, t9])"))
    drawn = {str(game.drawn(Draws(7, n).tries(1))) for n in range(40)}
    assert len(drawn) > 35 and all(game.is_legal(game.parse(text)) for text in drawn)
    last = f"tour([t0, t{size - 1}])"
    take(game, last)
    assert str(game.history[-1]) == last


def test_a_given_path_is_tested_in_steps_of_its_length(tmp_path: Path) -> None:
    rules = MANY.replace("TOWNS", ", ".join(f"t{n}: {{}}" for n in range(60))).replace("within 5", "within 63")
    ruleset = load_ruleset(str(write(tmp_path / "many", split(rules, "rules/play.rules"))))
    game = Game(ruleset, ["A", "B"], backend="interpreter")
    machine = game.omniscient.numbers.machine
    assert isinstance(machine, Interpreter)
    steps = []
    for length in (10, 20, 40):
        option = game.parse(f"tour([{', '.join(f't{n}' for n in range(length))}])")
        before = machine.left
        assert game.is_legal(option)
        steps.append(before - machine.left)
    assert steps[1] - steps[0] == pytest.approx((steps[2] - steps[1]) / 2, rel=0.1)


def test_a_path_of_as_many_stops_as_there_may_be(play: Play) -> None:
    rules = """
procedure play():
    decide move by first(player):
        option go(way in path(x from {oak} to y in {oak} within 63 until none)): set n to count(way)
        option back(way in path(x from {oak} to y in {oak} counts few within 0)): set n to count(way)
        option none_of_them(way in path(x from {oak} to y in {oak} counts -1 within 5)): set n to 1
        option hop(way in path(x from {oak} to y in {oak} counts 3 within 6)): set n to 1
    end game
"""
    game = play(rules + WORLD)
    names = listed(game)
    assert names[0] == f"go([{', '.join(['oak'] * 64)}])" and names[-2:] == ["hop([oak, oak])", "hop([oak, oak, oak])"]
    assert len([name for name in names if name.startswith("back")]) == 63 and len(names) == 1 + 63 + 2
    take(game, names[63])
    assert game.omniscient.value("n") == "64"


FORMS = """
--- game.yaml
id: small
title: Named after forms
version: "1.0"
players: {kind: player, min: 2, max: 2}
start: play
--- kinds.yaml
kinds:
  KIND: {entities: {one: {}, two: {}}, state: {taken: {type: bool}}, places: {box: {}, out: {}}}
  player: {}
--- rules/play.rules
procedure play():
    for p in player:
        decide act by p:
            option pick(x in KIND where not x.taken):
                set x.taken to true
                move x to out
    end game
"""


@pytest.mark.parametrize("kind", ["path", "bag", "order"])
def test_a_kind_may_have_the_name_of_a_form(kind: str, tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", FORMS.replace("KIND", kind))
    game = Game(ruleset, ["A", "B"])
    option = game.apply(game.parse("pick(two)"))
    assert option.parts == [(kind, "two")] and list(map(str, game.legal_options)) == ["pick(one)"]
    assert game.omniscient.value(f"count(x in {kind} where x in out)") == "1"


@needs_wasm
@pytest.mark.parametrize("kind", ["path", "bag", "order"])
def test_a_kind_with_the_name_of_a_form_is_exported(kind: str, tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", FORMS.replace("KIND", kind))
    assert exported(Game(ruleset, ["A", "B"]))
    assert Game(ruleset, ["A", "B"], backend="wasm").hash == Game(ruleset, ["A", "B"]).hash
