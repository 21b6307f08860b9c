"""The display names of the people at a game's seats; names are arbitrary texts, while rules, logs and views use seat
ids.

    names = {"A": "Ann (host)", "B": "Smith, John"}
    seat_of(names, "Ann (host)")  # "A"
    shown_names(names)  # the same names as displayed

Names are compared in NFC, so composed and decomposed letters compare equal.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping

from rulespec.diagnostics.diagnostic import escaped

MAX_NAME = 500
"""Maximum length of a name, in characters."""
_MAX_SHOWN = 60
"""Maximum length of a displayed name, in characters."""


class AmbiguousNameError(ValueError):
    """Raised for an ambiguous name; `seats` lists the ids of all seats with this name."""

    def __init__(self, seats: tuple[str, ...]) -> None:
        super().__init__(f"several seats have this name: {', '.join(seats)}")
        self.seats = seats


def comparable(name: str) -> str:
    """A name normalised to NFC for comparison."""
    return unicodedata.normalize("NFC", name)


def shown_names(names: Mapping[str, str]) -> dict[str, str]:
    """The displayed name of each seat: a single line of bounded length, escaped and distinct from all other names and
    ids.

    A name without visible characters is replaced by the id of its seat; equal names are followed by their ids.
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
    # A leading combining mark would attach to the last character of the preceding text.
    mark = text[:1] if unicodedata.category(text[:1] or " ").startswith("M") else ""
    return mark.encode("unicode_escape").decode() + escaped(text[len(mark) :])


def seat_of(names: Mapping[str, str], text: str) -> str | None:
    """The seat with an id, name or displayed name; None if there is no such seat.

    Ids take precedence, since one person's name may be the id of another seat.

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
    """The seat named before a colon in a text, by id or name, and the rest of the text; None if no seat is named.

    The longest name wins: the speaker of `A:B: take(2)` is `A:B`.

    Raises:
        AmbiguousNameError: if several seats have the name.
    """
    for at in reversed([i for i, char in enumerate(text) if char == ":"]):
        seat = seat_of(names, text[:at].strip()) or seat_of(names, text[:at])
        if seat is not None:
            return seat, text[at + 1 :].strip()
    return None
