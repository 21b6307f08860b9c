"""Costs of ways: `reach(… within …)` and `cheapest`, under both backends.

The steps of the world: oak → elm → ash, fir → fir; taxes are oak 3, elm 5, ash 7, fir 9.
"""

from __future__ import annotations

import random

import pytest
from worlds import IDLE, WORLD, Play, lines, run

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.option import RulesetFaultError

VALUES = lines(
    """
    reach(x from {oak} to y in x.near costs y.tax within 4)         → {oak}
    reach(x from {oak} to y in x.near costs y.tax within 5)         → {oak, elm}
    reach(x from {oak} to y in x.near costs y.tax within 12)        → {oak, elm, ash}
    reach(x from {oak} to y in x.near costs x.tax within 7)         → {oak, elm}
    reach(x from {oak} to y in x.near costs 0 within 0)             → {oak, elm, ash}
    reach(x from {oak} to y in x.near costs 0 within -1)            → {}
    reach(x from {} & town to y in x.near costs 1 within 9)         → {}
    reach(x from {oak, fir} to y in x.near costs 3 within 5)        → {oak, elm, fir}
    reach(x from {oak} to y in x.near where y != ash costs 1 within 9) → {oak, elm}
    reach(x from {oak} to y in town costs abs(y.tax - x.tax) within 4) → {oak, elm, ash}
    reach(x from {oak} to y in town costs (y.tax - x.tax) * (y.tax - x.tax) within 8) → {oak, elm, ash}
    reach(x from {oak} to y in town costs (y.tax - x.tax) * (y.tax - x.tax) within 12) → {oak, elm, ash, fir}
    reach(x from {oak} to y in x.near costs 2 money within toll * 2) → {oak, elm, ash}
    cheapest(x from {oak} to y in x.near costs y.tax until y == ash, else -1)    → 12
    cheapest(x from {oak} to y in x.near costs y.tax until y == oak, else -1)    → 0
    cheapest(x from {oak} to y in x.near costs y.tax until y == fir, else -1)    → -1
    cheapest(x from {oak} to y in x.near costs y.tax until y.tax > 4, else -1)   → 5
    cheapest(x from {oak, elm} to y in x.near costs y.tax until y == ash, else -1) → 7
    cheapest(x from {oak} to y in town costs (y.tax - x.tax) * (y.tax - x.tax) until y == fir, else 0) → 12
    cheapest(x from {oak} to y in x.near costs 1 money until y == ash, else 9)   → 2
    """
)


@pytest.mark.parametrize("text, value", VALUES, ids=[t for t, _ in VALUES])
def test_an_expression_has_its_value(play: Play, text: str, value: str) -> None:
    game = play(IDLE + WORLD)
    assert game.omniscient.value(text) == value
    if value != "{}":
        assert play(f"invariant i:\n    ({text}) == {value}\n{IDLE}{WORLD}").omniscient.broken_invariants() == []


def test_sums_are_the_least(play: Play) -> None:
    """Against all ways, tried out one by one."""
    rng = random.Random(7)
    names = ["oak", "elm", "ash", "fir"]
    for _ in range(5):
        cost = {(a, b): rng.randrange(9) for a in range(4) for b in range(4)}
        rows = ", ".join(f"{a}: {{{', '.join(f'{j}: {cost[i, j]}' for j in range(4))}}}" for i, a in enumerate(names))
        world = WORLD.replace("tables:\n", f"tables:\n  fare: {{key: [town, int], value: int, rows: {{{rows}}}}}\n")
        least = {(a, b): min(cost[a, b], 0 if a == b else 99) for a in range(4) for b in range(4)}
        for k in range(4):
            for a in range(4):
                for b in range(4):
                    least[a, b] = min(least[a, b], least[a, k] + least[k, b])
        game = play(IDLE + world)
        for a in range(4):
            for b in range(4):
                way = f"x from {{{names[a]}}} to y in town costs fare[x, y.index]"
                assert game.omniscient.value(f"cheapest({way} until y == {names[b]}, else -1)") == str(least[a, b])
            for budget in (0, 3, 6):
                within = ", ".join(n for b, n in enumerate(names) if least[a, b] <= budget)
                assert game.omniscient.value(f"reach({way} within {budget})") == f"{{{within}}}"


