"""Generated code counts at least as many steps as the interpreter, with any selection of passes and features."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from agreement import EXAMPLES, agree, take_back
from chess_variants import HELD, LOOSE, chess
from counting import Counting
from folders import RULESETS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from programs import programs, with_rules
from programs_seats import SETTINGS

from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.lower.lowering import lower
from rulespec.engine.passes import count_work
from rulespec.engine.program import cost
from rulespec.engine.program.cells import Journal, State
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.program.limits import MAX_STEPS
from rulespec.engine.program.long_values import counting
from rulespec.engine.python.backend import PythonBackend
from rulespec.engine.python.features import ALL_FEATURES
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed


@pytest.fixture
def all_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes every expression count its own steps, as normally only long ones do."""
    for name in ("LONG", "LONG_VALUE", "LONG_SEVERAL", "LONG_LISTING"):
        monkeypatch.setattr(count_work, name, 0)
    monkeypatch.setattr(count_work, "_GRAIN", 3)
    monkeypatch.setattr(cost, "FEW_TESTS", 3)


class CountedError(Exception):
    """The step limit was reached, so the interpreter would take over."""


class Unasked(PythonBackend):
    """A machine that reports when it would fall back to the interpreter, with a step limit that can be set per run."""

    def bound(self, steps: int) -> None:
        self._begin, self._uncounted = (steps, 0), range(0)

    def _again(self, state: State, block: int, args: tuple[int, ...]) -> Journal:
        raise CountedError


@pytest.mark.usefixtures("all_long")
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
@given(text=programs(), seed=st.integers(0, 999), chosen=SETTINGS)
@pytest.mark.proof
def test_no_run_counts_fewer_steps_than_it_takes(text: str, seed: int, chosen: dict[str, str | int]) -> None:
    ruleset = with_rules(text)
    try:
        plain = Game(ruleset, ["ann", "bob"], chosen, lambda r, n, o: Counting(lower(r, n, o)))
    except RulesetFaultError:
        return
    machine = plain.omniscient.numbers.machine
    assert isinstance(machine, Counting)
    fast = Unasked(machine.p)
    rng = random.Random(seed)
    for _ in range(12):
        try:
            options = list(every_option(plain))
        except RulesetFaultError:
            return
        if not options:
            return
        option = rng.choice(options)
        state = fast.start()
        state[: len(machine.p.cells)] = plain.omniscient.numbers.cells
        fast.write(state, dict(enumerate(plain.omniscient.numbers.cells)))
        before = [*state]
        try:
            plain.apply(option)
        except RulesetFaultError:
            return
        fast.bound(machine.taken - 1)
        with pytest.raises((CountedError, ProgramFaultError)) as caught:
            fast.run(state, option.kind.block, option.args)
        assert caught.type is CountedError and state == before


@pytest.mark.usefixtures("all_long")
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
@given(text=programs(), seed=st.integers(0, 999), chosen=SETTINGS, steps=st.integers(10, 4_000) | st.just(MAX_STEPS))
@pytest.mark.proof
def test_programs_whose_every_expression_counts_mean_the_same(
    text: str, seed: int, chosen: dict[str, str | int], steps: int
) -> None:
    ruleset, names = with_rules(text), ["ann", "bob", "cid"]
    fast = Game(ruleset, names, chosen, lambda r, n, o: PythonBackend(lower(r, n, o), steps=steps))
    plain = Game(ruleset, names, chosen, lambda r, n, o: Interpreter(lower(r, n, o), steps=steps))
    take_back(fast, agree(fast, plain, random.Random(seed).randrange, 12))


def walk(ruleset: typed.Ruleset, plies: int) -> PythonBackend:
    """Plays random decisions; returns the machine."""
    game, rng = Game(ruleset, [f"P{i}" for i in range(ruleset.players[1])]), random.Random(1)
    machine = game.omniscient.numbers.machine
    assert isinstance(machine, PythonBackend)
    for _ in range(plies):
        options = game.legal_options
        game.apply(options[rng.randrange(len(options))])
    return machine


@pytest.mark.proof  # 0.4 s
def test_a_long_judgement_is_not_interpreted() -> None:
    """Orders of seven powers: by the sizes of kinds, evaluating them could take a billion steps."""
    assert "_exact" not in vars(walk(load_ruleset(str(RULESETS / "diplomacy")), 600))


