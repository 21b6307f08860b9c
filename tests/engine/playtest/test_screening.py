"""The search among many settings, few of which matter."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import fmean

import pytest

from bench.targets import BUDGET, PAGE, RUNS, Bowl, Case, by_screening, found, table
from rulespec.engine.playtest.screening import screened
from rulespec.engine.playtest.target import Point
from rulespec.engine.simulate.game_plans import GamePlan
from rulespec.engine.simulate.wasm import play_in_wasm
from rulespec.load import load_ruleset

ENOUGH = 18
SEEDS = range(20)
OVERLAY = 'id: heap_{stones}_{most}\ntitle: heap\nfor: nim\nversion: "1"\nchanges: {changes}\n'


def test_two_of_eight_settings_are_found_within_one_step_in_6000_games() -> None:
    """The noise of a game is four times a step."""
    near, games, _ = found(by_screening, Case(8, 2, 12))
    assert near >= ENOUGH and games <= BUDGET


@pytest.mark.proof
def test_all_of_six_settings_are_found_four_at_a_time() -> None:
    assert found(by_screening, Case(6, 6, 5)).near >= ENOUGH


def test_where_nothing_matters_the_nearest_point_is_any() -> None:
    case = Case(6, 0, 5)
    result = screened(case.axes, (3,) * 6, 100, 200, Bowl(case, 1).numbers)
    assert result.matter == [] and len({each.point for each in result.tried}) == len(result.tried) > 40


def test_what_does_not_matter_stays_as_it_is_in_the_game() -> None:
    """Or comes as near to it as the swept values are."""
    case = Case(8, 2, 12)
    bowl = Bowl(case, 3)
    result = screened(case.axes, (40,) * 8, 100, 200, bowl.numbers)
    best = result.tried[0].point
    assert bowl.near(best) and [v for place, v in enumerate(best) if place not in result.matter] == [12] * 6


@pytest.mark.proof
@pytest.mark.usefixtures("known_rulesets")
def test_two_of_eight_numbers_of_nim_bring_games_to_a_length(tmp_path: Path) -> None:
    """Random games from heaps of 6 to 17 of which 2 to 9 may be taken; six more numbers decide nothing.

    Many heaps have games of the wanted length: the one that is found is within one step of it, in the mean of games of
    its own.
    """

    @cache
    def lengths(stones: int, most: int, seed: int, games: int) -> list[float]:
        own = load_ruleset("nim").declarations.constants
        changes = {"stones": stones, "most": most}
        changed = {name: value for name, value in changes.items() if int(own[name].value) != value}
        file = tmp_path / f"heap_{stones}_{most}.yaml"
        values = "{" + ", ".join(f"constants.{name}: {value}" for name, value in changed.items()) + "}"
        file.write_text(OVERLAY.format(stones=stones, most=most, changes=values))
        ref = f"nim+{file}" if changed else "nim"
        ruleset = load_ruleset(ref)
        plan = GamePlan.of(ref, ruleset, [2], seed)
        return [float(each.decisions) for each in play_in_wasm(plan, ruleset, range(games))]

    axes = [range(6, 18), range(2, 10), *[range(1, 13)] * 6]
    near = 0
    for seed in SEEDS:
        stones, most = 8 + seed % 8, 3 + seed % 5
        wanted = fmean(lengths(stones, most, 1_000, 2_000))
        step = abs(fmean(lengths(stones + 1, most, 1_000, 2_000)) - wanted)
        played = 0

        def numbers(points: Sequence[Point], games: int, seed: int = seed) -> list[list[float]]:
            nonlocal played
            played += len(points) * games
            return [lengths(point[0], point[1], seed, games) for point in points]

        result = screened(axes, (9, 3, *[6] * 6), wanted, 200, numbers)
        best = result.tried[0].point
        near += abs(fmean(lengths(best[0], best[1], 1_000, 2_000)) - wanted) <= step and played <= BUDGET
    assert near >= ENOUGH and len(SEEDS) == RUNS


@pytest.mark.proof
def test_the_page_has_the_figures_of_the_bench() -> None:
    assert table() in PAGE.read_text("utf-8")
