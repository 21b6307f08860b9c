"""Changes as a person says them: what a set has won and lost, what has gone from space to space."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import write

from rulespec.engine.game.game import Game
from rulespec.engine.words.changes import Changes
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset

FILES = {
    "game.yaml": "id: pond\ntitle: Pond\nversion: '1'\nplayers: {kind: player, min: 2, max: 2}\nstart: play\n",
    "boards.yaml": "boards: {leaf: {grid: {columns: a..c, rows: 1..2}}}\n",
    "kinds.yaml": """
kinds:
  frog: {entities: {green: {}, brown: {}}}
  leaf: {state: {frog: {type: "frog?"}, owner: {type: "player?"}}}
  player: {}
state: {seen: {type: set frog}}
""",
    "rules/play.rules": """
procedure play():
    set a1.frog to green
    set b1.frog to brown
    set a2.owner to first(player)
    set seen to {green}
    repeat at most 9:
        decide leap by first(player):
            option one(x in leaf where x.frog is some, y in leaf where y.frog is none):
                let goes = x.frog
                set x.frog to none
                set y.frog to goes
            option both:
                set a1.frog to none
                set b1.frog to none
                set c1.frog to green
                set c2.frog to green
            option owned:
                set a2.owner to none
                set b2.owner to first(player)
            option see: set seen to {green, brown}
            option look_away: set seen to {brown}
""",
}


@pytest.fixture
def game(tmp_path: Path) -> Game:
    write(tmp_path / "pond", FILES)
    return Game(load_ruleset(str(tmp_path / "pond")), ["Ann", "Bob"])


def changes_by(game: Game, *options: str) -> list[str]:
    """The changes by the last of some options."""
    changes = Changes(Narrator(Words(game.ruleset), game))
    for option in options:
        before = changes.snapshot()
        game.apply(game.parse(option))
    return [change.text for change in changes.since(before)]


def test_what_leaves_a_space_and_comes_to_another_has_gone_there(game: Game) -> None:
    changes = Changes(Narrator(Words(game.ruleset), game))
    before = changes.snapshot()
    game.apply(game.parse("one(a1, c2)"))
    (change,) = changes.since(before)
    assert change.text == "green: a1 → c2" and change.where == ("leaf.a1", "leaf.c2")


def test_what_comes_twice_has_not_gone(game: Game) -> None:
    assert changes_by(game, "both") == [
        "a1 frog: no longer green",
        "b1 frog: no longer brown",
        "c1 frog: green",
        "c2 frog: green",
    ]


def test_who_owns_a_space_does_not_go(game: Game) -> None:
    assert changes_by(game, "owned") == ["a2 owner: no longer Ann", "b2 owner: Ann"]


def test_a_set_is_told_by_what_it_has_won_and_lost(game: Game) -> None:
    assert changes_by(game, "see") == ["seen: also brown"]
    assert changes_by(game, "look_away") == ["seen: no longer green"]


def test_a_set_that_keeps_nothing_is_told_whole(game: Game) -> None:
    assert changes_by(game, "look_away") == ["seen: green → brown"]
