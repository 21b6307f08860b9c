"""The clock of a table: the time per decision and per game, a daily window in which it runs, and pauses.

Times are seconds since 1970. If a seat runs out of time, others may hand it to a bot; nothing happens automatically.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from math import inf
from zoneinfo import ZoneInfo

from msgspec import Struct

from rulespec.records import Brief

DAY = 24 * 60
"""The number of minutes in a day."""
MAX_BUDGET = 366 * 86_400
"""The maximum budget, in seconds."""
LEAST_WINDOW = 60
"""The minimum length of a daily window, in minutes."""
_MOST_DAYS = 400
"""The number of days searched for a deadline; a later one counts as never."""


class TimeLimits(Brief, Struct, frozen=True):
    """The time limits of a table.

    Attributes:
        budget: the seconds per seat for the whole game; 0 means unlimited.
        increment: the seconds that each decision adds.
        zone: the IANA zone of the daily window, such as `Africa/Accra`; "" if the clock always runs.
        opens, closes: the daily window in minutes since midnight; it extends past midnight if `closes` is smaller.
    """

    budget: int = 0
    increment: int = 0
    zone: str = ""
    opens: int = 0
    closes: int = 0


class TableClock(Brief, Struct, frozen=True):
    """The clock of a table, as displayed.

    Attributes:
        deadline: the seconds per decision; 0 means unlimited.
        due: person → the moment when the time for the open decision runs out.
        left: seat → the seconds left in its budget before its open decision is deducted; empty if there is no budget.
        paused: whether the clock is stopped.
    """

    deadline: int = 0
    due: Mapping[str, int] = {}
    left: Mapping[str, int] = {}
    paused: bool = False


def checked_limits(limits: TimeLimits) -> str:
    """The fault in the limits; "" if they are valid."""
    if limits.zone:
        try:
            ZoneInfo(limits.zone)
        except (KeyError, OSError, ValueError):
            return f"no time zone is called {limits.zone[:40]!r}"
        if not (0 <= limits.opens < DAY and 0 <= limits.closes < DAY):
            return "a daily window must begin and end at times of the day"
        if (limits.closes - limits.opens) % DAY < LEAST_WINDOW:
            return f"a daily window must have at least {LEAST_WINDOW} minutes"
    times = limits.budget, limits.increment
    return "" if all(0 <= time <= MAX_BUDGET for time in times) else "a time must be between 0 and one year"


def _windows(start: float, limits: TimeLimits) -> Iterator[tuple[float, float]]:
    """The intervals of running time from a moment on, in order."""
    if not limits.zone:
        yield start, inf
        return
    zone = ZoneInfo(limits.zone)
    day = datetime.fromtimestamp(start, zone).date() - timedelta(days=1)
    for number in range(_MOST_DAYS):
        first = datetime.combine(day + timedelta(days=number), datetime.min.time(), zone)
        ends = limits.closes if limits.closes > limits.opens else limits.closes + DAY
        opened, closed = (_wall(first, minutes) for minutes in (limits.opens, ends))
        if closed > max(start, opened):
            yield max(start, opened), closed


def _wall(day: datetime, minutes: int) -> float:
    """The moment of a wall-clock time on a day; it may shift with summer time."""
    return (day.replace(tzinfo=None) + timedelta(minutes=minutes)).replace(tzinfo=day.tzinfo).timestamp()


def counted(start: float, end: float, limits: TimeLimits) -> float:
    """The number of seconds that the clock runs between two moments."""
    total = 0.0
    for opened, closed in _windows(start, limits):
        if opened >= end:
            break
        total += min(end, closed) - opened
    return total


def reached(start: float, seconds: float, limits: TimeLimits) -> float:
    """The moment when the clock has run a number of seconds from a start; `inf` if it is too far away."""
    for opened, closed in _windows(start, limits):
        if opened + seconds <= closed:
            return opened + max(0.0, seconds)
        seconds -= closed - opened
    return inf
