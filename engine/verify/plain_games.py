"""Random games for explorations, played in wasm if possible; they are the same games as in `simulate`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from rulespec.engine.simulate.checked_playouts import Playout
from rulespec.engine.simulate.game_plans import GamePlan, Outcome
from rulespec.engine.simulate.wasm import ROUND, WasmOutcomes
from rulespec.engine.wasm.compiler import NoWasmError
from rulespec.engine.wasm.engine import NoWasmtimeError
from rulespec.typed import nodes as typed

FAILING = 20
"""The number of failing games after which play stops: each of them takes as long as a thousand other games."""


def plain_games(ruleset: typed.Ruleset, plan: GamePlan, decisions: int) -> Iterator[tuple[int, Playout | None]]:
    """Plays the games of a plan, one after another; the games are the same with and without wasm.

    Args:
        ruleset: the ruleset of the plan.
        plan: the plan; its backend does not matter.
        decisions: the total number of decisions; a game that could exceed it is not started.

    Yields:
        For each game, its number of decisions, and the game itself if it reveals a mistake in the rules, otherwise
        None.
    """
    outcomes = _outcomes(ruleset, plan)
    failing = 0
    while plan.cap <= decisions and failing < FAILING:
        outcome = next(outcomes)
        decisions -= outcome.decisions
        failing += outcome.failure is not None
        yield outcome.decisions, plan.play(ruleset, outcome.game) if outcome.failure is not None else None


def _outcomes(ruleset: typed.Ruleset, plan: GamePlan) -> Iterator[Outcome]:
    """The infinite sequence of a plan's outcomes; in wasm, in batches of growing size."""
    try:
        wasm = WasmOutcomes(plan, ruleset)
    except (NoWasmtimeError, NoWasmError):
        yield from (Outcome.of(plan.play(ruleset, number)) for number in count())
        return
    size, first = 1, 0
    while True:
        yield from wasm.of(range(first, first + size))
        first += size
        size = min(2 * size, ROUND)
