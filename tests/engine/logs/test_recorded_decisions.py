"""A recorded decision is taken as its option would be: parsed, tested, applied."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from folders import SHIPPED

from rulespec.engine.game.game import Game, take_named
from rulespec.engine.game.option import IllegalOptionError, Option
from rulespec.engine.game.seating import seat_names
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.load import load_ruleset

Recorded = tuple[str, str | None, str]
DECISIONS = 40


class After(NamedTuple):
    hash: str
    ply: int
    over: bool
    decision: object


def parsed_and_applied(game: Game, text: str, by: str | None, decision: str) -> Option:
    return game.apply(game.parse(text, by, decision))


def taken(game: Game, take: Callable[[Game, str, str | None, str], Option], recorded: Recorded) -> tuple[object, After]:
    """The option or the error of taking a decision, and the position after it."""
    twin = game.copy()
    result: object
    try:
        result = take(twin, *recorded)
    except (IllegalOptionError, ValueError) as error:
        result = type(error), str(error)
    return result, After(twin.hash, twin.ply, twin.is_over, twin.decision)


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
@pytest.mark.sampled(3)
def test_a_recorded_decision_is_parsed_tested_and_applied(folder: Path) -> None:
    ruleset = load_ruleset(str(folder))
    game, draws = Game(ruleset, seat_names(min(ruleset.players), ruleset.seats)), Draws(5)
    before: list[Recorded] = [("nothing", None, ""), ("nothing()", game.seats[0], "nowhere")]
    legal = refused = 0
    while not game.is_over and game.ply < DECISIONS:
        option = choose(game, draws)
        assert option is not None
        text = str(option).partition(": ")[2] or str(option)
        now = [(text, by, name) for by in (option.by, None, game.seats[-1]) for name in (option.decision, "")]
        for text, by, name in [*now, *before[-4:]]:
            one_by_one, after = taken(game, parsed_and_applied, (text, by, name))
            assert taken(game, take_named, (text, by, name)) == (one_by_one, after)
            legal, refused = legal + (after.ply > game.ply), refused + (after.ply == game.ply)
        before.append(now[0])
        game.apply(option)
    assert legal and refused
