"""Labels for entities and fields that have none in the drawing, distinct within a picture."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rulespec.typed import nodes as typed

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
    """The numbered entities of a kind: name → number, or empty if two share a number."""
    if kind in d.boards and d.boards[kind].form != "line":
        return {}
    numbers = {entity.name: number for entity in d.kinds[kind].entities if (number := number_of(entity))}
    return numbers if len(set(numbers.values())) == len(numbers) else {}


def is_label(title: str) -> bool:
    """Whether a title is short enough to be a label: two characters, or a coordinate such as `a10`."""
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
        """A new label for a title: its initial, otherwise more of its letters, otherwise a number."""
        label = next((text for text in _tries(title) if text not in self._taken), "")
        while not label or label in self._taken:
            self._counted += 1
            label = f"{title[:1].upper()}{self._counted}"
        self._taken.add(label)
        return label

    def numbered(self, title: str, numbers: Sequence[str]) -> list[str]:
        """New labels for the numbered entities of a kind: `#5`, or with the initial of the kind if those are taken."""
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
