"""Names of the people at a game's seats: any text. Rules, logs and views use the ids of seats.

    names = {"A": "Ann (host)", "B": "Smith, John"} seat_of(names, "Ann (host)")  # "A" shown_names(names)  # the same
    names as displayed

Composed and decomposed letters are equal: names are compared in NFC.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping

from rulespec.diagnostics.escape import escaped

MAX_NAME = 500
"""Characters of a name."""
_MAX_SHOWN = 60
"""Characters of a name on a screen or a page."""


class AmbiguousNameError(ValueError):
    """An ambiguous name; `seats` are the ids of all seats with it."""

    def __init__(self, seats: tuple[str, ...]) -> None:
        super().__init__(f"several seats have this name: {', '.join(seats)}")
        self.seats = seats


def comparable(name: str) -> str:
    """A name normalized to NFC for comparison."""
    return unicodedata.normalize("NFC", name)


def shown_names(names: Mapping[str, str]) -> dict[str, str]:
    """Seat → displayed name: on one line, bounded, escaped, and different from other seats' names and ids.

    A name without visible characters becomes the id of its seat; names that look alike also show their ids.
    """
    plain = {seat: _shown(name) or seat for seat, name in names.items()}
    times = Counter(plain.values())
    return {
        seat: f"{name} ({seat})" if times[name] > 1 or (name != seat and name in names) else name
        for seat, name in plain.items()
    }


def _shown(name: str) -> str:
    text = comparable(name).strip()
    if len(text) > _MAX_SHOWN:
        text = text[: _MAX_SHOWN - 1] + "…"
    # A mark would be put onto the last character of the text before it.
    mark = text[:1] if unicodedata.category(text[:1] or " ").startswith("M") else ""
    return mark.encode("unicode_escape").decode() + escaped(text[len(mark) :])


def seat_of(names: Mapping[str, str], text: str) -> str | None:
    """The seat with an id or a name, plain or as displayed; None if there is none.

    Ids take precedence: a person may have the id of another seat as name.

    Raises:
        AmbiguousNameError: if several seats have the name.
    """
    if text in names:
        return text
    wanted = comparable(text)
    for called in (names, shown_names(names)):
        results = tuple(seat for seat, name in called.items() if comparable(name) == wanted)
        if len(results) > 1:
            raise AmbiguousNameError(results)
        if results:
            return results[0]
    return None


def speaker(names: Mapping[str, str], text: str) -> tuple[str, str] | None:
    """The seat whose id or name precedes a text's colon, and the rest of the text; None if there is none.

    The longest name wins: `A:B: take(2)` is said by `A:B`.

    Raises:
        AmbiguousNameError: if several seats have the name.
    """
    for at in reversed([i for i, char in enumerate(text) if char == ":"]):
        seat = seat_of(names, text[:at].strip()) or seat_of(names, text[:at])
        if seat is not None:
            return seat, text[at + 1 :].strip()
    return None
