"""1889 and 18Chesapeake beside recorded games of another system: legal, with equal positions and alternatives."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from folders import GAMES, TESTS
from proofs import proofs_but
from rails_traces import Replayed, differences, different_options

from rulespec.engine.game.machines import Backend
from rulespec.engine.replay.replay import ReplayRequest, ReplayResult

RULESET = GAMES / "rails_1889"
RECORDED = TESTS / "fixtures" / "rails"
SHORT, LONG = RECORDED / "1889-short.log.json.gz", RECORDED / "1889-whole.log.json.gz"
CHESAPEAKE = {"bankrupt": "18chesapeake-bankrupt.log.json.gz", "bank": "18chesapeake-broken-bank.log.json.gz"}
"""Games of 18Chesapeake by their ends."""
CHESAPEAKE_LOGS = [RECORDED / name for name in CHESAPEAKE.values()]
KNOWN_FAULTS = {"bankrupt": {"RAI-AUC-04": [10]}, "bank": {"RAI-AUC-04": [8], "RAI-TRN-02": [414]}}
"""Entries of games of 18Chesapeake whose alternatives differ, by rule.

RAI-AUC-04: that system adds a player's own lower bid to what may be bid, though it is not tied.
RAI-TRN-02: a corporation without room for a train trades one in; that system lists others for it, and refuses them.
"""
BACKENDS: tuple[Backend, ...] = ("python", "wasm")


def agrees(log: Path) -> Replayed:
    """A log that is legal to its end, with equal positions and alternatives."""
    replayed = Replayed(RULESET, log)
    assert replayed.stop is None
    assert differences(replayed, log) == []
    assert different_options(replayed, log) == []
    return replayed


def test_auction_and_stock_rounds_are_those_that_were_recorded() -> None:
    agrees(SHORT)


@pytest.mark.proof
def test_a_whole_game_is_the_one_that_was_recorded() -> None:
    replayed = agrees(LONG)
    assert replayed.game.is_over
    assert replayed.game.result is not None
    assert replayed.game.result.ending == "bank"


@pytest.mark.proof
@pytest.mark.parametrize("ending", CHESAPEAKE)
def test_positions_of_chesapeake_are_those_that_were_recorded(ending: str) -> None:
    log = RECORDED / CHESAPEAKE[ending]
    replayed = Replayed(GAMES / "rails_18chesapeake", log)
    assert replayed.stop is None
    assert differences(replayed, log) == []
    assert replayed.game.result is not None
    assert replayed.game.result.ending == ending


@pytest.mark.proof
@pytest.mark.parametrize("ending", CHESAPEAKE)
def test_alternatives_of_chesapeake_differ_where_it_is_known(ending: str) -> None:
    log = RECORDED / CHESAPEAKE[ending]
    lines = different_options(Replayed(GAMES / "rails_18chesapeake", log), log)
    assert [int(line.split()[0]) for line in lines] == sorted(n for of in KNOWN_FAULTS[ending].values() for n in of)


@pytest.mark.proof
@pytest.mark.parametrize("log", [SHORT, LONG], ids=lambda log: log.name.partition(".")[0])
def test_a_recorded_game_is_the_same_in_wasm(log: Path) -> None:
    in_python, in_wasm = (Replayed(RULESET, log, backend) for backend in BACKENDS)
    assert in_wasm.stop is None
    assert list(map(str, in_wasm.moves)) == list(map(str, in_python.moves))
    assert in_wasm.game.hash == in_python.game.hash


def actions_of(log: Path) -> list[dict[str, Any]]:
    return list(json.loads(gzip.decompress(log.read_bytes()))["actions"])


def with_actions(log: Path, actions: list[dict[str, Any]]) -> ReplayResult:
    """A recorded game with other entries, and without its end."""
    document = json.loads(gzip.decompress(log.read_bytes())) | {"actions": actions, "result": {}}
    return ReplayRequest(Path("moved.json"), data=json.dumps(document).encode()).replay()


@pytest.mark.parametrize(
    "log, company, before",
    [(LONG, "SIR", "run_routes"), (RECORDED / CHESAPEAKE["bank"], "C-P", "place_token")],
    ids=["routes", "token"],
)
def test_a_private_company_may_be_bought_before_other_steps_of_the_turn(log: Path, company: str, before: str) -> None:
    actions = actions_of(log)
    bought = next(i for i, a in enumerate(actions) if (a["type"], a.get("company")) == ("buy_company", company))
    at = max(i for i, a in enumerate(actions[:bought]) if a["type"] == before)
    assert actions[at]["entity"] == actions[bought]["entity"]
    usual = with_actions(log, actions[: bought + 1])
    moved = with_actions(log, [*actions[:at], actions[bought], *actions[at:bought]])
    assert (usual.divergence, moved.divergence) == (None, None)
    owned = "{x in company where x.owned_by is some}"
    assert moved.game.omniscient.value(owned) == usual.game.omniscient.value(owned)


def test_a_private_company_is_traded_by_an_entry_of_its_own() -> None:
    actions = actions_of(LONG)[:11]
    trade = {"type": "buy_shares", "entity": "DR", "entity_type": "company", "shares": ["IR_1"], "percent": 10}
    result = with_actions(LONG, [*actions, trade])
    assert result.divergence is None
    assert str(result.game.history[-1]) == "trade(dr)"


def in_one(connections: list[list[str]]) -> list[str]:
    """The hexes of a route in order; each of its pieces may be written either way."""
    result = list(connections[0])
    if len(connections) > 1 and result[-1] not in (connections[1][0], connections[1][-1]):
        result.reverse()
    for piece in connections[1:]:
        result += piece[1:] if piece[0] == result[-1] else piece[-2::-1]
    return result


@pytest.mark.parametrize("log", [LONG, *proofs_but(CHESAPEAKE_LOGS)], ids=lambda log: log.name.partition(".")[0])
def test_routes_of_old_logs_have_their_hexes_alone(log: Path) -> None:
    actions = actions_of(log)
    expected = with_actions(log, actions)
    for route in (route for action in actions for route in action.get("routes", ())):
        route["hexes"] = in_one(route.pop("connections"))
    result = with_actions(log, actions)
    assert result.divergence is None
    assert result.game.hash == expected.game.hash
