"""Invariants that are looked at again only where something has changed find what all of them would find."""

from __future__ import annotations

import random

import pytest
from agreement import EXAMPLES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from programs import programs, with_rules

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.lower.lowering import lower
from rulespec.engine.passes.invariants import Invariants
from rulespec.engine.program import ir
from rulespec.engine.program.cells import State
from rulespec.engine.program.domains import members
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.python.backend import PythonBackend
from rulespec.load import load_ruleset

SHIPPED = ["imperial", "imperial_2030", "imperial_asia", "tutorial", "imperial+playimperial"]
SEATS = ("Ann", "Bob", "Cid")


def machine(game: Game) -> PythonBackend:
    assert isinstance(game.omniscient.numbers.machine, PythonBackend)
    return game.omniscient.numbers.machine


def holding(invariants: Invariants, state: State) -> set[tuple[int, int]]:
    """The invariants that hold, as numbers with one of their members; nothing where the rules are at fault."""
    results = set()
    for number, whole in invariants.members.items():
        if holds(invariants, number, state, whole):
            results |= {(number, member) for member in members(whole, 0)}
            continue
        results |= {(number, member) for member in members(whole, 0) if holds(invariants, number, state, 1 << member)}
    return results


def holds(invariants: Invariants, number: int, state: State, asked: int) -> bool:
    try:
        return bool(invariants.holds[number](state, asked))
    except ProgramFaultError:
        return False


def cell(game: Game, group: str, owner: str, name: str, place: str = "", index: str = "") -> int:
    """The number of a cell."""
    for at, c in enumerate(game.omniscient.numbers.program.cells):
        where = game.omniscient.labels.names[c.index_kind][c.index] if c.index_kind else ""
        if (c.group, c.owner, c.name, c.place, where) == (group, owner, name, place, index):
            return at
    raise LookupError(name)


def asked(game: Game, at: int) -> dict[str, int]:
    """The number of members that are asked when a cell changes, by the names of the invariants."""
    invariants = machine(game).invariants
    readers, _ = invariants.readers
    return {game.omniscient.numbers.program.invariants[n].name: mask.bit_count() for n, mask in readers.get(at, ())}


@pytest.mark.parametrize("ref", SHIPPED)
@pytest.mark.sampled(1)
def test_a_member_is_asked_again_if_any_cell_matters_to_it(ref: str) -> None:
    """Single cells of positions get a value that they once had, or one more: what does not hold then is asked."""
    game, rng = Game(load_ruleset(ref), SEATS), random.Random(ref)
    invariants = machine(game).invariants
    readers, always = invariants.readers
    assert not always
    had: list[set[int]] = [{value} for value in game.omniscient.numbers.cells]
    changed = 0
    while not game.is_over and game.ply < 300:
        game.apply(rng.choice(game.legal_options))
        for at, value in enumerate(game.omniscient.numbers.cells):
            had[at].add(value)
        if game.ply % 10:
            continue
        held = holding(invariants, game.omniscient.numbers.state)
        for at in rng.sample(range(3, len(game.omniscient.numbers.cells)), 25):
            state = list(game.omniscient.numbers.state)
            machine(game).write(state, {at: rng.choice([*had[at], game.omniscient.numbers.state[at] + 1])})
            lost = held - holding(invariants, state)
            noted = dict(readers.get(at, ()))
            assert all(noted.get(number, 0) >> member & 1 for number, member in lost)
            changed += bool(lost)
    assert changed > 20


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
@given(text=programs(), seed=st.integers(0, 999))
@pytest.mark.proof
def test_what_a_decision_breaks_is_found_by_what_it_has_written(text: str, seed: int) -> None:
    game, rng = Game(with_rules(text), SEATS), random.Random(seed)
    for _ in range(12):
        try:
            if game.is_over or not (options := game.legal_options):
                return
            held = holding(machine(game).invariants, game.omniscient.numbers.state)
            game.apply(rng.choice(options))
        except RulesetFaultError:
            return
        lost = {number for number, _ in held - holding(machine(game).invariants, game.omniscient.numbers.state)}
        try:
            again = machine(game).broken(game.omniscient.numbers.state, [game.omniscient.numbers.steps[-1].journal])
        except ProgramFaultError:
            continue  # one that did not hold before
        assert lost <= set(again)
        invariants = machine(game).invariants
        assert not any(
            holds(invariants, number, game.omniscient.numbers.state, invariants.members[number]) for number in again
        )


def test_a_decision_asks_few_members() -> None:
    game = Game(load_ruleset("imperial"), SEATS)
    army = asked(game, cell(game, "pieces", "france", "army", "at", "paris"))
    assert army["armies_are_complete"] == army["armies_on_land"] == army["no_more_unmoved_than_there_are"] == 1
    assert "money_is_conserved" not in army and "fleets_are_complete" not in army
    assert asked(game, cell(game, "nation", "france", "treasury"))["money_is_conserved"] == 1


@pytest.mark.proof  # 0.4 s
def test_what_would_take_too_long_to_tell_is_always_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulespec.engine.passes.invariants.MAX_LOOKED", 400)
    ruleset = load_ruleset("tutorial")
    p = lower(ruleset, 3, Game(ruleset, SEATS).settings)
    invariants = PythonBackend(p).invariants
    readers, always = invariants.readers
    named = {number for result in readers.values() for number, _ in result}
    assert 0 in named and always and named | set(always) == set(invariants.members) and not named & set(always)


def test_an_invariant_is_asked_until_a_member_decides() -> None:
    """As everywhere: a member after the one that does not hold is not asked, whatever fault it would be."""
    divisor = ir.Op("-", (ir.Cell(3, ir.Local(0), 3), ir.Const(1)))
    positive = ir.Op(">", (ir.Op("/", (ir.Const(10), divisor), 5), ir.Const(0)))
    rule = ir.Fold("all", 0, ir.Const(0b111), None, None, positive, None)
    condition = ir.Condition(rule, "", "", (), Span("rules", 1, 1, 1, 1))
    p = ir.Program(1, start=[0] * 6, slots=1, invariants=[ir.Invariant("i", condition)])
    p.cells = [ir.CellName("game", "", f"c{at}", "int") for at in range(6)]
    p.blocks = [ir.Block([], ir.End(0, None))]
    machine = PythonBackend(p)
    assert machine.broken([0, 0, 0, 2, 0, 1]) == [0]
    with pytest.raises(ProgramFaultError):
        machine.broken([0, 0, 0, 2, 1, 0])
    assert machine.broken([0, 0, 0, 2, 3, 1], [[4, 0]]) == []  # the last one has not changed, so it is not asked
