"""`rulespec simulate REF --against OTHER`: simulated games of two rulesets, side by side."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import asdict

from rulespec.cli import output
from rulespec.engine.simulate.comparison import ComparedNumber
from rulespec.engine.words.words import Words


def show_differences(differences: Iterable[ComparedNumber], heads: tuple[str, str], words: Words) -> None:
    """Prints a line for each number common to both rulesets, without a verdict (see `rulespec playtest`).

    Args:
        differences: the numbers.
        heads: the names of the rulesets.
        words: the words of the first ruleset.
    """
    rows = [_row(each, words) for each in differences]
    head = ["", *heads, words.word("difference"), words.word("interval")]
    for line in output.table(rows, head, right=(1, 2, 3, 4)):
        output.echo(line)


def as_json(each: ComparedNumber) -> dict[str, Any]:
    """A number common to both rulesets as an object of `differences` in simulate.schema.json."""
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
