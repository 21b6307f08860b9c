"""Seats of logs of version 1: a header with a list of names, which lines use instead of ids.

Names that are valid ids serve as ids: then all lines are unchanged, and seals match. If any name is not, the ids are
`A`, `B`, …, and replace the names in lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from rulespec.engine.game.option import TakenBack
from rulespec.engine.game.seat_names import comparable
from rulespec.engine.game.seating import can_be_ids, seat_names

Ids = Callable[[str], str]
"""A text with ids in the place of whole names."""


def seats_of(names: Sequence[str]) -> dict[str, str]:
    """Seat → name, from a list of names.

    Raises:
        ValueError: if two seats have the same name, as lines cannot distinguish them.
    """
    if can_be_ids(names):
        return {name: name for name in names}
    if len(set(map(comparable, names))) < len(names):
        raise ValueError("two seats have the same name, but lines identify seats by name")
    return dict(zip(seat_names(len(names)), names, strict=True))


def id_of(seats: Mapping[str, str]) -> Ids:
    """The id of a seat named in a line; other texts are unchanged."""
    ids = {comparable(name): seat for seat, name in seats.items()}
    return lambda text: ids.get(comparable(text), text)


def with_ids(seats: Mapping[str, str]) -> Ids:
    """An option with ids instead of names in its arguments, which may have any characters."""
    ids = {text: seat for seat, name in seats.items() for text in (name, comparable(name))}
    names = "|".join(re.escape(text) for text in sorted(ids, key=len, reverse=True))
    argument = re.compile(rf"(?<=[(,])( *)({names})( *)(?=[,)])")
    return lambda text: argument.sub(lambda match: f"{match[1]}{ids[match[2]]}{match[3]}", text)


def back_with_ids(back: TakenBack, seats: Mapping[str, str]) -> TakenBack:
    """An undo with ids instead of names in the values of fields."""
    seat = id_of(seats)
    fields = tuple((field, seat(value) if isinstance(value, str) else value) for field, value in back.set)
    return TakenBack(back.decisions, back.keep, fields)
