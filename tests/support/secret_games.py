"""Games with secrets, each paired with another game that looks the same to a seat."""

from __future__ import annotations

import random

import pytest
from shipped import loaded

from rulespec.engine.game.game import Game, game_at
from rulespec.engine.game.seat_knowledge import NotFoundError
from rulespec.engine.game.secrets import PUBLIC
from rulespec.engine.logs.sealed import pending
from rulespec.engine.program.draws import Draws
from rulespec.engine.search.twins import determinize
from rulespec.engine.simulate.checked_playouts import choose

DECIDED = ["acquire", "dominion", "kuhn_poker", "leduc_poker", "liars_dice", "shadow_of_the_emperor", "skat"]
"""The games whose secrets are decided or drawn; in others, only derivable amounts of money are hidden."""
SHORT = ["kuhn_poker", "leduc_poker", "liars_dice"]
"""Those of them whose games take a moment."""
IN_TURN = [ref if ref in SHORT else pytest.param(ref, marks=pytest.mark.proof) for ref in DECIDED]
"""Parameters of tests that follow pairs of games: the long games are proofs, of 1 to 3 s each."""
SECRETIVE = sorted(["imperial", "imperial_2030", "imperial_asia", *DECIDED, "tutorial"])
"""All games with secrets, in the order of their names, as verified by a test."""
HIDING = [name for name in SECRETIVE if name not in ("acquire", "dominion", "shadow_of_the_emperor", "skat")]
"""The games whose hidden cells can be exchanged with those of another game (`sabotaged`). In the others, the visibility
of a card or tile depends on its place, or only simultaneous choices are secret."""


def played(ref: str, seed: int, moves: int, *, asked: bool = False) -> Game:
    """A random game after the given number of decisions, or at the next open simultaneous choice.

    With `asked`, chance decides until it is a seat's turn.
    """
    ruleset = loaded(ref)[0]
    seats = "ABCDEF"[: max(ruleset.players[0], min(4, ruleset.players[1]))]
    game, draws = Game(ruleset, seats, {"hide_cash": "true"} if "hide_cash" in ruleset.settings else {}), Draws(seed)
    together = any(d.held for d in game.omniscient.program.decisions)

    def goes_on() -> bool:
        by_chance = game.decision is not None and game.decision.by is None
        return game.ply < moves or (together and not pending(game)) or (asked and by_chance)

    while goes_on() and (option := choose(game, draws, interrupt_rate=0.05)) is not None:
        game.apply(option)
        if game.is_over:
            game.undo()
            break
    return game


def twins(ref: str, seeds: range, moves: int, *, asked: bool = False) -> list[tuple[Game, Game, str]]:
    """Pairs of games that look the same to a seat, with that seat; `asked` as in `played`."""
    results = []
    for seed in seeds:
        game = played(ref, seed, moves, asked=asked)
        for seat in game.seats:
            try:
                twin = determinize(game, seat, random.Random(seed))
            except NotFoundError:
                continue
            if [*map(str, twin.history)] != [*map(str, game.history)]:
                results.append((game, twin, seat))
    return results


def sabotaged(game: Game, seat: str | None, other: Game) -> Game:
    """The position of a game in which another game's cells replace those hidden from the seat."""
    cells, elsewhere = list(game.omniscient.numbers.cells), other.omniscient.numbers.cells
    viewer = PUBLIC if seat is None else game.seats.index(seat)
    unseen = game.omniscient.visibility.unseen(game.omniscient.numbers.state, viewer)
    for at in unseen:
        cells[at] = elsewhere[at]
    return game_at(game, cells)
