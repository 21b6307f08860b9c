"""The native logs that are shipped: each way in which a game can end, and each kind of option, is in one of them.

They are random games; foreign logs are in test_recorded_games.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from folders import GAMES, SHIPPED, shipped_files
from proofs import proofs_but

from rulespec.documents.yaml_nodes import to_plain
from rulespec.documents.yaml_reader import read_yaml
from rulespec.engine.game.game import Game
from rulespec.engine.game.notation import split_option
from rulespec.engine.game.seating import seat_names
from rulespec.engine.logs.native import NativeLog, read_log
from rulespec.engine.verify.suite import EXPECTATION
from rulespec.load import load_ruleset
from rulespec.references import find_ruleset
from rulespec.typed import nodes as typed
from rulespec.typed.settings import values_to_try

NAMES = [folder.name for folder in SHIPPED]
LOGS = sorted(
    p
    for end in ("jsonl", "jsonl.gz")
    for p in shipped_files(f"logs/**/*.{end}")
    if p.parent.name not in ("positions", "legal")
)

NOT_HERE = "it cannot be: no private company has this right here, but in the game that this one extends"
MISSING = {
    ("tutorial", "flagging.plant"): "it cannot be: a nation has more flags than there are regions for them",
    (
        "tutorial",
        "crossing.enter",
    ): "it cannot be: a nation has two provinces, so there is no choice of one beside the goal",
    ("imperial_asia", "sacrifice.guests"): "it is rare; the same rule is in the logs of the other rulesets",
    ("rails_1889", "draw.draw"): "it cannot be: no presidency is drawn here, but in a game that extends it",
    ("rails_1889", "par.set_price"): "it cannot be, for the same reason",
    ("rails_1889", "trains.trade_in"): "it is rare in random games; scenarios have it",
    ("rails_1889", "companies.lay_port"): "it is rare; the same rule is in the logs in another decision",
    ("rails_1889", "dividend.lay_port"): "it is rare; the same rule is in the logs in another decision",
    ("rails_1889", "dividend.trade"): "it is rare; the same rule is in the logs in another decision",
    ("rails_1889", "help.buy_company"): "it is rare; the same rule is in the logs in another decision",
    ("rails_1889", "help.lay_port"): "it is rare; the same rule is in the logs in another decision",
    ("rails_1889", "help.trade"): "it is rare; the same rule is in the logs in another decision",
    ("rails_1889", "routes.lay_port"): "it is rare; the same rule is in the logs in another decision",
    ("rails_1889", "token.lay_port"): "it is rare; the same rule is in the logs in another decision",
    ("rails_1889", "token.trade"): "it is rare; the same rule is in the logs in another decision",
    ("rails_18chesapeake", "help.buy_company"): "it is rare; the same rule is in the logs in another decision",
    ("rails_18chesapeake", "routes.buy_company"): "it is rare; the same rule is in the logs in another decision",
    ("rails_18chesapeake", "companies.lay_port"): NOT_HERE,
    ("rails_18chesapeake", "dividend.lay_port"): NOT_HERE,
    ("rails_18chesapeake", "help.lay_port"): NOT_HERE,
    ("rails_18chesapeake", "routes.lay_port"): NOT_HERE,
    ("rails_18chesapeake", "stock_turn.lay_port"): NOT_HERE,
    ("rails_18chesapeake", "token.lay_port"): NOT_HERE,
    ("rails_18chesapeake", "track.lay_port"): NOT_HERE,
    ("rails_18chesapeake", "trains.lay_port"): NOT_HERE,
    ("rails_18chesapeake", "companies.trade"): NOT_HERE,
    ("rails_18chesapeake", "dividend.trade"): NOT_HERE,
    ("rails_18chesapeake", "help.trade"): NOT_HERE,
    ("rails_18chesapeake", "routes.trade"): NOT_HERE,
    ("rails_18chesapeake", "stock_turn.trade"): NOT_HERE,
    ("rails_18chesapeake", "token.trade"): NOT_HERE,
    ("rails_18chesapeake", "track.trade"): NOT_HERE,
    ("rails_18chesapeake", "trains.trade"): NOT_HERE,
    ("rails_18chesapeake", "seller_track.lay_not"): NOT_HERE,
    ("rails_18chesapeake", "seller_track.lay_there"): NOT_HERE,
}
"""Kinds of options that are in no log of a ruleset, and why."""

Kind = tuple[str, str]
"""The names of a decision and of an option."""


@cache
def loaded(ref: str) -> typed.Ruleset:
    return load_ruleset(ref)


@cache
def log(path: Path) -> NativeLog:
    return read_log(path)


def name_of(path: Path) -> str:
    return str(path.relative_to(GAMES))


def beside(path: Path) -> dict[str, Any]:
    """The expectations in the file beside a log."""
    expected = path.with_name(path.name.removesuffix(".gz").removesuffix(".jsonl") + EXPECTATION)
    results: dict[str, Any] = to_plain(read_yaml(expected, expected.name))
    return results


@pytest.mark.parametrize(
    "path", proofs_but(LOGS, *(path for path in LOGS if not path.name.startswith("recorded"))), ids=name_of
)  # 6 s
@pytest.mark.sampled(5)
def test_a_game_is_legal_keeps_all_invariants_and_comes_out_as_expected(path: Path) -> None:
    header, entries = log(path).header, log(path).entries
    game = Game(loaded(header.ruleset), header.seats, header.settings)
    assert not game.omniscient.broken_invariants()
    offered = 0
    for entry in entries:
        assert game.decision is not None
        offered += len(game.legal_options)
        assert game.decision.name == entry.decision
        game.apply(game.parse(entry.option, entry.by))
        assert not game.omniscient.broken_invariants()
    expected = beside(path)
    result = game.result
    if result is None:
        assert expected == {"decisions": len(entries), "options": offered, "winners": []}
    else:
        counts = {"decisions": len(entries), "options": offered}
        outcome = {"ended": result.ending, "scores": result.scores, "winners": result.winners}
        assert counts | outcome == expected


def test_a_log_lies_with_its_ruleset() -> None:
    for path in LOGS:
        name, *overlays = log(path).header.ruleset.split("+")
        assert path.parent == find_ruleset(name).joinpath("logs", *overlays)


# --- what is in them --------------------------------------------------------------------------------------------------


def kinds(ref: str) -> set[Kind]:
    """Every kind of option that the rules of a reference have."""
    ruleset = loaded(ref)
    game = Game(ruleset, seat_names(ruleset.players[0]), {}, "interpreter")  # nothing is compiled for it
    program = game.omniscient.numbers.program
    return {(decision.name, choice.name) for decision in program.decisions for choice in decision.choices}


def recorded(paths: list[Path]) -> set[Kind]:
    return {(entry.decision, split_option(entry.option)[0]) for path in paths for entry in log(path).entries}


def of(name: str) -> list[Path]:
    return [path for path in LOGS if log(path).header.ruleset == name]


def overlaid() -> Iterator[str]:
    for name in NAMES:
        yield from (f"{name}+{overlay}" for overlay in loaded(name).offered)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", NAMES)
def test_every_kind_of_option_of_a_game_is_in_a_log_of_it(name: str) -> None:
    missing = {(kind.partition(".")[0], kind.partition(".")[2]) for ruleset, kind in MISSING if ruleset == name}
    assert kinds(name) - recorded(of(name)) == missing


@pytest.mark.proof
def test_every_kind_of_option_that_an_overlay_adds_is_in_a_log() -> None:
    assert {kind for ref in overlaid() for kind in kinds(ref)} <= recorded(LOGS)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled(7)
def test_every_ending_of_a_game_is_in_a_log_of_it(name: str) -> None:
    """But for `returned`, as a game ends that comes to the end of its rules: here rounds go on for ever."""
    ruleset = loaded(name)
    endings = set(Game(ruleset, seat_names(ruleset.players[0])).omniscient.numbers.program.endings) - {"returned"}
    assert {beside(path).get("ended") for path in of(name)} - {None} == endings


@pytest.mark.proof
def test_every_value_of_every_setting_is_in_a_log() -> None:
    chosen = {pair for path in LOGS for pair in log(path).header.settings.items()}
    for ref in [*NAMES, *overlaid()]:
        for option in loaded(ref).settings.values():
            assert {(option.name, value) for value in values_to_try(option)} <= chosen


@pytest.mark.parametrize("name", NAMES)
def test_every_number_of_players_is_in_a_log(name: str) -> None:
    low, high = loaded(name).players
    assert {len(log(path).header.seats) for path in of(name)} == set(range(low, high + 1))
