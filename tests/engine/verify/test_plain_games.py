"""Of very many games an exploration only plays most: in wasm and in Python the same, with the same mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import small
from folders import RULESETS

from rulespec.engine.simulate.checked_playouts import simulate
from rulespec.engine.simulate.game_plans import GamePlan, Outcome
from rulespec.engine.verify import explore as exploring
from rulespec.engine.verify import plain_games as playing
from rulespec.engine.verify.explore import explore
from rulespec.engine.verify.plain_games import FAILING, plain_games
from rulespec.engine.wasm.engine import NoWasmtimeError
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

DICE = """\
procedure play():
    repeat at most 300:
        set rolls to rolls + 1
        chance die:
            option roll(n in 1 .. 6):
                set pips to pips + n
                if n == 6:
                    set streak to streak + 1
                else:
                    set streak to 0
        if rolls > 100 and streak == 5:
            pay 1 money from purse to bank
    end game

invariant modest:
    "Pips stay few."
    pips < LIMIT
--- kinds.yaml
state: {rolls: {type: int 0..300}, pips: {type: int 0..1800}, streak: {type: int 0..300}}
accounts: {purse: {account: money}, bank: {account: money}}
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 1, max: 2}
units: [money, points]
start: play
"""


def dice(folder: Path, limit: int) -> typed.Ruleset:
    return small(folder / "small", DICE.replace("LIMIT", f"{limit:d}"))


@pytest.fixture
def soon_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exploring, "CLOSELY", 600)


def without_wasm_module(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise NoWasmtimeError

    monkeypatch.setattr(playing, "WasmOutcomes", none)


@pytest.mark.usefixtures("soon_plain")
@pytest.mark.proof
def test_a_mistake_that_is_seldom_made_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = dice(tmp_path, 1_900)
    result = explore(rules, 120_000)
    assert [finding.diagnostic.code for finding in result.findings] == ["RS703"]
    assert [str(move) for move in result.findings[0].moves[-5:]] == ["roll(6)"] * 5
    assert result.decisions <= 120_000 + 100
    without_wasm_module(monkeypatch)
    assert explore(rules, 120_000) == result


@pytest.mark.usefixtures("soon_plain")
@pytest.mark.parametrize("name", ["nim+tall", "wager", "errands", "harbour"])
@pytest.mark.sampled(1)
@pytest.mark.proof
def test_wasm_code_makes_no_difference(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = load_ruleset(str(RULESETS / name))
    result = explore(rules, 60_000)
    assert result.games > 600 // 5
    without_wasm_module(monkeypatch)
    assert explore(rules, 60_000) == result


@pytest.mark.proof  # 0.5 s
def test_few_decisions_are_all_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exploring, "plain_games", lambda *_: pytest.fail("games are only played"))
    explore(dice(tmp_path, 1_900), 10_000)


def plan(rules: typed.Ruleset) -> GamePlan:
    return GamePlan.of("small", rules, [1], 0, cap=400)


@pytest.mark.proof
def test_they_are_the_games_that_simulate_plays(tmp_path: Path) -> None:
    rules = dice(tmp_path, 1_900)
    played = list(plain_games(rules, plan(rules), 30_000))
    same = [Outcome.of(one) for one in simulate(rules, [1], len(played), 0, cap=400)]
    assert [decisions for decisions, _ in played] == [one.decisions for one in same]
    assert [failed is not None for _, failed in played] == [one.failure is not None for one in same]
    assert any(failed for _, failed in played)


def test_no_game_begins_that_could_go_beyond_the_bound(tmp_path: Path) -> None:
    rules = dice(tmp_path, 1_900)
    assert list(plain_games(rules, plan(rules), 399)) == []
    decisions = [decisions for decisions, _ in plain_games(rules, plan(rules), 30_000)]
    assert 30_000 - 400 < sum(decisions) <= 30_000


def test_rules_that_fail_always_are_given_up(tmp_path: Path) -> None:
    rules = dice(tmp_path, 20)
    failed = [failed for _, failed in plain_games(rules, plan(rules), 1_000_000)]
    assert len(failed) == FAILING
    assert all(one is not None and one.failure is not None and one.failure.kind == "invariant" for one in failed)
