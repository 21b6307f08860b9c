"""The work between two decisions is bounded, and both backends stop at the same place: see "Steps" in limits.md."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import small
from counting import Counting
from hard_work import ENDLESS, LISTED, WORK, listing, rules
from programs import with_rules
from worlds import WORLD, Play, take

from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.lower.lowering import lower
from rulespec.engine.program.cost import Costs
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.program.limits import MAX_STEPS
from rulespec.engine.python.backend import PythonBackend
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed


def game(ruleset: typed.Ruleset, backend: str, steps: int) -> Game:
    if backend == "python":
        return Game(ruleset, ["a", "b"], backend=lambda r, n, o: PythonBackend(lower(r, n, o), steps=steps))
    return Game(ruleset, ["a", "b"], backend=lambda r, n, o: Interpreter(lower(r, n, o), steps=steps))


def after(ruleset: typed.Ruleset, backend: str, steps: int) -> tuple[str, tuple[int, ...]]:
    """The outcome of the work under a bound, and the position then."""
    it = game(ruleset, backend, steps)
    try:
        take(it, "work")
    except RulesetFaultError as fault:
        return fault.diagnostic.code, it.omniscient.numbers.cells
    return "", it.omniscient.numbers.cells


@pytest.mark.parametrize("body", WORK.values(), ids=WORK)
@pytest.mark.sampled(1)
def test_both_backends_stop_at_the_same_step(body: str) -> None:
    ruleset = with_rules(rules(body))
    plain = Game(ruleset, ["a", "b"], backend=lambda r, n, o: Counting(lower(r, n, o)))
    machine = plain.omniscient.numbers.machine
    assert isinstance(machine, Counting)
    begun, code = plain.omniscient.numbers.cells, ""
    try:
        take(plain, "work")
    except RulesetFaultError as fault:
        code = fault.diagnostic.code
    assert machine.taken > 40 and code in ("", "RS703")
    for steps in (machine.taken + 1_000_000, machine.taken + 1, machine.taken):
        outcomes = [after(ruleset, backend, steps) for backend in ("python", "interpreter")]
        assert outcomes == [(code, plain.omniscient.numbers.cells)] * 2
    for steps in (machine.taken - 1, machine.taken * 3 // 4):
        outcomes = [after(ruleset, backend, steps) for backend in ("python", "interpreter")]
        assert outcomes == [("RS704", begun)] * 2


@pytest.mark.parametrize("backend", ["python", "interpreter"])
@pytest.mark.parametrize("body", ENDLESS)
@pytest.mark.sampled(1)
def test_what_does_not_come_to_a_decision_is_given_up(body: str, backend: str) -> None:
    ruleset = with_rules(rules(body))
    begun = game(ruleset, backend, MAX_STEPS).omniscient.numbers.cells
    outcome = after(ruleset, backend, 200_000)
    assert outcome == ("RS704", begun)


@pytest.mark.proof
def test_many_procedures_in_a_row_are_called() -> None:
    """More than Python nests calls."""
    chain = [f"procedure c{i}():\n    c{i - 1}()" for i in range(1, 1_100)]
    ruleset = with_rules("\n".join(["procedure c0():\n    set n to 7", *chain, rules("c1099()")]))
    one, other = (after(ruleset, backend, MAX_STEPS) for backend in ("python", "interpreter"))
    assert one == other and one[0] == ""


@pytest.mark.proof  # 0.4 s
@pytest.mark.parametrize("ref", ["tutorial", "imperial", "imperial_2030+playimperial"])
def test_shipped_games_are_far_from_the_bound(ref: str) -> None:
    """The generated source counts the most steps there may be; of shipped games it never gives a run away."""
    ruleset = load_ruleset(ref)
    seats = [f"P{i}" for i in range(ruleset.players[1])]
    it = Game(ruleset, seats, backend=lambda r, n, o: PythonBackend(lower(r, n, o), steps=MAX_STEPS * 3 // 4))
    for ply in range(150):
        if it.is_over:
            break
        options = list(it.legal_options)
        it.apply(options[ply * 7 % len(options)])
    assert "_exact" not in vars(it.omniscient.numbers.machine)


def test_the_most_steps_are_never_fewer_than_those_that_there_are() -> None:
    ruleset = load_ruleset("tutorial")
    program = lower(ruleset, 3, {name: o.default for name, o in ruleset.settings.items()})
    costs, machine = Costs(program), Interpreter(program)
    state, slots = machine.start(), [0] * (program.slots + 1)
    for invariant in program.invariants:
        before = machine.left
        machine.evaluate(invariant.condition.expr, state, slots)
        assert 0 < before - machine.left <= costs.of(invariant.condition.expr)


# --- listing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("params, condition", LISTED)
@pytest.mark.proof
def test_numbers_count_for_the_steps_of_what_is_asked_about_them(play: Play, params: str, condition: str) -> None:
    it = play(listing(params, condition))
    with pytest.raises(RulesetFaultError, match="have too many values"):
        for _ in every_option(it):
            pass


@pytest.mark.parametrize(
    "params",
    [
        "a in town, b in town, c in town",
        "a in town where a != b0, b in town where a != b, c in town",
        "k in 1 .. 2, a in town, b in town, c in town",
        "c in town, a in {x in town where x != c}, b in {x in town where x != a}",
    ],
)
@pytest.mark.sampled(1)
@pytest.mark.proof
def test_members_of_large_sets_count_too(params: str, tmp_path: Path) -> None:
    kinds = "{" + ", ".join(f"b{i}: {{rank: {i}}}" for i in range(400)) + "}"
    text = f"""
procedure play():
    for p in player:
        decide act by p:
            option x({params}):
                require sum(d.rank for d in town) + a.rank + b.rank + c.rank < 0
                end game
--- kinds.yaml
kinds:
  town: {{facts: {{rank: int}}, entities: {kinds}}}
"""
    ruleset = small(tmp_path / "small", text)
    it = Game(ruleset, ["ann", "bob"])
    with pytest.raises(RulesetFaultError, match="have too many values"):
        for _ in every_option(it):
            pass


def test_lists_that_are_read_at_the_same_time_do_not_count_for_one_another(play: Play) -> None:
    text = f"""
procedure play():
    for p in player:
        decide act by p:
            option x(k in 1 .. 9000, l in 1 .. 9):
                set n to k
{WORLD}"""
    it = play(text)
    lists = [iter(every_option(it)) for _ in range(3)]
    first = [next(one) for one in lists]
    other = it.copy()
    other.apply(first[0])
    assert sum(1 for _ in lists[1]) == 9_000 * 9 - 1
