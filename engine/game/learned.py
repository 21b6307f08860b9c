"""Information a seat gained from moves about to be undone."""

from __future__ import annotations

from rulespec.engine.game.events import HIDDEN
from rulespec.engine.game.game import Game, as_shown, hidden_paths, seen_events


def learned(game: Game, seat: str, number: int) -> tuple[str, ...]:
    """The facts that a seat learned from the last decisions and could neither know nor decide itself.

    These are visible chance outcomes, other seats' visible choices in rounds (including the earlier choices of a
    round that has since closed), and newly revealed values such as `player.Bob.card`. Other seats' open decisions and
    consequences of the rules are not included.

    Args:
        game: the game before the undo; it is not changed.
        seat: the viewer.
        number: the number of decisions to undo.

    Raises:
        IndexError: if there are fewer decisions.
    """
    past = game.copy()
    for _ in range(number):
        past.undo()
    now, then = as_shown(game, seat), as_shown(past, seat)
    open_ = [set(hidden_paths(now, seat))]
    secret: list[bool] = []
    back = now.copy()
    while back.ply > then.ply:
        back.undo()
        open_.append(set(hidden_paths(back, seat)))
        assert back.decision is not None
        secret.append(back.decision.by is None or back.decision.together)
    events = seen_events(now, seat, then.ply)
    notes = [
        str(event)
        for event, from_outside in zip(events, reversed(secret), strict=True)
        if from_outside and event.by != seat and event.option is not None and _says(event.option)
    ]
    numbers = then.omniscient.numbers
    round_ = then.ply - then.omniscient.visibility.chosen(numbers.state, numbers.asked).bit_count()
    before, after = seen_events(then, seat, round_), seen_events(now, seat, round_)
    opened = [str(seen) for hidden, seen in zip(before, after, strict=False) if hidden != seen]
    shown = {path for path in open_[-1] if not all(path in hidden for hidden in open_)}
    return tuple(dict.fromkeys([*opened, *notes, *sorted(shown)]))


def _says(option: str) -> bool:
    """Whether an option text reveals anything: it has no arguments, or at least one visible argument."""
    _, bracket, arguments = option.partition("(")
    return not bracket or {*arguments.rstrip(")").split(", ")} != {HIDDEN}