def test_state_may_decide_what_a_step_costs(play: Play) -> None:
    body = """
set towns to reach(x from {oak} to y in x.near where not y.seen costs y.mark within 8)
set ash.seen to true
set n to count(reach(x from {oak} to y in x.near where not y.seen costs y.mark within 100))
set m to cheapest(x from {oak} to y in x.near costs y.mark until y.seen, else 100)
"""
    game = run(play, body)
    assert [game.omniscient.value(x) for x in ("towns", "n", "m")] == ["{oak, elm}", "2", "9"]


@pytest.mark.parametrize(
    "text, message",
    [
        ("count(reach(x from {oak} to y in x.near costs y.tax - 6 within 9))", "would cost -1"),
        ("count(reach(x from {oak} to y in town costs y.tax - 3 within 1))", ""),  # nothing is below 0
        ("count(reach(x from {oak} to y in {oak} costs 2 - x.tax within 1))", "would cost -1"),  # known already
        ("cheapest(x from {oak} to y in x.near costs 0 - y.tax until y == oak, else 1)", ""),  # settled before
        ("cheapest(x from {oak} to y in x.near costs 1 / (n - n) until y == elm, else 1)", "divides by zero"),
        ("cheapest(x from {oak} to y in x.near costs 999999999999999 until y == elm, else 1)", ""),
        ("cheapest(x from {oak} to y in x.near costs 999999999999999 until y == ash, else 1)", "more than 15 digits"),
        ("count(reach(x from {oak} to y in x.near costs 999999999999999 within 3))", ""),
    ],
)
def test_faults_come_where_the_costs_of_a_step_are_worked_out(play: Play, text: str, message: str) -> None:
    game = run(play, f"set n to {text}")
    if message:
        with pytest.raises(RulesetFaultError, match=message):
            _ = game.decision
    else:
        assert game.decision is not None


@pytest.mark.parametrize(
    "text, code",
    [
        ("count(reach(x from oak to y in x.near costs 1 within 3))", "RS301"),
        ("count(reach(x from {} to y in town costs 1 within 3))", "RS301"),
        ("count(reach(x from {oak} to y in good costs 1 within 3))", "RS301"),
        ("count(reach(x from {oak} to y in x.near after elm costs 1 within 3))", "RS229"),
        ("count(reach(x from {oak} to y in x.near costs true within 3))", "RS301"),
        ("count(reach(x from {oak} to y in x.near costs 1 within 3 == 3))", "RS301"),
        ("count(reach(x from {oak} to y in x.near costs toll within limit))", "RS302"),
        ("count(reach(x from {oak} to y in x.near costs 1 within y.tax))", "RS221"),
        ("cheapest(x from {oak} to y in x.near costs 1 until x == elm, else 0)", "RS221"),
        ("cheapest(x from {oak} to y in x.near costs 1 until 3, else 0)", "RS301"),
        ("cheapest(x from {oak} to y in x.near costs 1 until y == elm)", "RS303"),
        ("cheapest(x from {oak} to x in x.near costs 1 until x == elm, else 0)", "RS223"),
    ],
)
def test_what_is_no_way_is_told(play: Play, text: str, code: str) -> None:
    with pytest.raises(DiagnosticsError) as error:
        run(play, f"set n to {text}")
    assert code in {d.code for d in error.value.diagnostics}


def test_what_may_take_too_long_and_does_not_is_played(play: Play) -> None:
    cost = "1"
    for i in range(4):
        cost = f"count(reach(x{i} from town to y{i} in town costs {cost} within 9))"
    assert run(play, f"set n to {cost}").omniscient.value("n") == "4"
