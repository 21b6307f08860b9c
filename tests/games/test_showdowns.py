"""Showdowns: who is in shows the hand to all at the end and not before; after a fold it stays hidden."""

from __future__ import annotations

from typing import Any

import pytest
from shipped import loaded
from tables import still_table

from rulespec.engine.game.game import Game, restarted
from rulespec.engine.table.telling import seen_moves
from rulespec.engine.words.words import Words

CASES: list[tuple[str, str, str, dict[str, Any], set[str]]] = [
    ("liars_dice", "AB", "throw(3) throw(5) bid(1,5) liar", {"A": 3, "B": 5}, set()),
    ("kuhn_poker", "AB", "deal(queen) deal(king) leave_it leave_it", {"A": "queen", "B": "king"}, set()),
    ("kuhn_poker", "AB", "deal(queen) deal(king) bet leave_it", {}, {"A", "B"}),
    ("kuhn_poker", "AB", "deal(queen) deal(king) leave_it bet leave_it", {}, {"A", "B"}),
    ("kuhn_poker", "ABC", "deal(queen) deal(king) deal(ace) bet leave_it bet", {"A": "queen", "C": "ace"}, {"B"}),
    ("kuhn_poker", "ABC", "deal(queen) deal(king) deal(ace) leave_it bet leave_it leave_it", {}, {"A", "B", "C"}),
    ("leduc_poker", "AB", "deal(king_of_hearts) deal(jack_of_hearts) raise fold", {}, {"A", "B"}),
    (
        "leduc_poker",
        "AB",
        "deal(king_of_hearts) deal(jack_of_hearts) call call turn(jack_of_spades) raise call",
        {"A": "king_of_hearts", "B": "jack_of_hearts"},
        set(),
    ),
    (
        "leduc_poker",
        "AB",
        "deal(king_of_hearts) deal(jack_of_hearts) call call turn(jack_of_spades) raise fold",
        {},
        {"A", "B"},
    ),
]


def played(ref: str, seats: str, moves: str) -> Game:
    game = Game(loaded(ref)[0], list(seats))
    for text in moves.split():
        game.apply(game.parse(text.replace(",", ", ")))
    assert game.is_over
    return game


def hands(game: Game, viewer: str | None) -> dict[str, Any]:
    """The cards or dice that a viewer sees."""
    players = game.view(viewer).state["entities"]["player"]
    return {seat: of[name] for seat, of in players.items() for name in ("card", "die") if name in of}


@pytest.mark.parametrize("ref, seats, moves, shown, hidden", CASES)
def test_hands_at_the_end(ref: str, seats: str, moves: str, shown: dict[str, Any], hidden: set[str]) -> None:
    game = played(ref, seats, moves)
    assert hands(game, None) == shown and shown.keys() | hidden == set(seats)
    for seat in seats:
        assert hands(game, seat).keys() == shown.keys() | {seat}
    while game.ply:
        game.undo()
        assert hands(game, None) == {}


@pytest.mark.parametrize("ref, seats, moves, shown, hidden", CASES)
def test_the_last_move_says_what_is_shown(
    ref: str, seats: str, moves: str, shown: dict[str, Any], hidden: set[str]
) -> None:
    game = played(ref, seats, moves)
    words = Words(game.ruleset)
    for viewer in (None, *seats):
        changes = [*seen_moves(words, game, viewer, game.ply - 1)][-1].changes
        said = [text for text in changes if " card: " in text or " die: " in text]
        assert [text[0] for text in said] == sorted(shown.keys() - {viewer}) and "?" not in "".join(said)


def test_a_table_shows_the_hands_with_the_last_move() -> None:
    game = played(*CASES[4][:3])
    table = still_table(restarted(game))
    for option in game.history:
        before = table.say(None)["serial"]
        table.played.take(table.game.parse(str(option), option.by))
        table.confirm()
    names = table.cells.names()
    newer = {".".join(names[int(at)][1:3]): value for at, value in table.say(None, before)["cells"].items()}
    assert {path: value for path, value in newer.items() if path.endswith(".card")} == {
        "A.card": "queen",
        "C.card": "ace",
    }
