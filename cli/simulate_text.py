"""Results of `rulespec simulate` as text: totals or, with --against, the figures of two rulesets side by side."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import asdict

from rulespec.cli import output
from rulespec.engine.simulate.game_plans import GamePlan
from rulespec.engine.simulate.game_totals import ComparedNumber, Totals
from rulespec.engine.words.words import Words

_SELDOM, _OFTEN = 0.5, 1.8
"""Thresholds of a role's share of wins, relative to an equal share, outside which it is reported."""


def show_totals(plan: GamePlan, totals: Totals, words: Words) -> None:
    """Prints the lengths, the endings, and the wins by seat, team and role."""
    data = totals.to_json()
    n, lengths = data["games"], data["decisions"]
    parts = [words.word(key, number=f"{lengths[key]:,.0f}") for key in ("least", "median", "mean", "most")]
    endings = [
        [words.ending(name), f"{count:,}", f"{100 * count / n:.1f} %"] for name, count in data["endings"].items()
    ]
    if data["capped"]:
        given_up = words.word("given_up", decisions=words.word("decisions", number=f"{plan.cap:,}"))
        endings.append([given_up, f"{data['capped']:,}", f"{100 * data['capped'] / n:.1f} %"])
    notes = [" · ".join(parts), *output.table(endings, right=(1, 2))]
    heads = (words.word("lengths"), words.word("endings"))
    for line in output.table([(heads[i] if i < 2 else "", text) for i, text in enumerate(notes)]):
        output.echo(line)
    _show_wins(data, words)


def _show_wins(data: dict[str, Any], words: Words) -> None:
    """Prints the wins and points of each seat; for teams, the wins of each team."""
    won = [words.word(name) for name in ("games", "won", "interval")]
    teams = [[team, *_won(v, words)] for team, v in data.get("teams", {}).items()]
    seats = [[seat, *_won(v, words), _points(v["mean_score"])] for seat, v in data["seats"].items()]
    if teams:
        output.echo()
        for line in output.table(teams, (words.word("team"), *won), right=(1, 2, 3)):
            output.echo(line)
        for row in seats:
            del row[2:4]
    if seats:
        output.echo()
        head = [words.word("seat"), *won, words.word("mean_score")]
        if teams:
            del head[2:4]
        for line in output.table(seats, head, right=range(1, len(head))):
            output.echo(line)
    _show_roles(data, words)


def _show_roles(data: dict[str, Any], words: Words) -> None:
    """Prints the wins by the entity that a seat held initially, and marks shares far from equal."""
    roles = data.get("roles", {})
    if roles:
        output.echo()
        head = [words.word("role"), *(words.word(name) for name in ("games", "won", "interval"))]
        for line in output.table([[role, *_won(v, words)] for role, v in roles.items()], head, right=(1, 2, 3)):
            output.echo(line)
    for role, v in roles.items():
        won = v["wins"] / v["games"] / v["equal"]
        if won < _SELDOM or won > _OFTEN:
            equal = f"{100 * v['equal']:.1f} %"
            output.echo(words.word("seldom_wins" if won < _SELDOM else "often_wins", role=role, equal=equal))


def _won(data: dict[str, Any], words: Words) -> list[str]:
    """The cells of a row: the number of games, the share of wins, and its confidence interval."""
    low, high = (f"{100 * bound:.1f} %" for bound in data["interval"])
    won = f"{100 * data['wins'] / data['games']:.1f} %"
    return [f"{data['games']:,}", won, words.word("range", low=low, high=high)]


def _points(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def show_differences(differences: Iterable[ComparedNumber], heads: tuple[str, str], words: Words) -> None:
    """Prints a line for each figure that was computed for both rulesets, without a verdict (see `rulespec playtest`).

    Args:
        differences: the figures.
        heads: the names of the rulesets.
        words: the words of the first ruleset.
    """
    rows = [_row(each, words) for each in differences]
    head = ["", *heads, words.word("difference"), words.word("interval")]
    for line in output.table(rows, head, right=(1, 2, 3, 4)):
        output.echo(line)


def difference_json(each: ComparedNumber) -> dict[str, Any]:
    """A figure that was computed for both rulesets, as an object under `differences` in simulate.schema.json."""
    return {
        "what": each.what,
        "name": each.name,
        "value": _rounded(each.value),
        "other": _rounded(each.other),
        "difference": None if each.difference is None else {k: round(v, 6) for k, v in asdict(each.difference).items()},
    }


def _row(each: ComparedNumber, words: Words) -> list[str]:
    of_shares = each.what not in ("decisions", "score")
    values = ["-" if value is None else _number(value, of_shares) for value in (each.value, each.other)]
    between = each.difference
    if between is None:
        return [_label(each, words), *values, "-", "-"]
    result, low, high = (_number(value, of_shares, "+") for value in (between.value, between.low, between.high))
    return [_label(each, words), *values, result, words.word("range", low=low, high=high)]


def _label(each: ComparedNumber, words: Words) -> str:
    match each.what:
        case "decisions":
            return words.word("mean_length")
        case "ending":
            return f"{words.word('ending')}: {words.ending(each.name)}"
        case "capped":
            return words.word("given_up_any")
        case "score":
            return f"{each.name}: {words.word('mean_score')}"
    return f"{each.name}: {words.word('won')}"


def _number(value: float, of_shares: bool, sign: str = "") -> str:
    return f"{100 * value:{sign}.1f} %" if of_shares else f"{value:{sign},.1f}"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
