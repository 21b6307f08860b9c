"""Sentences that sum up the answers of a playtest, using only the data in its report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from rulespec.engine.playtest.evidence import QuestionAnswer
from rulespec.engine.playtest.rule_trial import Answered
from rulespec.engine.simulate.sequence import FIRST_LOOK, rounded, said_needed

_LEADS = {
    "lead_changes": ("changes in a game", "{:,.1f}"),
    "lead_taken": ("last taken after", "{:.0f} %"),
    "widest_lead": ("at its widest", "{:,.1f}"),
}
_PARTED = {"end": "the end of the game", "chance": "chance"}
_PLACES = 3
"""The maximum number of named places at which a rule acted, those with the most pairs."""
_FEW = 2
"""The maximum number of undecided numbers of a question with separate clauses."""


def sentence(results: Sequence[Answered], same: bool, pairs: int, players: str) -> str:
    """One sentence on a rule.

    Args:
        results: the answers.
        same: whether the rule never acted.
        pairs: the number of pairs of games.
        players: the players, such as `flat:32`.
    """
    if same:
        return f"This rule never acted in {_games(pairs, 'game')} of {players}."
    return f"Under this rule, by {_games(pairs, 'pair')} of games of {players}: {'; '.join(_clauses(results))}."


def otherwise(results: Sequence[Answered], others: Sequence[Answered], players: str) -> str:
    """One sentence on the numbers for which the bounds of other players do not overlap the bounds in these answers; ""
    if there are none.

    Args:
        results: the answers.
        others: the other players' answers, in the same order.
        players: the other players.
    """
    clauses = [_clause(other) for one, other in zip(results, others, strict=True) if _apart(one.answer, other.answer)]
    return f"Games of {players} say otherwise: {'; '.join(clauses)}." if clauses else ""


def _apart(one: QuestionAnswer, other: QuestionAnswer) -> bool:
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return False
    return one.low > other.high or other.low > one.high


def verdict(answer: QuestionAnswer) -> str:
    """An answer in a few words."""
    match answer.verdict:
        case "none":
            return "no difference that matters"
        case "equal":
            return f"equal in all {answer.pairs:,} pairs"
        case "same":
            return "the rule never acted"
        case "undecided":
            return f"undecided: {needed(answer)}"
    return answer.verdict


def needed(answer: QuestionAnswer) -> str:
    """The number of pairs that would decide a question."""
    return f"at least {FIRST_LOOK} pairs" if answer.low is None else said_needed(answer.needed, "pairs")


def number(value: float, share: bool, sign: str = "") -> str:
    """A number as text; a share is given in percent."""
    return f"{100 * value:{sign}.1f} %" if share else f"{value:{sign},.1f}"


def acted(strength: Mapping[str, Any]) -> str:
    """One sentence on the pairs of games in which a rule acted, and when and where it first did; "" if it never acted.

    Args:
        strength: a strength of a report; see playtest.schema.json.
    """
    acts, pairs = strength["acted"], strength["pairs"] - strength["failed"]
    if not acts["pairs"]:
        return ""
    least, middle, most = acts["first"]
    if least < most:
        when = f"after {least:,} to {most:,} decisions (median {middle:,})"
    else:
        when = f"after {_games(middle, 'decision')}" if middle else "at the first decision"
    places: Counter[str] = Counter()
    for each in acts["places"]:
        places[_place(each)] += each["pairs"]
    shown = [f"{place} ({count:,})" for place, count in places.most_common(_PLACES)]
    elsewhere = acts["pairs"] - sum(count for _, count in places.most_common(_PLACES))
    where = ", ".join([*shown, *([f"elsewhere ({elsewhere:,})"] if elsewhere else [])])
    return f"The rule acted in {acts['pairs']:,} of {_games(pairs, 'pair')}, first {when}: {where}."


def remarks(strength: Mapping[str, Any]) -> list[str]:
    """Sentences on those games of a strength that were abandoned or do not count."""
    results, name = [], strength["name"]
    if any(strength["capped"]):
        under, without = strength["capped"]
        results.append(f"{name}: games given up: {without:,} without the rule, {under:,} under it")
    if stuck := strength["stuck"]:
        results.append(f"{name}: {_games(stuck, 'pair')} not counted: nothing was legal under the rule")
    if faults := strength["failed"] - stuck:
        results.append(
            f"{name}: the rules were at fault in {_games(faults, 'pair')}: run `rulespec simulate` to see where"
        )
    return results


def _place(each: Mapping[str, Any]) -> str:
    """The options at which two games diverge; with equal names, they differ in an argument or in the seat."""
    under, without = (_PARTED.get(each[key], each[key]) for key in ("value", "other"))
    if under != without:
        return f"{under} in place of {without}"
    return under if under in _PARTED.values() else f"another {under}"


def leads(strength: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The numbers about the lead over time, each as its title and its values without the rule and under it; empty if no
    side ever leads.

    Args:
        strength: a strength of a report; see playtest.schema.json.
    """
    under, without = (figures["lead"] for figures in strength["figures"])
    return [
        (title, *(form.format(side[name]) if name in side else "-" for side in (without, under)))
        for name, (title, form) in _LEADS.items()
        if name in under or name in without
    ]


def short(answer: Mapping[str, Any]) -> str:
    """The verdict and the difference of an answer, short enough to fit beside another answer."""
    says = {"none": "no difference", "same": "never acted"}.get(answer["verdict"], answer["verdict"])
    return f"{says} ({number(answer['difference'], answer['share'], '+')})"


def _clauses(results: Sequence[Answered]) -> Iterator[str]:
    """A clause for each decided number, then clauses for the undecided ones."""
    order = ("more", "less", "none", "equal", "undecided")
    for name in order[:-1]:
        for each in results:
            if each.answer.verdict == name:
                yield _clause(each)
    for _, group in groupby(results, key=lambda each: each.asked.question):
        numbers = list(group)
        left = [each for each in numbers if each.answer.verdict == "undecided"]
        if len(left) <= _FEW:
            yield from map(_clause, left)
            continue
        early = [each.answer for each in left if each.answer.low is None]
        known = [each.answer.needed for each in left if each.answer.needed is not None]
        nearest = f"about {rounded(min(known)):,} pairs would decide one" if known else "no number of pairs would tell"
        tells = f"{needed(early[0])} would tell" if early else nearest
        yield f"{_lower(left[0].asked.of)} undecided for {len(left)} of {len(numbers)} ({tells})"


def _clause(each: Answered) -> str:
    a, share, title = each.answer, each.asked.share, _lower(each.asked.title)
    if a.verdict in ("equal", "same"):
        return f"{title} equal in all {a.pairs:,} pairs"
    if a.low is None or a.high is None:
        return f"{title} undecided ({needed(a)} would tell)"
    low, high = (number(abs(bound), share) for bound in sorted((a.low, a.high), key=abs))
    match a.verdict:
        case "more" | "less":
            return f"{title} {a.verdict} by {number(abs(a.difference), share)} ({low} to {high})"
        case "none":
            return f"no difference that matters in {title} (at most {high}; {number(a.matters, share)} would matter)"
    bounds = f"{number(a.low, share, '+')} to {number(a.high, share, '+')}"
    return f"{title} undecided ({bounds}; {needed(a)} would tell)"


def _lower(title: str) -> str:
    return title[:1].lower() + title[1:]


def _games(count: int, word: str) -> str:
    return f"{count:,} {word}" + ("" if count == 1 else "s")