def test_a_rule_that_asks_less_is_not_interpreted(tmp_path: Path) -> None:
    assert "_exact" not in vars(walk(chess(tmp_path / "chess", *LOOSE), 60))


def test_what_is_kept_instead_of_found_is_not_interpreted(tmp_path: Path) -> None:
    assert "_exact" not in vars(walk(chess(tmp_path / "chess", *HELD), 40))


SEARCHING = """
procedure play():
    for p in player:
        decide act by p:
            option look:
                set m to 0
                repeat at most 900:
                    if m < 800:
                        set m to m + 1
                        if m % 3 == 0:
                            set n to (n + 1) % 7
                    else:
                        for a in town:
                            for b in town where b.tax >= a.tax:
                                set n to (n + b.tax) % 5
                        leave
                set m to m % 100
            option pass_on:
                pass
"""
"""Short iterations, with a long condition for leaving the loop."""
CHOOSY = """
procedure play():
    for p in player:
        decide act by p:
            option look(t in town, u in town, w in town where w.index < 6):
                require (t.index + 7 * u.index + 11 * w.index) % 499 == 3
                require fits(t, u, w) and fits(u, t, w) and fits(w, t, u) and fits(w, u, t) and (n < 99 or is_high(t))
                set m to w.index
            option pass_on:
                pass
def fits(t: town, u: town, w: town) -> bool:
    any(a in town where (a.tax + 2 * t.tax + 3 * u.tax + 5 * w.tax + 7 * a.tax + 11 * t.tax) % 13 < 9)
def is_high(t: town) -> bool:
    any(a in town where any(b in town where any(c in town where c.tax > a.tax + b.tax + t.tax)))
"""
"""Few values satisfy the first condition; the others iterate over all towns."""
PAIRED = """
procedure play():
    for p in player:
        decide act by p:
            option look(two in choose 2 of town where all(t in two: t.index > 30 and any(a in town where fit(a, t)))):
                set m to count(two)
            option pass_on:
                pass
def fit(a: town, t: town) -> bool: (a.index + 2 * t.index + 3 * a.tax + 5 * t.tax) % 13 == 3
"""
"""Of many sets, few satisfy the first condition; each has two members, but might have all."""


@pytest.mark.parametrize("machine", ["python", "wasm"])
@pytest.mark.parametrize("text", [SEARCHING, CHOOSY, PAIRED], ids=["loop", "list", "sets"])
def test_a_long_way_that_is_seldom_taken_is_not_counted(text: str, machine: Backend) -> None:
    ruleset = with_rules(text, 40)
    plain = Game(ruleset, ["ann", "bob"], backend="interpreter")
    fast = Game(ruleset, ["ann", "bob"], backend=machine)
    with counting() as handed:
        assert list(fast.legal_options) == list(plain.legal_options)
        for game in (fast, plain):
            game.apply(game.legal_options[0])
    assert fast.hash == plain.hash and str(fast.history[0]).startswith("look") and not handed


REPEATED = """
procedure play():
    for p in player:
        decide act by p:
            option look(t in town):
                set m to count(a in town where a.tax < least(t) + a.index)
            option pass_on:
                pass
def least(t: town) -> int:
    count(a in town where (a.tax + 2 * t.tax + 3 * a.index + n) % 13 < 3)
"""
"""A loop in which a call is the same for all members, so that it is evaluated once."""


@pytest.mark.usefixtures("all_long")
def test_steps_of_a_value_that_is_kept_are_counted_at_each_use() -> None:
    program = lower(with_rules(REPEATED, 20), 2, {})
    least = []
    for features in (ALL_FEATURES, replace(ALL_FEATURES, hoist=False)):
        fast = Unasked(program, features=features)
        assert ("charge(nh0)" in fast.source) is features.hoist
        state = fast.start()
        fast.run(state, program.main)
        look = program.decisions[0].choices[0].block
        low, high = 0, MAX_STEPS  # too few, and enough
        while high - low > 1:
            steps = (low + high) // 2
            fast.bound(steps)
            try:
                fast.run([*state], look, (7,))
            except CountedError:
                low = steps
            else:
                high = steps
        least.append(high)
    assert least[0] == least[1]


