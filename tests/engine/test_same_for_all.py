"""Expressions that are the same for all arguments of an option, in the current and in a hypothetical state, or for
several options.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import small
from worlds import WORLD, listed

from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend, lowered
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.program import ir
from rulespec.engine.program.option_tests import same_for_all
from rulespec.engine.program.traversal import Facts
from rulespec.engine.wasm.engine import NoWasmtimeError, wasmtime

RULES = """
procedure play():
    for p in player:
        turn(p)
    end game

procedure turn(p: player):
    decide move by p:
        option grow(t in town):
            require t not in marked(1) or (count(marked(1)) == 2 once mark(t, 1))
            mark(t, 1)
        option pair(t in town, k in 1 .. count(marked(1))):
            require count(marked(1)) == 3 and (k > count(marked(1)) once mark(t, 1))
        option rest(t in town where t not in marked(8)):
            require n == 0 or count(towns & the_only()) == 1

def marked(k: int) -> set town:
    let some = {t in town where t.mark >= k}
    {t in some where t.mark < 9 * k}

def the_only() -> set town:
    let one = the(towns)
    {t in town where t == one}

procedure mark(t: town, by: int):
    set t.mark to t.mark + by
"""


@pytest.fixture(params=["interpreter", "python", "wasm"])
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Game:
    backend: Backend = request.param
    if backend == "wasm":
        try:
            wasmtime()
        except NoWasmtimeError:
            pytest.skip("wasm needs wasmtime")
    return Game(small(tmp_path / "small", RULES + WORLD, ""), ["ann", "bob"], {}, backend)


def test_it_is_asked_anew_in_a_state_that_is_supposed(game: Game) -> None:
    game.omniscient.set_value("oak.mark", "0")
    assert listed(game) == ["grow(oak)", "grow(elm)", "pair(elm, 3)", "rest(oak)", "rest(ash)", "rest(fir)"]


def test_it_is_asked_anew_after_each_change(game: Game) -> None:
    game.omniscient.set_value("oak.mark", "0")
    before = listed(game)
    game.omniscient.set_value("ash.mark", "0")
    assert listed(game) == ["grow(oak)", "grow(ash)", "grow(fir)", "rest(oak)", "rest(ash)", "rest(fir)"]
    game.omniscient.set_value("ash.mark", "1")
    assert listed(game) == before


def test_it_is_at_fault_where_it_is_needed_and_not_before(game: Game) -> None:
    game.omniscient.set_value("n", "1")
    with pytest.raises(RulesetFaultError):
        listed(game)
    game.omniscient.set_value("towns", "{ash}")
    assert listed(game) == ["rest(oak)", "rest(ash)", "rest(fir)"]


NAMED = """
procedure play():
    decide move by first(player):
        option seek(t in town where any(u in town where u != t)):
            let k = n
            require k < 5
            require k == 0 or t == the(town)
        option reach(t in town where any(u in town where u != t), v in town where count(w in town where w != v) > 1):
            let k = n
            let every = {x in town where x.mark >= k}
            require k < 5
            require count(every) > 0
            let others = every - {t}
            require count(others) > 0
            require k == 0 and v in others
        option wait(j in 0 .. count(town) where any(u in town where u.mark < j)):
            let k = n
            require k < 5
            require j > k + 1
            require k == 0
    end game
"""


def test_what_conditions_name_outlives_what_is_asked_of_later_parameters(tmp_path: Path) -> None:
    """Conditions before the parameters name `k`; what these range over uses variables of its own."""
    results = []
    for backend in ("interpreter", "python", "wasm"):
        try:
            game = Game(small(tmp_path / backend, NAMED + WORLD, ""), ["ann", "bob"], {}, backend)
        except NoWasmtimeError:
            continue
        results.append(listed(game))
        assert [option for option in listed(game) if not game.is_legal(game.parse(option))] == []
    towns = ["oak", "elm", "ash", "fir"]
    reached = [f"reach({t}, {v})" for t in towns for v in towns if t != v]
    assert results[0] == [*(f"seek({t})" for t in towns), *reached, "wait(2)", "wait(3)", "wait(4)"]
    assert all(other == results[0] for other in results)


LOOPS = """
procedure play():
    decide move by first(player):
        option every(t in town):
            require t.tax > sum(u.mark for u in town where u.seen)
        option pair:
            require count(u in town where u.seen and u.mark > 2) > 0
            require count(u in town where u.seen and u.mark > 2) < 3 or (n > 0 once see())
            require n < 9 or (count(u in town where u.seen and u.mark > 2) == 4 once see())
        option single:
            require max(u.mark for u in town where u.seen, else 0) < 9
        option facts(t in town):
            require t.tax > count(u in town where u.tax < 5)
    end game

procedure see():
    for t in town:
        set t.seen to true
"""


def test_a_loop_over_the_state_is_shared_by_arguments_and_by_conditions(tmp_path: Path) -> None:
    p = lowered(small(tmp_path / "loops", LOOPS + WORLD), 2, {})
    (d,) = p.decisions
    shared = [e for e in same_for_all(d, d.choices, Facts(p)) if isinstance(e, ir.Fold)]
    assert [e.op for e in shared] == ["sum", "count"]


def test_a_shared_loop_is_evaluated_in_the_state_of_its_condition(tmp_path: Path) -> None:
    """`pair` counts the marked towns that are seen now, and then in a hypothetical state in which all are."""
    games = []
    for backend in ("interpreter", "python", "wasm"):
        try:
            game = Game(small(tmp_path / backend, LOOPS + WORLD, ""), ["ann", "bob"], {}, backend)
        except NoWasmtimeError:
            continue
        games.append(game)
    for n in (0, 9):
        for marks, seen, pair in ((3, 1, True), (3, 3, n > 0), (3, 4, n == 9), (1, 4, False)):
            for game in games:
                game.omniscient.set_value("n", str(n))
                for number, town in enumerate(("oak", "elm", "ash", "fir")):
                    game.omniscient.set_value(f"{town}.mark", str(marks))
                    game.omniscient.set_value(f"{town}.seen", "true" if number < seen else "false")
            assert all(listed(game) == listed(games[0]) for game in games)
            assert ("pair" in listed(games[0])) == pair, (n, marks, seen)
