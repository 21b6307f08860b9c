"""Each recorded move of chess and backgammon, typed as it is printed, is the one that `play` takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from folders import GAMES

from rulespec.cli.option_list import matches
from rulespec.cli.people import Person
from rulespec.engine.game.game import restarted
from rulespec.engine.replay.replay import replay_log
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.words import Words

LOGS = sorted(path for game in ("chess", "backgammon") for path in (GAMES / "gallery" / game / "logs").glob("*.jsonl"))


@pytest.mark.parametrize("path", LOGS, ids=lambda p: f"{p.parent.parent.name}-{p.stem}")
@pytest.mark.sampled(1)
def test_a_move_typed_as_it_is_printed_is_found(path: Path) -> None:
    played = replay_log(path).game
    game = restarted(played)
    narrator = Narrator(Words(game.ruleset), game)
    for option in played.history:
        legal = list(game.legal_options)
        assert [str(o) for o in matches(narrator.option(option), legal, narrator.option)] == [str(option)]
        game.apply(option)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "typed, wanted",
    [("knight g1-f3", "go(g1, f3)"), ("knightg1f3", "go(g1, f3)"), ("g1 f3", "go(g1, f3)"), ("e2e4", "go(e2, e4)")],
)
def test_moves_of_chess_can_be_typed_in_many_ways(typed: str, wanted: str) -> None:
    game = restarted(replay_log(GAMES / "gallery" / "chess" / "logs" / "mate.jsonl").game)
    narrator = Narrator(Words(game.ruleset), game)
    assert [str(o) for o in matches(typed, list(game.legal_options), narrator.option)] == [wanted]


@pytest.mark.parametrize(
    "name, typed, wanted",
    [
        ("chess", "Nf3", "go(g1, f3)"),
        ("chess", "Ng1-f3", "go(g1, f3)"),
        ("chess", "e4", "go(e2, e4)"),
        ("chess", "e9", None),
        ("connect_four", "d", "drop(d1)"),
        ("backgammon", "3-1:", "opening(3, 1)"),
    ],
)
def test_moves_are_typed_in_the_notation_of_the_game(name: str, typed: str, wanted: str | None) -> None:
    log = next(path for path in sorted((GAMES / "gallery" / name / "logs").glob("*.jsonl")))
    game = restarted(replay_log(log).game)
    person = Person(Words(game.ruleset), game, None)
    if wanted is None:
        with pytest.raises(ValueError, match="no option `e9`"):
            person.meant(typed)
    else:
        assert str(person.meant(typed)) == wanted
