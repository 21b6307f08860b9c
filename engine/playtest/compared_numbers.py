"""The numbers that a playtest computes for each finished game; comparing their means answers its questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean

from msgspec import Struct

from rulespec.check.questions import ENDING, MANY, SHARES, USES, WINNER
from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.simulate.game_plans import Outcome
from rulespec.engine.words.roles import role_title
from rulespec.engine.words.words import Words
from rulespec.typed import nodes as typed
from rulespec.typed.seat_kinds import ALL, members, teams

SHARE = 0.05
"""The smallest difference that matters, as a fraction of the mean or of the wins, unless a question sets it."""
MOST_ROLES = 12
"""The maximum number of roles for which wins are counted by role."""
_NOWHERE = Span("", 1, 1, 1, 1)

Number = Callable[[Outcome], float | None]
"""A function that computes a number of a finished game; None if the game has none."""


class Asked(Struct, frozen=True):
    """A number to be compared between the games under a rule and those without it.

    Attributes:
        question: the name of the question.
        of: the title of the question.
        title: the title of the number.
        share: whether the number is a share of games.
        number: the function that computes the number.
        matters: the smallest difference that matters; 0 means a fixed fraction of the mean of `scale` in games without
            the rule.
        scale: the function that computes the reference number for this fraction.
        level: the share of runs in which the bounds are correct.
        role: the entity whose wins are counted, or "".
    """

    question: str
    of: str
    title: str
    share: bool
    number: Number
    matters: float
    scale: Number
    level: float
    role: str = ""


def asked(ruleset: typed.Ruleset, seats: Sequence[str], first: Outcome, rules: int, seat: str = "") -> list[Asked]:
    """The numbers that answer a ruleset's questions; without questions, the length, the margin and the wins.

    If all players win together, the defaults are the win, the length, and the points, which measure the margin of
    success.

    Args:
        ruleset: the ruleset of the rule, with its questions.
        seats: the seats of the games.
        first: the first game without the rule, which determines roles and points.
        rules: the number of rules tried, which share the error budget.
        seat: the only seat under the rule; the numbers are then its wins, its points and the length. "" means that
            the rule applies to all seats.
    """
    if seat:
        return list(_of_seat(seat, members(teams(ruleset.declarations) or seats, seats), first, rules))
    questions = list(ruleset.declarations.questions.values()) or list(_usual(ruleset, first))
    alpha = 0.05 / rules / len(questions)
    results = []
    for question in questions:
        numbers = list(_numbers(question, ruleset, seats, first))
        for title, number, scale, role in numbers:
            share = question.asks in SHARES
            matters = question.matters / 100 if share else question.matters
            level = 1 - alpha / len(numbers)
            results.append(Asked(question.name, question.title, title, share, number, matters, scale, level, role))
    return results


def _of_seat(seat: str, sides: Mapping[str, Sequence[str]], first: Outcome, rules: int) -> Iterator[Asked]:
    """The questions on a rule for a single seat: its wins, its points, and the length."""
    numbers: list[tuple[str, str, bool, float, Number]] = [
        ("wins", f"Wins of {seat}", True, SHARE, partial(won, seat, sides)),
        *([("points", f"Points of {seat}", False, 0.0, partial(points_of, seat))] if seat in first.scores else []),
        ("length", "Length", False, 0.0, length),
    ]
    level = 1 - 0.05 / rules / len(numbers)
    for name, title, share, matters, number in numbers:
        yield Asked(name, title, title, share, number, matters, number, level)


def _usual(ruleset: typed.Ruleset, first: Outcome) -> Iterator[typed.Question]:
    """The questions for a ruleset without questions."""
    together = ruleset.declarations.teams == ALL
    length = typed.Question("length", "Length", "", "length", "", 0, _NOWHERE)
    wins = typed.Question("wins", "Won" if together else "Wins", "", "wins", "", round(100 * SHARE), _NOWHERE)
    margin = typed.Question(
        "margin", "Margin of survival" if together else "Winner's margin", "", "margin", "", 0, _NOWHERE
    )
    yield from (wins, length) if together else (length,)
    if len(first.scores) > 1 or (together and first.scores):
        yield margin
    yield from () if together else (wins,)


def _numbers(
    question: typed.Question, ruleset: typed.Ruleset, seats: Sequence[str], first: Outcome
) -> Iterator[tuple[str, Number, Number, str]]:
    """The titles of a question's numbers, with their functions, scales and roles."""
    if question.asks == "length":
        yield question.title, length, length, ""
    elif question.asks == "margin" and ruleset.declarations.teams == ALL:
        yield question.title, most, _away, ""
    elif question.asks == "margin":
        yield question.title, margin, most, ""
    elif question.asks in LEADS:
        lead = LEADS[question.asks]
        yield question.title, lead, lead, ""
    elif question.asks == ENDING:
        yield question.title, partial(ended, question.of), _one, ""
    elif question.asks == USES:
        uses = partial(used, question.of)
        yield question.title, uses, uses, ""
    elif question.asks == "wins":
        held, words = first.details.roles if first.details is not None else {}, Words(ruleset)
        for name, number in wins(ruleset, seats, first).items():
            title = f"{question.title} of {role_title(words, name)}" if name else question.title
            yield title, number, number, name if name in held else ""
    else:
        number = partial(measure, question.asks, question.of)
        yield question.title, number, number, ""


