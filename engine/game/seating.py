"""The seats and the settings of a table, checked before a game begins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.report import Report
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.typed import nodes as typed
from rulespec.typed.reserved import HELP, why_reserved
from rulespec.typed.seats import entity_names
from rulespec.typed.settings import refused, taken

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def check_settings(ruleset: typed.Ruleset, settings: Mapping[str, str | int]) -> dict[str, str]:
    """Every setting of the ruleset with its value, as text.

    Raises:
        DiagnosticsError: RS705 for a setting that the ruleset does not have, RS706 for a value that it does not take.
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


def check_seats(ruleset: typed.Ruleset, seats: tuple[str, ...]) -> None:
    """Checks the number and the names of seats.

    Raises:
        DiagnosticsError: RS707 for a number of seats the ruleset is not for, RS708 for a name no seat can have.
    """
    report = Report()
    low, high = ruleset.players
    if not low <= len(seats) <= high:
        report.error("RS707", f"`{ruleset.ref}` is for {low} to {high} players, not for {len(seats)}", None)
    for seat in seats:
        if not seat or len(seat) > 80 or any(c in seat for c in "(),\n\r\t") or seat != seat.strip():
            help_ = "no brackets, commas or line ends"
            report.error("RS708", f"{seat[:80]!r} cannot be the name of a seat", None, help=help_)
        if why := why_reserved(seat[:80]):
            report.error("RS708", why, None, help=HELP)
    for i, seat in enumerate(seats):
        if seat in ruleset.seats and ruleset.seats.index(seat) != i:
            meant = ruleset.seats.index(seat) + 1
            report.error(
                "RS708", f"{shown(seat)} is what the rules call seat {meant}, and cannot be seat {i + 1}", None
            )
    if len(set(seats)) < len(seats):
        report.error("RS708", "two seats have the same name", None)
    for kind in ruleset.kinds.values():
        if kind.product and kind.by_seat and (name := _twice(entity_names(ruleset.kinds, kind.name, seats))):
            report.error(
                "RS708", f"with these names of seats, two of `{kind.name}` would be called {shown(name)}", None
            )
    report.raise_if_errors()


def _twice(words: Iterable[str]) -> str:
    """The first word that is there twice; "" if there is none."""
    seen: set[str] = set()
    for word in words:
        if word in seen:
            return word
        seen.add(word)
    return ""


def usual_seats(ruleset: typed.Ruleset) -> tuple[str, ...]:
    """The seats of a scenario that names none: two, or those that the rules have names for."""
    return seat_names(ruleset.players[0] if ruleset.seats else 2, ruleset.seats)


def seat_names(number: int, called: Sequence[str] = ()) -> tuple[str, ...]:
    """Default names of seats: those that the rules give the first of them, then letters, A for the first seat."""
    letters = (_LETTERS[i] if i < len(_LETTERS) else f"P{i + 1}" for i in range(number))
    return (*called[:number], *list(letters)[len(called) :])
