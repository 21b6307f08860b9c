"""Information a seat gained from moves about to be undone: people cannot forget it."""

from __future__ import annotations

from rulespec.engine.game.events import HIDDEN
from rulespec.engine.game.game import Game


def learned(game: Game, seat: str, number: int) -> tuple[str, ...]:
    """Facts from the last decisions that a seat could not know before them, and cannot have decided itself.

    These are outcomes of chance and choices of the others in rounds, where the seat has seen them (also choices of
    before, in a round that was closed), and what had been hidden from it and was shown in between, such as
    `player.Bob.card`. What others have decided openly is not among it, nor what follows from rules.

    Args:
        game: before anything is taken back; it is not changed.
        seat: who looks.
        number: how many decisions are to be taken back.

    Raises:
        IndexError: if there are not so many.
    """
    view, past = game.view(seat), game.copy()
    open_ = [set(view.hidden)]
    secret: list[bool] = []
    for _ in range(number):
        past.undo()
        open_.append(set(past.view(seat).hidden))
        assert past.decision is not None
        secret.append(past.decision.by is None or past.decision.together)
    events = view.history[len(view.history) - number :]
    notes = [
        str(event)
        for event, from_outside in zip(events, reversed(secret), strict=True)
        if from_outside and event.by != seat and event.option is not None and _says(event.option)
    ]
    opened = [str(now) for then, now in zip(past.view(seat).history, view.history, strict=False) if then != now]
    shown = {path for path in open_[-1] if not all(path in hidden for hidden in open_)}
    return tuple(dict.fromkeys([*opened, *notes, *sorted(shown)]))


def _says(option: str) -> bool:
    """Whether there is more in it than arguments that are hidden."""
    _, bracket, arguments = option.partition("(")
    return not bracket or {*arguments.rstrip(")").split(", ")} != {HIDDEN}
