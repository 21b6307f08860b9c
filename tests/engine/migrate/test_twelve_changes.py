"""The twelve changes of rules over recorded games: faithful where nothing is at odds, else numbers, or kept."""

from __future__ import annotations

import os
import shutil
from functools import cache
from pathlib import Path

import pytest
from folders import GAMES

from bench.carried_games import BOTS, carry, check, play, shipped
from bench.rule_changes import CHANGES, Edit, RuleChange, written
from rulespec.cli.main import run
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option, TakenBack
from rulespec.engine.migrate.migrate import Verdict, migrate
from rulespec.engine.migrate.proposals import proposed
from rulespec.engine.replay.placed import Placed
from rulespec.engine.replay.replay import ReplayResult, replay_log
from rulespec.load import load_ruleset

FAITHFUL, NUMBERS, STAYS = Verdict.FAITHFUL, Verdict.NUMBERS, Verdict.STAYS
LOG = GAMES / "imperial" / "logs" / "random-3p.jsonl.gz"
VERDICTS = {
    "options_renamed": FAITHFUL,
    "decision_renamed": FAITHFUL,
    "parameters_turned": FAITHFUL,
    "question_added": FAITHFUL,
    "question_dropped": FAITHFUL,
    "limit_raised": FAITHFUL,
    "limit_lowered": STAYS,
    "phase_added": FAITHFUL,
    "deal_turned": FAITHFUL,
    "price_mended": NUMBERS,
    "questions_swapped": FAITHFUL,
    "link_removed": FAITHFUL,
}
"""Of the log above."""
SHIPPED = {
    "options_renamed": (39, 0, 0),
    "decision_renamed": (39, 0, 0),
    "parameters_turned": (39, 0, 0),
    "question_added": (39, 0, 0),
    "question_dropped": (38, 0, 1),
    "limit_raised": (39, 0, 0),
    "limit_lowered": (5, 0, 34),
    "phase_added": (39, 0, 0),
    "deal_turned": (39, 0, 0),
    "price_mended": (6, 30, 3),
    "questions_swapped": (37, 0, 2),
    "link_removed": (37, 0, 2),
}
"""Numbers of games that are faithful, whose numbers differ, and that are kept."""
GONE = RuleChange("nobody may decline", (Edit("rules/setup.rules", "        option decline:\n            pass\n", ""),))
NEUTRAL = {"wave_through", "proceed", "done", "finish", "pay_out", "let_pass", "decline", "nothing", "armies"}
"""The options whose only effect is that the game goes on."""


@cache
def replayed(log: Path) -> ReplayResult:
    return replay_log(log)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("change", CHANGES)
def test_a_recorded_game_under_each_change(change: str, tmp_path: Path) -> None:
    replay = replayed(LOG)
    rules = load_ruleset(written(tmp_path / change, [CHANGES[change]]))
    result = migrate(replay, rules)
    assert result.verdict is VERDICTS[change], result.cause
    check(result, replay)
    standing(replay, change, result.walk.moves, Game(rules, replay.game.names, replay.game.settings))


def standing(replay: ReplayResult, change: str, moves: tuple[Placed, ...], game: Game) -> None:
    """Checks that what people have decided stands, and that nothing was decided for them but what is neutral.

    `game` is a new game under the changed rules.
    """
    sources = {placed.source for placed in moves}
    for placed in moves:
        if isinstance(placed.move, TakenBack):
            game.omniscient.take_back(placed.move)
            continue
        if placed.source is None and placed.move.by is not None:
            assert is_neutral(game, placed.move), (change, str(placed.move))
        game.apply(placed.move)
    for number, move in enumerate(replay.moves):
        if number not in sources and isinstance(move, Option) and len(moves) > number:
            assert move.by is None or move.name in NEUTRAL, (change, str(move))


def is_neutral(game: Game, move: Option) -> bool:
    """Whether a decision only lets the game go on: one that is there for that, or whatever comes to the same."""
    if move.name in NEUTRAL:
        return True
    positions = {}
    for option in list(game.legal_options):
        game.apply(option)
        positions[option.name] = game.hash
        game.undo()
    return any(positions[name] == positions[move.name] for name in positions.keys() & NEUTRAL)


