"""Information a seat gained from moves about to be undone: people cannot forget it."""

from __future__ import annotations

from rulespec.engine.game.events import HIDDEN
from rulespec.engine.game.game import Game, hidden_paths, seen_events


def learned(game: Game, seat: str, number: int) -> tuple[str, ...]:
    """Facts from the last decisions that a seat could not know before, and cannot have decided itself.

    These are outcomes of chance and choices of the others in rounds, where the seat has seen them (also earlier
    choices, in a round that was closed), and values that had been hidden from it and were shown in between, such as
    `player.Bob.card`. Open decisions of others are not among them, nor consequences of the rules.

    Args:
        game: the game before anything is taken back; it is not changed.
        seat: the viewer.
        number: the number of decisions to be taken back.

    Raises:
        IndexError: if there are fewer.
    """
    past = game.copy()
    open_ = [set(hidden_paths(game, seat))]
    secret: list[bool] = []
    for _ in range(number):
        past.undo()
        open_.append(set(hidden_paths(past, seat)))
        assert past.decision is not None
        secret.append(past.decision.by is None or past.decision.together)
    events = seen_events(game, seat, past.ply)
    notes = [
        str(event)
        for event, from_outside in zip(events, reversed(secret), strict=True)
        if from_outside and event.by != seat and event.option is not None and _says(event.option)
    ]
    numbers = past.omniscient.numbers
    round_ = past.ply - past.omniscient.visibility.chosen(numbers.state, numbers.asked).bit_count()
    before, after = seen_events(past, seat, round_), seen_events(game, seat, round_)
    opened = [str(now) for then, now in zip(before, after, strict=False) if then != now]
    shown = {path for path in open_[-1] if not all(path in hidden for hidden in open_)}
    return tuple(dict.fromkeys([*opened, *notes, *sorted(shown)]))


def _says(option: str) -> bool:
    """Whether anything but hidden arguments is in it."""
    _, bracket, arguments = option.partition("(")
    return not bracket or {*arguments.rstrip(")").split(", ")} != {HIDDEN}
