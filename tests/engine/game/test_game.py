"""The interface of a game: legal options as a sequence, interrupts apart, copies, and the door of the package."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest
from cases import small
from folders import RULESETS
from worlds import WORLD, Play

import rulespec
from rulespec import Game, IllegalOptionError, RulespecError, load_ruleset
from rulespec.engine.game.legal_options import StaleOptionsError
from rulespec.engine.game.machines import Backend


@pytest.fixture
def nim() -> Game:
    return Game(load_ruleset(str(RULESETS / "nim")), ["Ann", "Bob"])


@pytest.fixture
def imperial() -> Game:
    """A game in which money may be given out of turn."""
    game = Game(load_ruleset("imperial"), ["Ann", "Bob", "Cid"])
    while not game.interrupts:
        game.apply(game.legal_options[0])
    return game


def test_legal_options_are_a_sequence(nim: Game) -> None:
    options = nim.legal_options
    assert options and len(options) == len(list(options)) == len(list(options)) > 1
    assert options[0] in options and options[-1] == list(options)[-1]
    assert options[:2] == [options[0], options[1]]
    assert all(nim.is_legal(option) for option in options)
    assert str(options[0]) in repr(options)


def test_nothing_is_listed_twice_or_differently(imperial: Game) -> None:
    listed_one_by_one, listed_at_once = imperial.legal_options, imperial.legal_options
    one_by_one = list(iter(listed_one_by_one))
    assert len(listed_at_once) == len(one_by_one)
    assert [*listed_at_once] == one_by_one == [listed_at_once[i] for i in range(len(listed_at_once))]
    assert [option.by for option in listed_at_once] == [option.by for option in one_by_one]


def test_a_list_of_all_options_asks_the_machine_once(nim: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = nim.omniscient.numbers.machine
    asked = Mock(wraps=machine.own)
    monkeypatch.setattr(machine, "own", asked)
    assert len(list(nim.legal_options)) > 1
    assert asked.call_count == 1


def test_interrupts_stand_apart(imperial: Game) -> None:
    assert not any(option.interrupt for option in imperial.legal_options)
    assert all(option.interrupt and option.by is not None for option in imperial.interrupts)
    source = imperial.interrupts[0]
    assert source in imperial.interrupts and source not in imperial.legal_options
    own = imperial.legal_options[0]
    assert own in imperial.legal_options and own not in imperial.interrupts


def test_an_option_that_is_not_legal_is_not_among_them(nim: Game) -> None:
    refused = nim.parse("take(9)")
    assert refused not in nim.legal_options and nim.why_not(refused) is not None
    before = nim.hash
    with pytest.raises(IllegalOptionError):
        nim.apply(refused)
    assert nim.hash == before and "take" not in nim.legal_options


def test_options_of_a_position_that_is_past_are_not_listed(nim: Game) -> None:
    unlisted, listed = nim.legal_options, nim.legal_options
    known = list(listed[:])
    nim.apply(known[0])
    for ask in (lambda: len(unlisted), lambda: list(unlisted), lambda: known[0] in unlisted):
        with pytest.raises(StaleOptionsError):
            ask()
    assert list(listed) == known


FILLING = """
procedure play():
    repeat at most 9:
        for p in player:
            decide fill by p:
                option put(k in 1 .. 3):
                    require n + k <= 5      "S-01: it is full"
                    set n to n + k
                option empty: set n to 0
    end game
"""


@pytest.mark.parametrize("backend", ["python", "interpreter", "wasm"])
def test_options_are_tried_one_by_one_and_taken_back(backend: Backend, tmp_path: Path) -> None:
    if backend == "wasm":
        pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")
    game = Game(small(tmp_path / "small", FILLING + WORLD), ["Ann", "Bob"], backend=backend)
    game.apply(game.legal_options[1])
    rest, tried = [], []
    for option in game.legal_options:
        game.apply(option)
        tried.append(str(option))
        rest.append(game.copy())  # from here on the copy has the state in which the list was begun
        game.apply(game.legal_options[0])
        game.undo()
        game.undo()
    assert tried == ["put(1)", "put(2)", "put(3)", "empty"] == [str(one.history[-1]) for one in rest]


@pytest.mark.parametrize("back", [0, 2])
def test_options_of_another_position_are_not_listed_on(nim: Game, back: int) -> None:
    nim.apply(nim.legal_options[0])
    others = iter(nim.legal_options)
    nim.apply(next(others))
    for _ in range(back):
        nim.undo()
    if back:
        nim.apply(nim.legal_options[1])  # as many decisions as before, and others
    with pytest.raises(StaleOptionsError):
        next(others)


def test_a_game_that_is_over_has_none(nim: Game) -> None:
    while not nim.is_over:
        nim.apply(nim.legal_options[0])
    assert not nim.legal_options and not nim.interrupts and len(nim.legal_options) == 0
    assert nim.decision is None and nim.result is not None and nim.result.ending in repr(nim)


def test_a_copy_goes_its_own_way(nim: Game) -> None:
    nim.apply(nim.legal_options[0])
    twin, stood = nim.copy(), (nim.hash, nim.ply)
    twin.apply(twin.legal_options[0])
    assert (nim.hash, nim.ply) == stood and twin.ply == 2
    twin.undo()
    assert (twin.hash, twin.history) == (nim.hash, nim.history)


def test_what_a_set_up_gives_is_there_before_the_first_rule_runs(play: Play) -> None:
    game = play("procedure play():\n    set m to n\n    end game\n" + WORLD)
    game.omniscient.set_value("n", "5")
    assert game.omniscient.value("m") == "5"


@pytest.mark.parametrize("name", rulespec.__all__)
def test_the_door_opens_to_every_name(name: str) -> None:
    result = getattr(rulespec, name)
    assert result.__name__ == name and name in dir(rulespec)


def test_errors_have_one_root() -> None:
    errors = [getattr(rulespec, name) for name in rulespec.__all__ if name.endswith("Error")]
    assert len(errors) == 5 and all(issubclass(error, RulespecError) for error in errors)


def test_the_door_has_no_other_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Gaem'"):
        _ = rulespec.Gaem
