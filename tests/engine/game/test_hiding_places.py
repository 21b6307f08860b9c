"""The places where a seat may not see a token."""

from __future__ import annotations

import random

from secret_games import played
from shipped import loaded

from rulespec.engine.game.game import Game, waiting


def hiding(game: Game, seat: str) -> set[str]:
    """The places, by name, where a seat may not see tokens."""
    visibility, number = game.omniscient.visibility, game.seats.index(seat)
    guarded = visibility.guarded(game.omniscient.numbers.state, number)
    places = visibility.hiding.places(guarded, number)
    assert len({*places.values()}) == 1
    return {where(game, place) for place in next(iter(places.values()))}


def where(game: Game, place: int) -> str:
    """A private place of Skat by its number: the skat comes first, then the hands."""
    return ["skat", *(f"hand of {seat}" for seat in game.seats)][place]


def test_a_seat_sees_its_own_hand() -> None:
    game = Game(loaded("skat")[0], ["A", "B", "C"])
    assert hiding(game, "B") == {"skat", "hand of A", "hand of C"}


def test_places_that_open_in_a_game_hide_nothing_then() -> None:
    """The declarer sees the skat that he has picked up, and only he."""
    game, luck = Game(loaded("skat")[0], ["A", "B", "C"]), random.Random(5)
    while game.decision is None or game.decision.name != "discard":
        options = list(game.legal_options)
        chosen = [option for option in options if option.kind.name == "pick_up"]
        game.apply(luck.choice(chosen or options))
    (declarer,) = waiting(game)
    assert "skat" not in hiding(game, declarer)
    assert all("skat" in hiding(game, seat) for seat in game.seats if seat != declarer)


def test_hidden_tokens_are_in_these_places() -> None:
    for ref in ("acquire", "skat"):
        game = played(ref, 1, 60)
        while game.ply:
            game.undo()
            visibility, state = game.omniscient.visibility, game.omniscient.numbers.state
            for number in range(len(game.seats)):
                guarded = visibility.guarded(state, number)
                places = visibility.hiding.places(guarded, number)
                assert all(state[at] in places[at] for at in guarded.unseen & places.keys())
                assert all(state[at] not in places[at] for at in places.keys() - guarded.unseen)
