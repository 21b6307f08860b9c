"""Matches simulated by coin tosses and tested after every game: rates of wrong verdicts, and power, computed exactly.

    python -m bench.matches                  # writes its table into docs/explanation/judging.md; half a minute

The betting bounds are compared with bounds of a mean (the asymptotic sequence of `playtest`), tested from the 40th game
on.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from math import log, sqrt
from pathlib import Path

from rulespec.engine.simulate.sequence import FIRST_LOOK, half_width, log_stakes

PAGE = Path(__file__).resolve().parents[1] / "docs" / "explanation" / "judging.md"
GAMES = 1_000
SHARES = [Fraction(1, seats) for seats in (2, 3, 4, 6, 10, 20)]
"""The shares of wins among equal players, for several numbers of seats."""
STRONGER = [Fraction(3, 5), Fraction(1, 2), Fraction(3, 8), Fraction(1, 4), Fraction(3, 20), Fraction(1, 10)]
"""The shares of wins of a stronger bot, for the same numbers of seats."""
_TABLE = re.compile(r"(<!-- matches -->\n).*?(\n<!-- end of matches -->)", re.DOTALL)

ToldApart = Callable[[int, int], bool]
"""A function that decides, from the wins and games of a match, whether it has a verdict."""


def by_betting(even: float) -> ToldApart:
    """The test of the command `match`, by betting."""
    return lambda won, games: log_stakes(won, games, even) >= log(20)


def by_mean(even: float) -> ToldApart:
    """The test by bounds of a mean, with one win and one loss added."""

    def told(won: int, games: int) -> bool:
        smooth = (won + 1) / (games + 2)
        return games >= FIRST_LOOK and abs(won / games - even) > half_width(games, sqrt(smooth * (1 - smooth)))

    return told


def ever(share: float, games: int, told_apart: ToldApart) -> tuple[float, int | None]:
    """The share of matches that ever reach a verdict, and the number of games after which half of them have.

    Args:
        share: the true share of wins.
        games: the number of games in a match.
        told_apart: the test for a verdict.
    """
    left, told, half = {0: 1.0}, 0.0, None
    for number in range(1, games + 1):
        after: dict[int, float] = {}
        for won, weight in left.items():
            after[won] = after.get(won, 0.0) + weight * (1 - share)
            after[won + 1] = after.get(won + 1, 0.0) + weight * share
        gone = [won for won in after if told_apart(won, number)]
        told += sum(after.pop(won) for won in gone)
        left = after
        half = half or (number if told >= 0.5 else None)
    return told, half


def table() -> str:
    """The table of results, in Markdown."""
    lines = ["| even | wrong verdicts | by bounds of a mean | stronger | half decided after | by bounds of a mean |"]
    lines.append("| --- | --- | --- | --- | --- | --- |")
    for even, stronger in zip(map(float, SHARES), map(float, STRONGER), strict=True):
        cells = [f"{100 * even:.3g} %"]
        rules = (by_betting(even), by_mean(even))
        cells += [f"{100 * ever(even, GAMES, rule)[0]:.1f} %" for rule in rules]
        cells += [f"{100 * stronger:.3g} %", *(f"{ever(stronger, GAMES, rule)[1]} games" for rule in rules)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Writes the table."""
    made = table()
    PAGE.write_text(_TABLE.sub(lambda at: at[1] + made + at[2], PAGE.read_text("utf-8")), "utf-8")
    print(made)


if __name__ == "__main__":
    main()