def length(outcome: Outcome) -> float | None:
    """The number of decisions in a game, finished or abandoned."""
    return outcome.decisions


def margin(outcome: Outcome) -> float | None:
    """The difference between the highest and the second-highest points."""
    points = sorted(outcome.scores.values(), reverse=True)
    return points[0] - points[1] if len(points) > 1 else None


def points_of(seat: str, outcome: Outcome) -> float | None:
    """The points of a seat."""
    return outcome.scores.get(seat)


def most(outcome: Outcome) -> float | None:
    """The points of the seat with the most points."""
    return max(outcome.scores.values(), default=None)


def _away(outcome: Outcome) -> float | None:
    """The distance of all seats' points from zero, whether they have won or lost."""
    points = most(outcome)
    return None if points is None else abs(points)


def _one(_: Outcome) -> float:
    return 1.0


def ended(ending: str, outcome: Outcome) -> float:
    """Whether a game has an ending, as 0 or 1."""
    return float(outcome.ended == ending)


def used(option: str, outcome: Outcome) -> float | None:
    """The number of times that players used an option, such as `market.buy` or `market.buy(fish)`."""
    if outcome.details is None:
        return None
    return float(sum(use.times for use in outcome.details.uses if use.option == option))


def lead_changes(outcome: Outcome) -> float | None:
    """The number of lead changes in a game."""
    lead = outcome.details.lead if outcome.details is not None else None
    return None if lead is None else lead.changes


def lead_taken(outcome: Outcome) -> float | None:
    """The time of the last lead change, as a percentage of the game."""
    lead = outcome.details.lead if outcome.details is not None else None
    return None if lead is None or lead.taken is None else 100 * lead.taken / max(1, outcome.decisions)


def widest_lead(outcome: Outcome) -> float | None:
    """The widest lead in a game."""
    lead = outcome.details.lead if outcome.details is not None else None
    return None if lead is None else lead.widest


LEADS: dict[str, Number] = {"lead_changes": lead_changes, "lead_taken": lead_taken, "widest_lead": widest_lead}
"""The numbers about the lead over time, by name."""


def measure(name: str, of: str, outcome: Outcome) -> float | None:
    """A measure at the end of a game."""
    if outcome.details is None or outcome.ended is None:
        return None
    end = {entity: v for (m, entity), v in outcome.details.end(outcome.decisions).items() if m == name}
    if of == WINNER:
        own = [end[seat] for seat in outcome.winners if seat in end]
        return fmean(own) if own else None
    if of in MANY and end:
        return sum(end.values()) if of == "all" else max(end.values()) if of == "most" else min(end.values())
    return end.get(of)


def wins(ruleset: typed.Ruleset, seats: Sequence[str], first: Outcome) -> dict[str, Number]:
    """The wins by role if seats hold entities, otherwise by team or seat; a single number if all win together."""
    of_seats = teams(ruleset.declarations)
    sides = members(of_seats or seats, seats)
    if len(sides) == 1:
        return {"": partial(won, seats[0], sides)}
    held = first.details.roles if first.details is not None else {}
    if not of_seats and 1 < len(held) <= MOST_ROLES:
        return {role: partial(won_by_role, role, sides) for role in held}
    named = list(sides)[:1] if len(sides) == 2 else sides  # of two sides, the other wins the rest
    return {side: partial(won, sides[side][0], sides) for side in named}


def won(seat: str, sides: Mapping[str, Sequence[str]], outcome: Outcome) -> float:
    """The share of the win that goes to a seat's side."""
    winners = [own for own in sides.values() if own[0] in outcome.winners]
    return 1 / len(winners) if any(seat in own for own in winners) else 0.0


def won_by_role(role: str, sides: Mapping[str, Sequence[str]], outcome: Outcome) -> float | None:
    """The share of the win that goes to the seat that held an entity at the start."""
    seat = outcome.details.roles.get(role) if outcome.details is not None else None
    return None if seat is None else won(seat, sides, outcome)
