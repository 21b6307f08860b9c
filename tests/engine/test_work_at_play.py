"""The work between two decisions is bounded, and both backends stop at the same place: see "Steps" in limits.md."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest
from cases import small
from programs import with_rules
from worlds import WORLD, Play, take

from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.lower.lowering import lower
from rulespec.engine.program.cost import Costs
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.program.journal import Journal, State
from rulespec.engine.program.limits import MAX_STEPS
from rulespec.engine.python.backend import PythonBackend
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

DOUBLING = "\n".join(
    ["procedure q0():", "    set n to n + 1"]
    + [f"procedure q{i}():\n    q{i - 1}()\n    q{i - 1}()" for i in range(1, 41)]
    + ["def d0(k: int) -> int: k + 1"]
    + [f"def d{i}(k: int) -> int: d{i - 1}(k) + d{i - 1}(k)" for i in range(1, 15)]
)
WORK = {
    "procedures that call others twice": "q9()",
    "a fault before the end": "q3()\nset n to 10 / (n - n)\nq9()",
    "a fault after much work": "q9()\nset n to 10 / (n - n)",
    "loops in loops": "repeat at most 90:\n    for t in town:\n        set n to n + t.tax",
    "a loop in cyclic order": "for t in town after ash where t.tax > 3:\n    q4()",
    "loops that are left": "for t in town:\n    for u in town:\n        if u == elm:\n            leave\n        q3()",
    "definitions that call others twice": "set n to d9(n) % 7",
    "sums": "set n to sum(t.tax * sum(u.tax for u in t.near) for t in town)",
    "sets": "for t in {u in town where any(v in u.near)}:\n    set t.mark to count(reach(x from {t}: x.near))",
    "cases": "match first(t in town where t.tax > n) ?? oak:\n    case oak:\n        q3()\n    else:\n        q5()",
    "another decision": "q4()\ndecide e by p:\n    option o(k in 1 .. 3):\n        q4()\n    option z:\n        q5()",
}


def rules(body: str) -> str:
    return f"""
procedure play():
    for p in player:
        decide act by p:
            option wait:
                pass
            option work:
                hard(p)
procedure hard(p: player):
{indent(body, "    ")}
{DOUBLING}
"""


def game(ruleset: typed.Ruleset, backend: str, steps: int) -> Game:
    if backend == "python":
        return Game(ruleset, ["a", "b"], backend=lambda r, n, o: PythonBackend(lower(r, n, o), steps=steps))
    return Game(ruleset, ["a", "b"], backend=lambda r, n, o: Interpreter(lower(r, n, o), steps=steps))


def after(ruleset: typed.Ruleset, backend: str, steps: int) -> tuple[str, tuple[int, ...]]:
    """What comes of the work under a bound, and the position then."""
    it = game(ruleset, backend, steps)
    try:
        take(it, "work")
    except RulesetFaultError as fault:
        return fault.diagnostic.code, it.position.cells
    return "", it.position.cells


class Counting(Interpreter):
    """Knows the steps of its last run."""

    taken = 0

    def run(self, state: State, block: int, args: tuple[int, ...] = ()) -> Journal:
        before = self.left
        try:
            return super().run(state, block, args)
        finally:
            self.taken = before - self.left


@pytest.mark.parametrize("body", WORK.values(), ids=WORK)
def test_both_backends_stop_at_the_same_step(body: str) -> None:
    ruleset = with_rules(rules(body))
    plain = Game(ruleset, ["a", "b"], backend=lambda r, n, o: Counting(lower(r, n, o)))
    machine = plain.position.machine
    assert isinstance(machine, Counting)
    begun, code = plain.position.cells, ""
    try:
        take(plain, "work")
    except RulesetFaultError as fault:
        code = fault.diagnostic.code
    assert machine.taken > 40 and code in ("", "RS703")
    for steps in (machine.taken + 1_000_000, machine.taken + 1, machine.taken):
        outcomes = [after(ruleset, backend, steps) for backend in ("python", "interpreter")]
        assert outcomes == [(code, plain.position.cells)] * 2
    for steps in (machine.taken - 1, machine.taken * 3 // 4):
        outcomes = [after(ruleset, backend, steps) for backend in ("python", "interpreter")]
        assert outcomes == [("RS704", begun)] * 2


@pytest.mark.parametrize("backend", ["python", "interpreter"])
@pytest.mark.parametrize(
    "body",
    [
        "q40()",
        "repeat at most 90000:\n    repeat at most 90000:\n        set n to 1",
        "repeat at most 90000:\n    q9()",
        "for t in town:\n    for u in town:\n        q30()",
        "repeat at most 999999:\n    set n to d14(1)",
        "repeat at most 999999:\n    if any(t in town where t.tax == n):\n        set n to 1",
    ],
)
def test_what_does_not_come_to_a_decision_is_given_up(body: str, backend: str) -> None:
    ruleset = with_rules(rules(body))
    begun = game(ruleset, backend, MAX_STEPS).position.cells
    outcome = after(ruleset, backend, 200_000)
    assert outcome == ("RS704", begun)


def test_many_procedures_in_a_row_are_called() -> None:
    """More than Python nests calls."""
    chain = [f"procedure c{i}():\n    c{i - 1}()" for i in range(1, 1_500)]
    ruleset = with_rules("\n".join(["procedure c0():\n    set n to 7", *chain, rules("c1499()")]))
    one, other = (after(ruleset, backend, MAX_STEPS) for backend in ("python", "interpreter"))
    assert one == other and one[0] == ""


@pytest.mark.parametrize("ref", ["tutorial", "imperial", "imperial_2030+playimperial"])
def test_shipped_games_are_far_from_the_bound(ref: str) -> None:
    """The generated source counts the most steps there may be; of shipped games it never gives a run away."""
    ruleset = load_ruleset(ref)
    it = Game(ruleset, [f"P{i}" for i in range(ruleset.players[1])])
    machine = it.position.machine
    assert isinstance(machine, PythonBackend)
    for ply in range(150):
        if it.is_over:
            break
        options = list(it.legal_options)
        it.apply(options[ply * 7 % len(options)])
        assert machine._left[0] > MAX_STEPS // 4
    assert "_interpreter" not in machine.__dict__


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

LISTED = {
    "two ranges": ("k in 1 .. 90000, l in k .. k + 90000", "k == l and k != l"),
    "a dear condition": ("k in 1 .. 99000", "sum(t.tax * d12(k) for t in town) < 0"),
    "a range for each town": ("t in town, k in 1 .. 99000", "sum(u.tax * d9(k) for u in town) < 0"),
}


@pytest.mark.parametrize("params, condition", LISTED.values(), ids=LISTED)
def test_numbers_count_for_the_steps_of_what_is_asked_about_them(play: Play, params: str, condition: str) -> None:
    text = f"""
procedure play():
    for p in player:
        decide act by p:
            option wait:
                pass
            option x({params}):
                require {condition}
                set n to 1
{DOUBLING}{WORLD}"""
    it = play(text)
    with pytest.raises(RulesetFaultError, match="range over too much"):
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
    with pytest.raises(RulesetFaultError, match="range over too much"):
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
