"""Seats and settings of a table, checked before a game starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.report import Report
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.engine.game.seat_names import MAX_NAME, comparable
from rulespec.syntax.keywords import NO_VALUES
from rulespec.typed import nodes as typed
from rulespec.typed.seat_kinds import entity_names
from rulespec.typed.settings import refused, taken

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SIGNS = frozenset("(),:")
"""Delimiters of an option's arguments, and of the seat before an option; no id may contain them."""
MAX_ID = 80
"""Maximum length of a seat's id, in characters."""
_MOST_SHOWN = 10**18
"""The smallest number of seats that is too long to quote."""


def check_settings(ruleset: typed.Ruleset, settings: Mapping[str, str | int]) -> dict[str, str]:
    """All settings of the ruleset, with their values as text.

    Raises:
        DiagnosticsError: RS705 for an unknown setting, RS706 for an invalid value.
    """
    report = Report()
    chosen = {o.name: o.default for o in ruleset.settings.values()}
    for name, value in settings.items():
        if name not in chosen:
            hint = did_you_mean(name, chosen)
            report.error("RS705", f"`{ruleset.ref}` has no setting `{name}`", None, help=hint)
            continue
        text = taken(ruleset.settings[name], value)
        if text is None:
            shown = str(value).lower() if isinstance(value, bool) else str(value)
            report.error("RS706", f"the setting `{name}` {refused(ruleset.settings[name], shown)}", None)
            continue
        chosen[name] = text
    report.raise_if_errors()
    return chosen


def seated(ruleset: typed.Ruleset, seats: Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    """The seats of a table: id → displayed name, clockwise.

    Args:
        ruleset: the rules.
        seats: a mapping from ids to names, or only the names. If all names are valid ids, they serve as ids; otherwise
            the ids come from `seat_names`.

    Raises:
        DiagnosticsError: RS707 for an unsupported number of seats, RS708 for an invalid id, RS649 for a name that is
            too long.
    """
    report = Report()
    _check_number(ruleset, len(seats), report)
    if isinstance(seats, Mapping):
        names = dict(seats)
        for message, help_ in _unfit(ruleset, tuple(names)):
            report.error("RS708", message, None, help=help_)
    elif can_be_ids(seats) and not _unfit(ruleset, tuple(seats)):
        names = {seat: seat for seat in seats}
    else:
        names = dict(zip(seat_names(len(seats), ruleset.seats), seats, strict=True))
    for seat, name in names.items():
        if len(name) > MAX_NAME:
            message = f"the name of seat {shown(seat)} is too long ({len(name):,} characters): {shown(name)}"
            report.error("RS649", message, None, help=f"shorten it to {MAX_NAME:,} characters")
    report.raise_if_errors()
    return names


def can_be_id(text: str) -> bool:
    """Whether a text can be a seat id; ids appear as arguments of options and, in scenarios, before a colon."""
    return (
        0 < len(text) <= MAX_ID
        and text.isprintable()
        and text == comparable(text.strip())
        and not _SIGNS.intersection(text)
        and text not in NO_VALUES
    )


def can_be_ids(names: Sequence[str]) -> bool:
    """Whether names can be the seat ids of one table, which must be valid and distinct."""
    return len(set(names)) == len(names) and all(map(can_be_id, names))


def _unfit(ruleset: typed.Ruleset, seats: tuple[str, ...]) -> list[tuple[str, str]]:
    """The reasons why texts cannot be the seat ids of a table: messages, each with its help."""
    results = []
    for i, seat in enumerate(seats):
        if not can_be_id(seat):
            help_ = "write a word such as `A`; the display name can be any text"
            results.append((f"{shown(seat)} cannot be the id of a seat", help_))
        elif seat in ruleset.seats and ruleset.seats.index(seat) != i:
            meant = ruleset.seats.index(seat) + 1
            message = f"{shown(seat)} is the rules' name for seat {meant}, so it cannot be the id of seat {i + 1}"
            results.append((message, "choose another id; the display name can be any text"))
    for kind in ruleset.kinds.values():
        if kind.product and kind.by_seat and (name := _twice(entity_names(ruleset.kinds, kind.name, seats))):
            message = f"with these ids of seats, two entities of `{kind.name}` would be called {shown(name)}"
            results.append((message, "choose ids without `_`"))
    return results


def _twice(words: Iterable[str]) -> str:
    """The first repeated word; "" if there is none."""
    seen: set[str] = set()
    for word in words:
        if word in seen:
            return word
        seen.add(word)
    return ""


def usual_seats(ruleset: typed.Ruleset) -> tuple[str, ...]:
    """The default seats of a scenario: the seats named in the rules, or two seats if the game supports two."""
    fewest, most = ruleset.players
    return seat_names(fewest if ruleset.seats else min(max(2, fewest), most), ruleset.seats)


def seats_of(ruleset: typed.Ruleset, number: int | None = None) -> tuple[str, ...]:
    """The default seat ids of a table with a given number of seats; by default, the smallest number allowed.

    Raises:
        DiagnosticsError: RS707 for an unsupported number of seats, however large it is.
    """
    report = Report()
    chosen = ruleset.players[0] if number is None else number
    _check_number(ruleset, chosen, report)
    report.raise_if_errors()
    return seat_names(chosen, ruleset.seats)


def _check_number(ruleset: typed.Ruleset, number: int, report: Report) -> None:
    low, high = ruleset.players
    if not low <= number <= high:
        players = f"{low} to {high} players" if low != high else f"{low} player{'s'[: low > 1]}"
        shown_number = f"{number:,}" if abs(number) < _MOST_SHOWN else "that many"
        report.error("RS707", f"`{ruleset.ref}` is for {players}, not for {shown_number}", None)


def seat_names(number: int, called: Sequence[str] = ()) -> tuple[str, ...]:
    """The default seat ids: names from the rules first, then letters from A."""
    letters = (_LETTERS[i] if i < len(_LETTERS) else f"P{i + 1}" for i in range(number))
    return (*called[:number], *list(letters)[len(called) :])