SUPPOSED = """
procedure play():
    for p in player:
        decide act by p:
            option look(t in town):
                require n >= 0 once visit(t)
                visit(t)
            option pass_on:
                pass
procedure visit(t: town):
    for a in town where a.tax > LEAST:
        for b in town where b.tax > LEAST:
            for c in town where c.tax == a.tax:
                set n to (n + c.tax) % 7
    set m to (m + t.tax) % 5
"""
"""By the sizes of kinds, the procedure could take hundreds of thousands of steps; few towns have high taxes."""


@pytest.mark.proof  # 0.8 s
@pytest.mark.parametrize("machine", ["python", "wasm"])
@pytest.mark.parametrize("towns", [40, 90, 180])
def test_what_is_supposed_counts_what_it_does(towns: int, machine: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    ruleset = with_rules(SUPPOSED.replace("LEAST", "8"), towns)
    plain = Game(ruleset, ["ann", "bob"], backend="interpreter")
    fast = Game(ruleset, ["ann", "bob"], backend=machine)
    hashes = agree(fast, plain, lambda options: options // 2, 6)
    assert len(hashes) > 1

    def never(*args: object) -> None:
        raise AssertionError("the interpreter has been asked")

    monkeypatch.setattr(Interpreter, "carry_out", never)
    again = Game(ruleset, ["ann", "bob"], backend=machine)
    for _ in range(2):
        again.apply(again.legal_options[len(again.legal_options) // 2])


@pytest.mark.parametrize("machine", ["python", "wasm"])
@pytest.mark.sampled(1)
def test_what_is_supposed_and_takes_too_long_is_a_fault(machine: Backend) -> None:
    ruleset = with_rules(SUPPOSED.replace("LEAST", "0"), 60)
    plain = Game(ruleset, ["ann", "bob"], backend="interpreter")
    fast = Game(ruleset, ["ann", "bob"], backend=machine)
    agree(fast, plain, lambda options: 0, 2)
    with pytest.raises(RulesetFaultError, match="more than 100,000 steps"):
        list(every_option(fast))


AT_FAULT = """
procedure play():
    for p in player:
        decide act by p:
            option look:
                set n to (m once visit(m, oak)) + (1 once visit(m + DOUBT, oak))
            option pass_on:
                set m to m + 1
procedure visit(k: int, t: town):
    for a in town:
        for b in town where b.tax >= a.tax:
            set n to (n + b.tax) % 7
    set m to 7 / k
"""


@pytest.mark.proof  # 0.5 s
@pytest.mark.usefixtures("all_long")
@pytest.mark.parametrize("doubt", ["0", "1", "(n once visit(m + 1, fir))"])
@pytest.mark.parametrize("seed", range(3))
def test_a_fault_in_what_is_supposed_comes_after_the_steps_before_it(doubt: str, seed: int) -> None:
    """Under each limit both agree: too many steps, or the fault that comes after them."""
    ruleset = with_rules(AT_FAULT.replace("DOUBT", doubt))

    def game(machine: type[PythonBackend | Interpreter], steps: int) -> Game:
        return Game(ruleset, ["ann", "bob"], None, lambda r, n, o: machine(lower(r, n, o), steps=steps))

    for steps in range(20, 420, 7):
        agree(game(PythonBackend, steps), game(Interpreter, steps), random.Random(seed).randrange, 4)


@pytest.mark.usefixtures("all_long")
@pytest.mark.parametrize("argument", ["turned(1)", "turned(n)", "turned(count(town))", "turned((n once turned(0)))"])
@pytest.mark.parametrize("where", ["option look", "option look(k in 0 .. 1)", "option look(k in 0 .. n)"])
def test_arguments_of_what_is_supposed_have_steps_of_their_own(argument: str, where: str) -> None:
    """The arguments are evaluated first, and count for the enclosing expression."""
    ruleset = with_rules(f"""
procedure play():
    for p in player:
        decide act by p:
            {where}:
                require n >= 0 once seen()
            option pass_on:
                pass
procedure seen():
    set m to count(t in {{oak}} where (n once look_on((1 once {argument}))) >= 0) % 5
procedure look_on(k: int):
    for a in town where a.tax >= k % 2:
        set n to (n + a.tax + k) % 7
procedure turned(k: int):
    repeat at most 2:
        for a in town where a.tax > k:
            set n to (n + a.tax) % 7
""")
    fast = Game(ruleset, ["ann", "bob"], None, lambda r, n, o: PythonBackend(lower(r, n, o)))
    plain = Game(ruleset, ["ann", "bob"], backend="interpreter")
    assert len(agree(fast, plain, lambda options: 0, 2)) == 2
