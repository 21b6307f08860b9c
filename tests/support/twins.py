"""Games that a seat cannot distinguish, and all output for that seat, which must be equal."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from rulespec.engine.game.game import Game, as_shown, own_options, restarted, seen_state
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.round import Round
from rulespec.engine.game.seat_knowledge import NotFoundError, learned
from rulespec.engine.logs.seat_log import seat_log
from rulespec.engine.search.twins import determinize

Outlets = dict[str, Any]
"""Outlet → the output for a seat."""
MOST_TRIED = 400
"""The maximum number of decisions tried to find an equivalent game."""


def outlets(game: Game, seat: str | None, texts: list[str], expressions: list[str]) -> Outlets:
    """The output of all outlets for a seat.

    Args:
        game: the game.
        seat: the viewer.
        texts: options to query, legal or not.
        expressions: expressions to evaluate.
    """
    return {
        "Game.view": game.view(seat).text(),
        "Game.why_not": [refused(game, seat, text) for text in texts],
        "Game.parse": [parsed(game, text) for text in texts],
        "Game.value": [game.omniscient.value(e, seat) for e in expressions],
        "Game.measures": game.omniscient.measures(seat),
        "Game.determinize": determinized(game, seat),
        "learned": learned(game, seat, back(game, seat, 4)) if seat is not None else (),
        "Round": round_of(game, seat),
        "seen_state": seen_state(game, seat),
        "log": [unsalted(line) for line in seat_log(game, seat)],
    }


def back(game: Game, seat: str, most: int) -> int:
    """The number of decisions to undo so that a seat is shown up to `most` fewer, including withdrawn ones."""
    past, least = game.copy(), max(0, as_shown(game, seat).ply - most)
    while as_shown(past, seat).ply > least:
        past.undo()
    return game.ply - past.ply


def round_of(game: Game, seat: str | None) -> list[Any]:
    """The output during a simultaneous decision: asked seats, seats without a choice, and the seat's own options."""
    own = [str(option) for option in own_options(game, seat)] if seat is not None else []
    if game.decision is None or not game.decision.together:
        return own
    round_ = Round(game)
    return [own, round_.asked, round_.forced, *([*map(str, round_.options(seat))] if seat in round_.asked else [])]


def unsalted(line: dict[str, Any]) -> dict[str, Any]:
    """A log line without its random values: salts and seals (test_sealed.py tests that these hide their content)."""
    return line | {key: "*" for key in ("salt", "sealed") if key in line}


def refused(game: Game, seat: str | None, text: str) -> str:
    try:
        return str(game.why_not(game.parse(text), seat))
    except ValueError as error:
        return str(error)


def parsed(game: Game, text: str) -> str:
    try:
        return repr(game.parse(text))
    except ValueError as error:
        return str(error)


def determinized(game: Game, seat: str | None) -> list[str]:
    """The decisions of an equivalent game, drawn with fixed random numbers."""
    if seat is None:
        return []
    try:
        return [str(option) for option in determinize(game, seat, random.Random(7), MOST_TRIED).history]
    except NotFoundError as error:
        return [str(error)]


def positions(game: Game, depth: int = 99) -> Iterator[Game]:
    """The positions of a game tree, visited with a single game object."""
    yield game
    if game.is_over or not depth:
        return
    for option in list(every_option(game)):
        game.apply(option)
        yield from positions(game, depth - 1)
        game.undo()


def observed(game: Game, seat: str | None) -> tuple[str, ...]:
    """A seat's views at each position along the way, without `memory`: decisions, state and own options."""
    return tuple(seen_now(past, seat) for past in way(game))


def seen_now(game: Game, seat: str | None) -> str:
    view = game.view(seat)
    events = [str(event) for event in view.history]
    now = (view.state, view.hidden, view.decision, list(map(str, view.options)), list(map(str, view.interrupts)))
    return repr((events, now, view.result))


def way(game: Game) -> Iterator[Game]:
    """The positions from the start to the game's current position."""
    past = restarted(game)
    yield past
    for option in game.history:
        past.apply(option)
        yield past


def differences(
    make: Callable[[], Game], expressions: list[str], *, depth: int = 99
) -> tuple[list[tuple[str, str, str]], int]:
    """Differences in output to a seat between indistinguishable positions of a whole game tree.

    Returns:
        The outlets with their different outputs, and the number of positions compared with an indistinguishable one.
    """
    game = make()
    texts = sorted({str(option) for position in positions(make(), depth) for option in every_option(position)})
    results: list[tuple[str, str, str]] = []
    alike = 0
    for seat in (*game.seats, None):
        seen: dict[tuple[str, ...], Outlets] = {}
        for position in positions(make(), depth):
            now = outlets(position, seat, texts, expressions)
            first = seen.setdefault(observed(position, seat), now)
            alike += first is not now
            results += [
                (outlet, str(first[outlet]), str(now[outlet])) for outlet in now if first[outlet] != now[outlet]
            ]
    return results, alike
