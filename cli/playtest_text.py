"""The text report of a playtest."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from rulespec.cli import output
from rulespec.cli.playtest_target import show_target
from rulespec.engine.playtest.figures import ending_shares, most_changed, rate, users_of_both
from rulespec.engine.playtest.sentence import acted, leads, number, remarks, short

_WIDE = 100
_OPTIONS = 8
"""Maximum number of options listed, those with the largest difference in use."""
_USERS = 4
"""Maximum number of seats or roles listed for each option."""


def show(result: dict[str, Any]) -> None:
    """Prints the report of a playtest."""
    if "target" in result:
        show_target(result["target"])
    for rule in result["rules"]:
        first, *others = rule["strengths"]
        output.echo(output.style(f"{rule['name']} against {result['base']['name']}", bold=True), nl=False)
        output.echo(
            f" · {result['players']} players · {first['name']} · {first['pairs']:,} pairs · seed {result['seed']}"
        )
        output.echo()
        head = (
            "",
            result["base"]["name"],
            rule["name"],
            "difference",
            "between",
            "answer",
            *(o["name"] for o in others),
        )
        rows = [_row(at, rule["strengths"]) for at in range(len(first["answers"]))]
        for line in output.table(rows, head, right=(1, 2, 3, 4)):
            output.echo(line)
        output.echo()
        for text in (rule["sentence"], *rule["otherwise"]):
            _say(text)
        for text in filter(None, [acted(first)]):
            _say(text)
        for each in rule["strengths"]:
            for line in remarks(each):
                output.echo(output.style(line, fg="red") if each["failed"] else line)
        output.echo()
        _show_endings(result["base"]["name"], rule)
        _show_leads(result["base"]["name"], rule)
        _show_options(result["base"]["name"], rule)
    if "sweep" in result:
        _show_sweep(result)
    if result["ladder"]:
        for line in output.table(
            [_match(each) for each in result["ladder"]],
            ("ladder", "games", "won", "between", "even", ""),
            right=range(1, 5),
        ):
            output.echo(line)
        output.echo()
    output.echo("All bounds hold together 19 times in 20, however often you look. To get the same figures again:")
    output.echo(f"  {result['command']}")


def _say(text: str) -> None:
    """Prints a sentence, wrapped."""
    for line in wrap(text, _WIDE, break_on_hyphens=False):
        output.echo(line)


def _show_endings(base: str, rule: dict[str, Any]) -> None:
    """Prints the endings of games, without a verdict."""
    first = rule["strengths"][0]
    rows = [[title, *(f"{100 * share:.1f} %" for share in shares)] for title, shares in ending_shares(rule, first)]
    if not rows:
        return
    for line in output.table(rows, ("ended by", base, rule["name"]), right=(1, 2)):
        output.echo(line)
    output.echo()


def _show_leads(base: str, rule: dict[str, Any]) -> None:
    """Prints the lead over time, without a verdict."""
    first = rule["strengths"][0]
    rows = [list(row) for row in leads(first)]
    if not rows:
        return
    by = first["figures"][0]["lead_by"] or first["figures"][1]["lead_by"]
    for line in output.table(rows, (f"the lead, by {by}", base, rule["name"]), right=(1, 2)):
        output.echo(line)
    output.echo()


def _show_options(base: str, rule: dict[str, Any]) -> None:
    """Prints the options with the largest difference in use: uses per game, decisions before the first, and users."""
    under, without = (figures["options"] for figures in rule["strengths"][0]["figures"])
    rows = []
    for option in most_changed(under, without, _OPTIONS):
        sides = [side.get(option) for side in (without, under)]
        times = [rate(side["times"] if side else 0) for side in sides]
        firsts = [f"{side['first']:,.0f}" if side else "-" for side in sides]
        rows.append([option, *times, *firsts, users_of_both(sides[1], sides[0], _USERS, rule["seat"])])
    if not rows:
        return
    name = rule["name"]
    head = ("used in a game (no verdicts)", base, name, f"first: {base}", name, "by")
    for line in output.table(rows, head, right=(1, 2, 3, 4)):
        output.echo(line)
    output.echo()


def _show_sweep(result: dict[str, Any]) -> None:
    """Prints the differences for all values of a sweep, one line per number."""
    rules = result["rules"]
    answers = [rule["strengths"][0]["answers"] for rule in rules]
    rows = [[a["title"], *(short(each[at]) for each in answers)] for at, a in enumerate(answers[0])]
    for line in output.table(rows, (f"against {result['sweep']['base']}", *(rule["name"] for rule in rules))):
        output.echo(line)
    output.echo()


def _row(at: int, strengths: Sequence[dict[str, Any]]) -> list[str]:
    a = strengths[0]["answers"][at]
    values = [number(a[key], a["share"], sign) for key, sign in (("other", ""), ("value", ""), ("difference", "+"))]
    bounds = "-" if a["low"] is None else " to ".join(number(a[key], a["share"], "+") for key in ("low", "high"))
    beside = [each["answers"][at] for each in strengths[1:]]
    return [a["title"], *values, bounds, a["says"], *(short(each) for each in beside)]


def _match(each: dict[str, Any]) -> list[str]:
    bounds = "-" if each["low"] is None else f"{100 * each['low']:.1f} % to {100 * each['high']:.1f} %"
    won = f"{100 * each['won'] / each['games']:.1f} %"
    even = f"{100 * each['even']:.1f} %"
    return [f"{each['one']} against {each['other']}", f"{each['games']:,}", won, bounds, even, each["says"]]