LONG = pytest.mark.skipif(not os.environ.get("RULESPEC_MIGRATIONS"), reason="half an hour; `make proof` runs it")


@LONG
@pytest.mark.parametrize("change", CHANGES)
def test_the_shipped_games(change: str, tmp_path: Path) -> None:
    written(tmp_path / change, [CHANGES[change]])
    every = [each for log in shipped() for each in carry(tmp_path, log, [change])]
    counts = tuple(sum(each.verdict == verdict for each in every) for verdict in Verdict)
    assert counts == SHIPPED[change], {(each.log, each.cause) for each in every if each.verdict == STAYS}


@LONG
@pytest.mark.parametrize("change", CHANGES)
def test_games_of_bots(change: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Twelve games of four editions; `python -m bench.migrations --bots 1000` has a thousand."""
    written(tmp_path / change, [CHANGES[change]])
    games = tmp_path_factory.getbasetemp() / "games_of_bots"
    games.mkdir(exist_ok=True)
    for number in range(12):
        (each,) = carry(tmp_path, play(games, number), [change])
        if change not in ("limit_lowered", "price_mended", "questions_swapped", "link_removed"):
            assert each.verdict == FAITHFUL, (number, each.cause)
    assert len(BOTS) == 3


@pytest.mark.proof
def test_an_entity_that_is_called_otherwise(tmp_path: Path) -> None:
    """So are its bonds, which are called after it."""
    prussia = RuleChange("a nation is called otherwise", (Edit("*.yaml", "germany", "prussia"),))
    was = Edit("game.yaml", "start: play\n", "start: play\nwas: {nation.prussia: germany}\n")
    to = load_ruleset(written(tmp_path / "known", [prussia, RuleChange("its former name", (was,))]))
    replay = replayed(LOG)
    result = migrate(replay, to)
    assert (result.verdict, result.cause) == (FAITHFUL, None)
    check(result, replay)
    assert any("prussia" in str(placed.move) for placed in result.walk.moves)
    short, unknown = replay_log(LOG, until=60), load_ruleset(written(tmp_path / "unknown", [prussia]))
    assert [each.line for each in proposed([short], unknown)] == ["nation.prussia: germany"]


@pytest.mark.proof
def test_what_is_kept_replays_from_its_bundle_after_its_rules_are_gone(tmp_path: Path) -> None:
    own, plain, log = tmp_path / "own", tmp_path / "plain.jsonl", tmp_path / "games" / "game.jsonl"
    written(own, [])
    log.parent.mkdir()
    replay = replay_log(GAMES / "imperial" / "logs" / "nobody-invests.jsonl", rules=str(own))
    replay.write_native(plain)
    assert run(["log", str(plain), "--bundle", "--out", str(log)]) == 0
    before = log.read_bytes()
    shutil.rmtree(own)
    to = written(tmp_path / "to", [CHANGES["phase_added"], GONE])
    assert run(["migrate", str(log), "--to", to, "--out", str(tmp_path / "carried")]) == 1
    assert log.read_bytes() == before and not list((tmp_path / "carried").iterdir())
    again = replay_log(log)
    assert (again.divergence, again.other_end, again.game.hash) == (None, None, replay.game.hash)


@pytest.mark.proof
def test_a_table_goes_on_under_the_rules_it_was_begun_with(tmp_path: Path) -> None:
    """A game that is not over is carried like others; kept, it goes on from the bundle that it has."""
    replay = replay_log(LOG, until=60)
    log = tmp_path / "running.jsonl"
    replay.write_native(log)
    to = written(tmp_path / "to", [CHANGES["question_added"]])
    assert run(["migrate", str(log), "--to", to, "--out", str(tmp_path / "carried")]) == 0
    carried = replay_log(tmp_path / "carried" / "running.jsonl", rules=to)
    assert (carried.divergence, carried.game.is_over) == (None, False)
    assert carried.game.decision == replay.game.decision
    option = carried.game.legal_options[0]
    carried.game.apply(carried.game.parse(str(option), option.by, option.decision))
