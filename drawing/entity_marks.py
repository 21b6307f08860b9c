# ruff: noqa: E501 - path data is one word
"""Marks of entities: symbols as path data in a 24 by 24 square, and distinct labels for entities without a symbol.

A symbol has room for a letter and a count in its centre.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rulespec.typed import nodes as typed
from rulespec.types import Ent

SYMBOLS = {
    "square": "M3 3H21V21H3Z",
    "circle": "M12 2A10 10 0 1 1 12 22A10 10 0 1 1 12 2Z",
    "diamond": "M12 1L23 12L12 23L1 12Z",
    "triangle": "M12 1L23 22H1Z",
    "hexagon": "M6.5 2.5H17.5L23 12L17.5 21.5H6.5L1 12Z",
    "octagon": "M7.5 2H16.5L22 7.5V16.5L16.5 22H7.5L2 16.5V7.5Z",
    "shield": "M3 2H21V12C21 18 16 21 12 23C8 21 3 18 3 12Z",
    "ship": "M1 5H23L18 20H6Z",
    "flag": "M3 1H5V3H23L19 9.5L23 16H5V23H3Z",
    "factory": "M2 22V9L8 5V9L14 5V9L20 5V2H23V22Z",
    "house": "M12 1L22 9V22H2V9Z",
    "tower": "M4 1H8V4H10V1H14V4H16V1H20V8H18V22H6V8H4Z",
    "star": "M12 0.5L15 7.5L23 8.5L17.5 14L19 22L12 18.5L5 22L6.5 14L1 8.5L9 7.5Z",
    "card": "M4 1H20V23H4Z",
    "pawn": "M12 1A5 5 0 0 1 15.5 9.5L19 20V23H5V20L8.5 9.5A5 5 0 0 1 12 1Z",
    "cross": "M8 1H16V8H23V16H16V23H8V16H1V8H8Z",
    "flame": "M12 0.5C15 6 21 9 21 15A9 8.5 0 0 1 3 15C3 11 6 10 7 6C9 8 10 9 10 11C12 9 12.5 5 12 0.5Z",
    "king": "M11 0H13V2.5H15.5V4.5H13V7C17 6 22 8 20.5 13L18 18.5V23H6V18.5L3.5 13C2 8 7 6 11 7V4.5H8.5V2.5H11Z",
    "queen": "M1.5 6L6.5 11L7 3L11 10L12 1.5L13 10L17 3L17.5 11L22.5 6L19 18.5V23H5V18.5Z",
    "rook": "M4 2H8V5H10V2H14V5H16V2H20V9L17 11V18L20 20V23H4V20L7 18V11L4 9Z",
    "bishop": "M12 0.5A2 2 0 0 1 13.2 4C17 6.5 18.5 10 17.5 13.5L15.5 17L19 20V23H5V20L8.5 17L6.5 13.5C5.5 10 7 6.5 10.8 4A2 2 0 0 1 12 0.5Z",
    "knight": "M9 1L10.5 4C17 5 20 11 19.5 23H6C6 18 11 16 11.5 12C9 14.5 6.5 13.5 5 16L2.5 14.5C3 10 5 6 8 4.5Z",
    "ring": "M12 1A11 11 0 1 1 12 23A11 11 0 1 1 12 1ZM12 5A7 7 0 1 0 12 19A7 7 0 1 0 12 5Z",
    "eye": "M1 12C6 3 18 3 23 12C18 21 6 21 1 12Z",
}
"""Name → path data; a drawing may add its own."""

TYPES = (
    "square",
    "ship",
    "flag",
    "diamond",
    "hexagon",
    "triangle",
    "octagon",
    "shield",
    "house",
    "star",
    "cross",
    "card",
)
"""The default symbols of types of pieces, in order of assignment."""

_NUMBERED = re.compile(r"[A-Za-z]{1,2}[ _]?(\d+)")
"""A name made of one or two letters and a number, such as `t57`."""
_MOST = 3
"""The maximum number of characters of a label."""


def number_of(entity: typed.Entity) -> str:
    """The number in the name of an untitled entity; "" if its name is a word."""
    untitled = entity.title == entity.name.replace("_", " ")
    match = _NUMBERED.fullmatch(entity.name) if untitled else None
    return match.group(1) if match is not None else ""


def numbers_of(d: typed.Declarations, kind: str) -> dict[str, str]:
    """The numbered entities of a kind, as a map from name to number; empty if two share a number."""
    if kind in d.boards and d.boards[kind].form != "line":
        return {}
    numbers = {entity.name: number for entity in d.kinds[kind].entities if (number := number_of(entity))}
    return numbers if len(set(numbers.values())) == len(numbers) else {}


def is_label(title: str) -> bool:
    """Whether a title is short enough to be a label: at most two characters, or a coordinate such as `a10`."""
    return len(title) <= 2 or (len(title) <= _MOST and title[-1].isdigit())


class LabelStock:
    """A generator of distinct labels.

    Args:
        taken: labels already in use.
    """

    def __init__(self, taken: Sequence[str] = ()) -> None:
        self._taken = set(taken)
        self._counted = 0

    def of(self, title: str) -> str:
        """A new label for a title: its initial or, if taken, more of its letters or a number."""
        label = next((text for text in _tries(title) if text not in self._taken), "")
        while not label or label in self._taken:
            self._counted += 1
            label = f"{title[:1].upper()}{self._counted}"
        self._taken.add(label)
        return label

    def numbered(self, title: str, numbers: Sequence[str]) -> list[str]:
        """New labels for a kind's numbered entities, such as `#5`; if one is taken, with an initial, such as `R#5`."""
        signs = ("#", *(f"{text}#" for text in _tries(title)))
        sign = next(sign for sign in (*signs, "##") if all(f"{sign}{each}" not in self._taken for each in numbers))
        labels = [f"{sign}{each}" for each in numbers]
        self._taken.update(labels)
        return labels


def _tries(title: str) -> Iterator[str]:
    """Candidate labels for a title, shortest first."""
    parts = [word for word in re.split(r"[\s_\-&.,()]+", title) if word] or ["?"]
    first = parts[0]
    if is_label(title):
        yield title
    yield first[0].upper()
    yield "".join(part[0] for part in parts[:2]).upper()
    yield first[:2].capitalize()
    yield "".join(part[0] for part in parts[:_MOST]).upper()
    yield from (f"{first[0].upper()}{letter.lower()}" for letter in first[2:])
    yield from (f"{first[0].upper()}{part[0].lower()}" for part in parts[1:])
    yield first[:_MOST].capitalize()
    yield from (f"{first[:2].capitalize()}{letter.lower()}" for letter in first[3:])


def entity_facts(d: typed.Declarations, places: typed.Kind, form: str) -> list[str]:
    """The names of a place kind's entity-valued facts; for mats, those of the kind of their cells."""
    cells = d.kinds[places.product[1]] if form == "mats" and len(places.product) == 2 else places
    return [f.name for f in cells.facts.values() if isinstance(f.type, Ent)]
