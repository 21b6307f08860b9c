"""Seats in logs of version 1, where the header lists names, and lines use the names instead of ids.

If all names are valid ids, they serve as ids, so that all lines stay unchanged and seals match. Otherwise the ids are
`A`, `B`, …, which replace the names in lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from rulespec.engine.game.option import TakenBack
from rulespec.engine.game.seat_names import comparable
from rulespec.engine.game.seating import can_be_ids, seat_names

Ids = Callable[[str], str]
"""A function that replaces the names of seats in a text with their ids."""


def seats_of(names: Sequence[str]) -> dict[str, str]:
    """The mapping from seat ids to names, for a list of names.

    Raises:
        ValueError: if two seats have the same name, since lines could not distinguish them.
    """
    if can_be_ids(names):
        return {name: name for name in names}
    if len(set(map(comparable, names))) < len(names):
        raise ValueError("two seats have the same name, but lines identify seats by name")
    return dict(zip(seat_names(len(names)), names, strict=True))


def id_of(seats: Mapping[str, str]) -> Ids:
    """A function from the name of a seat to its id, which leaves other texts unchanged."""
    ids = {comparable(name): seat for seat, name in seats.items()}
    return lambda text: ids.get(comparable(text), text)


def with_ids(seats: Mapping[str, str]) -> Ids:
    """A function that puts ids in place of names in the arguments of an option; names may contain any characters."""
    ids = {text: seat for seat, name in seats.items() for text in (name, comparable(name))}
    names = "|".join(re.escape(text) for text in sorted(ids, key=len, reverse=True))
    argument = re.compile(rf"(?<=[(,])( *)({names})( *)(?=[,)])")
    return lambda text: argument.sub(lambda match: f"{match[1]}{ids[match[2]]}{match[3]}", text)


def back_with_ids(back: TakenBack, seats: Mapping[str, str]) -> TakenBack:
    """An undo in which seat ids replace seat names in the values of fields."""
    seat = id_of(seats)
    fields = tuple((field, seat(value) if isinstance(value, str) else value) for field, value in back.set)
    return TakenBack(back.decisions, back.keep, fields)
