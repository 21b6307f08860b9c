"""Reasons of options: each names the condition that decides, and its JSON alone comes to the verdict."""

from __future__ import annotations

import json
from typing import Any

import pytest
from reasons import pivots, verdict
from shipped import NAMES, OFFERED, loaded

from rulespec.diagnostics.report import Report
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import Option, Refusal
from rulespec.engine.game.seating import usual_seats
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.engine.verify.scenario_files import suite_scenarios
from rulespec.engine.verify.scenario_run import run_scenario
from rulespec.engine.why.answer_output import Printer, whole
from rulespec.engine.why.position_reader import Answer
from rulespec.engine.why.why import LEGAL, REFUSED, Why

pytestmark = pytest.mark.usefixtures("known_rulesets")


def in_json(game: Game, answer: Answer, *, fold: bool) -> dict[str, Any]:
    """The JSON of an answer, as another program reads it."""
    printed = Printer(game.ruleset, game.omniscient.labels).json(whole(answer, fold=fold))
    result: dict[str, Any] = json.loads(json.dumps(printed))
    return result


def check(game: Game, answer: Answer, expected: str) -> None:
    """The JSON of an answer comes to the verdict, and with a leaf negated to the other; folded, with any leaf."""
    assert answer.verdict == expected
    for fold in (False, True):
        data = in_json(game, answer, fold=fold)
        assert verdict(data) == expected
        leaves, turning = pivots(data)
        assert turning or not leaves, data
        if fold and expected == REFUSED:
            last = {**data, "conditions": data["conditions"][-1:]}
            assert pivots(last)[0] == pivots(last)[1], last
        elif fold:
            assert turning == leaves, data


def refusals(ref: str, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Game, Option, Refusal]]:
    """The refusals of options that the scenarios of a ruleset expect, with the games in which they are refused."""
    results: list[tuple[Game, Option, Refusal]] = []
    why_not = Game.why_not

    def noted(self: Game, option: Option, seat: str | None = OMNISCIENT) -> Refusal | None:
        refusal = why_not(self, option, seat)
        if refusal is not None and refusal.condition:
            results.append((self.copy(), option, refusal))
        return refusal

    ruleset = loaded(ref)[0]
    with monkeypatch.context() as patch:
        patch.setattr(Game, "why_not", noted)
        for scenario in suite_scenarios(ruleset, Report(), str):
            if any(key.text == "illegal" for step in scenario.steps for key, _ in step.then):
                assert run_scenario(ruleset, scenario) == ()
    return results


def each(refs: list[str], *light: str) -> list[Any]:
    """Cases of rulesets, of which all but the light ones are proofs."""
    return [pytest.param(ref, marks=[] if ref in light else pytest.mark.proof) for ref in refs]


@pytest.mark.parametrize("ref", each([*NAMES, *OFFERED], "nim", "connect_four", "kuhn_poker"))
def test_refused_options_name_the_condition_that_scenarios_expect(ref: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for game, option, refusal in refusals(ref, monkeypatch):
        answer = Why(game, OMNISCIENT).option(str(option))
        assert answer.reason == refusal.reason
        assert answer.rules == refusal.rules
        check(game, answer, REFUSED)


@pytest.mark.parametrize("ref", each(NAMES, "nim", "liars_dice"))
def test_legal_options_are_explained(ref: str) -> None:
    ruleset = loaded(ref)[0]
    explained = 0
    for seed in range(3):
        game, draws = Game(ruleset, usual_seats(ruleset)), Draws(seed)
        while explained < 20 * (seed + 1) and (option := choose(game, draws, interrupt_rate=0.1)) is not None:
            if game.ply % 7 == seed:
                for other in [option, *list(every_option(game))[:2]]:
                    check(game, Why(game, OMNISCIENT).option(str(other)), LEGAL)
                    explained += 1
            game.apply(option)
    assert explained > 5
