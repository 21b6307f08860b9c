"""The page of verdicts on shipped variants, made of the figures of playtests in `docs/explanation/verdicts.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

_HEAD = """# Verdicts on variants

Each variant of these tables was played beside the game without it: the same deals and seeds, by the same bots
([how](judging.md), and [what to mind](../guides/playtest.md)).
Differences are of the game under the variant; in parentheses are their bounds.
All bounds of a table hold together 19 times in 20.
"""
_SEVEN = """
`imperial+seven_players` has no row: no game without it seats seven.
"""


def page(text: str) -> str:
    """The page."""
    parts = [section(report) for report in json.loads(text)]
    return "\n".join([_HEAD, *parts, _SEVEN])


def section(report: dict[str, Any]) -> str:
    """The table of a playtest, with its command."""
    base, rules = report["base"], report["rules"]
    titles = [answer["title"] for answer in rules[0]["strengths"][0]["answers"] if answer["question"] != "wins"]
    names = [each["name"] for each in rules[0]["strengths"]]
    head = ["Variant", *titles, "Wins", "Equal games", *(f"{titles[0]} by {name}" for name in names[1:])]
    rows = [[title(rule["name"]), *cells(rule["strengths"])] for rule in rules]
    lines = [f"## {base['ruleset']}, {report['players']} players", ""]
    lines += [
        f"Bots: {names[0]}, {report['pairs'][0]} pairs of games.",
        _without(rules[0]["strengths"][0]),
        _since(base),
        "",
    ]
    lines += [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]
    return "\n".join([*lines, "", "```sh", report["command"], "```", ""])


def cells(strengths: list[dict[str, Any]]) -> list[str]:
    """The cells of a variant after its name."""
    from rulespec.engine.playtest.sentence import short

    first, *others = strengths
    plain = [answer for answer in first["answers"] if answer["question"] != "wins"]
    wins = [answer for answer in first["answers"] if answer["question"] == "wins"]
    return [
        *map(cell, plain),
        "; ".join(f"{a['title']}: {cell(a)}" for a in wins if a["verdict"] in ("more", "less")) or common(wins),
        f"{first['equal']} of {first['pairs']}",
        *(short(each["answers"][0]) for each in others),
    ]


def cell(answer: dict[str, Any]) -> str:
    """An answer with its bounds."""
    from rulespec.engine.playtest.sentence import number

    if answer["low"] is None:
        return str(answer["says"])
    low, high = (number(answer[key], answer["share"], "+") for key in ("low", "high"))
    says = answer["says"] if answer["verdict"] == "undecided" else f"**{answer['says']}**"
    return f"{says}: {number(answer['difference'], answer['share'], '+')} ({low} to {high})"


def common(answers: list[dict[str, Any]]) -> str:
    """The answer that several numbers share; undecided if they do not."""
    verdicts = {answer["verdict"] for answer in answers}
    return str(answers[0]["says"]) if len(verdicts) == 1 and verdicts <= {"none", "equal", "same"} else "undecided"


def title(rule: str) -> str:
    """A variant as it is named and called: the title of an overlay, the documentation of a setting."""
    from rulespec.documents.yaml_nodes import to_plain
    from rulespec.documents.yaml_reader import read_yaml

    for file in ROOT.glob(f"games/*/variants/{rule.removeprefix('+')}.yaml"):
        return f"`{rule}`: {to_plain(read_yaml(file, str(file)))['title']}"
    return f"`{rule}`"


def _without(strength: dict[str, Any]) -> str:
    """The numbers of the game itself."""
    from rulespec.engine.playtest.sentence import number

    parts = [f"{a['title'].lower()} {number(a['other'], a['share'])}" for a in strength["answers"]]
    given_up = strength["capped"][1]
    more = f"; games given up after too many decisions: {given_up}" if given_up else ""
    return f"The game itself: {', '.join(parts)}{more}."


def _since(base: dict[str, Any]) -> str:
    from rulespec.load import load_ruleset

    if load_ruleset(base["ruleset"]).hash == base["ruleset_hash"]:
        return "The rules are those of today."
    return f"The rules have changed since: these are figures of {base['ruleset_hash']}."
