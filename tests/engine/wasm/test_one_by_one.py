"""Decisions driven one by one: whatever game comes next, the memory of the machine holds its state."""

from __future__ import annotations

import random
from functools import partial

import pytest

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from agreement import EXAMPLES, outcome
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from programs import programs, with_rules

from rulespec.engine.game.game import Game
from rulespec.engine.game.legal_options import StaleOptionsError
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.numbered import legal_option
from rulespec.engine.game.option import IllegalOptionError, Option
from rulespec.engine.wasm.backend import WasmBackend
from rulespec.load import load_ruleset

BACKENDS: tuple[Backend, ...] = ("wasm", "python")


@pytest.mark.proof  # 0.4 s
@pytest.mark.parametrize("ref", ["tutorial", "chess", "tetrarchia"])
@pytest.mark.sampled(1)
def test_games_on_one_machine_do_not_disturb_one_another(ref: str) -> None:
    ruleset, rng = load_ruleset(ref), random.Random(1)
    names = [f"P{i}" for i in range(ruleset.players[1])]
    pairs = [(Game(ruleset, names, backend="wasm"), Game(ruleset, names)) for _ in range(3)]
    for _ in range(150):
        at = rng.randrange(len(pairs))
        fast, plain = pairs[at]
        if rng.random() < 0.1:
            pairs[rng.randrange(len(pairs))] = fast.copy(), plain.copy()
        elif fast.ply and rng.random() < 0.2:
            for _ in range(1 + fast.ply // 3):
                assert fast.undo() == plain.undo()
        elif not plain.is_over:
            options = [str(option) for option in plain.legal_options]
            assert [str(option) for option in fast.legal_options] == options
            assert [str(option) for option in fast.interrupts] == [str(option) for option in plain.interrupts]
            if rng.random() < 0.5:
                assert fast.decision == plain.decision
            number = rng.randrange(len(options))
            option = plain.legal_options[number]
            again = legal_option(fast, option.kind.choice, option.args)
            assert again is not None
            assert (str(again), again.by) == (str(option), option.by)
            for game in (fast, plain):
                game.apply(game.legal_options[number])
        if rng.random() < 0.3:
            assert (
                tuple(fast.omniscient.numbers.looked_up[: len(plain.omniscient.numbers.cells)])
                == plain.omniscient.numbers.cells
            )
        if rng.random() < 0.3:  # what nobody looks at is left behind
            assert (fast.hash, fast.omniscient.numbers.cells) == (plain.hash, plain.omniscient.numbers.cells)
    for fast, plain in pairs:
        assert (fast.hash, fast.omniscient.numbers.cells) == (plain.hash, plain.omniscient.numbers.cells)
    machine = pairs[0][0].omniscient.numbers.machine
    assert isinstance(machine, WasmBackend)
    assert machine.given_back == 0


@settings(max_examples=max(1, EXAMPLES // 2), deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
@given(text=programs(), seed=st.integers(0, 999))
@pytest.mark.proof
def test_what_nobody_has_looked_at_is_the_same_when_somebody_does(text: str, seed: int) -> None:
    """Also after a decision that is at fault: Python carries it out, from the state before it."""
    ruleset, rng = with_rules(text), random.Random(seed)
    fast, plain = (Game(ruleset, ["ann", "bob"], backend=backend) for backend in BACKENDS)
    begun = outcome(lambda: plain.is_over)
    assert outcome(lambda: fast.is_over) == begun
    assume(begun is False)
    for _ in range(12):
        listed = outcome(lambda: [str(option) for option in plain.legal_options])
        assert outcome(lambda: [str(option) for option in fast.legal_options]) == listed
        if not isinstance(listed, list) or not listed:
            break
        number = rng.randrange(len(listed))
        applied = [outcome(partial(game.apply, game.legal_options[number])) for game in (fast, plain)]
        assert applied[0] == applied[1]
        if not isinstance(applied[0], Option):
            break
    back = rng.randrange(1 + plain.ply)
    for _ in range(back):
        assert fast.undo() == plain.undo()
    assert (fast.omniscient.numbers.cells, fast.hash) == (plain.omniscient.numbers.cells, plain.hash)


def test_a_state_that_is_a_plain_list_is_carried_out_too() -> None:
    ruleset = load_ruleset("nim")
    game = Game(ruleset, ["A", "B"], backend="wasm")
    machine, state = game.omniscient.numbers.machine, list(game.omniscient.numbers.state)
    option = game.legal_options[1]
    machine.run(state, option.kind.block, option.args)
    assert [each[1] for each in machine.own(state, machine.asked[state[0]])]
    game.apply(option)
    assert tuple(state[: len(game.omniscient.numbers.cells)]) == game.omniscient.numbers.cells


@pytest.mark.proof
def test_cells_that_are_written_from_outside_count() -> None:
    ruleset = load_ruleset("tutorial")
    fast, plain = (Game(ruleset, ["A", "B"], {"gifts": "off"}, backend=b) for b in ("wasm", "python"))
    for game in (fast, plain):
        for text in ("card(reed)", "card(stone)"):
            game.apply(game.parse(text))
        list(game.legal_options)
        at = next(i for i, c in enumerate(game.omniscient.numbers.program.cells) if c.name == "cash")
        game._position.write({at: 0})
        list(game.legal_options)
        game.apply(game.legal_options[0])
    assert [str(o) for o in fast.legal_options] == [str(o) for o in plain.legal_options]
    assert fast.omniscient.numbers.cells == plain.omniscient.numbers.cells


@pytest.mark.proof
def test_options_that_are_the_same_wherever_they_are_legal_are_refused_where_they_are_not() -> None:
    ruleset, rng = load_ruleset("tutorial"), random.Random(2)
    fast, plain = (Game(ruleset, ["A", "B"], backend=b) for b in ("wasm", "python"))
    known: dict[tuple[str | None, str], Option] = {}
    refused = taken = 0
    while not plain.is_over and plain.ply < 200:
        legal = {str(option) for option in plain.legal_options}
        decision = fast.decision
        assert decision is not None
        rest = [one for one in known.values() if (one.decision, one.by) == (decision.name, decision.by)]
        for option in rng.sample(rest, min(5, len(rest))):
            assert fast.is_legal(option) == (str(option) in legal)
            if str(option) not in legal:
                with pytest.raises(IllegalOptionError):
                    fast.apply(option)
                refused += 1
        listed = fast.legal_options if rng.random() < 0.5 else ()
        known |= {(option.by, str(option)): option for option in listed}
        again = [option for option in rest if str(option) in legal]
        option = rng.choice(again or list(fast.legal_options))
        taken += bool(again)
        fast.apply(option)
        plain.apply(plain.parse(str(option)))
        assert fast.omniscient.numbers.cells == plain.omniscient.numbers.cells
        assert fast.history[-1].by == plain.history[-1].by
    assert refused > 20
    assert taken > 20


def test_lists_of_options_are_shared_by_games_of_the_same_players_only() -> None:
    ruleset = load_ruleset("nim")
    one, same, others = (Game(ruleset, names, backend="wasm") for names in (["A", "B"], ["A", "B"], ["C", "D"]))
    assert one.legal_options[0] is same.legal_options[0]
    assert [option.by for option in others.legal_options] == ["C"] * len(others.legal_options)
    options = one.legal_options
    assert options[:2] == list(options)[:2]
    assert len(options) == len(list(options)) > 2
    first = options[0]
    one.apply(first)
    assert [str(option) for option in options] == [str(option) for option in others.legal_options]  # as they were
    stale = same.legal_options
    same.apply(first)
    with pytest.raises(StaleOptionsError):
        len(stale)
    assert one.hash == same.hash
