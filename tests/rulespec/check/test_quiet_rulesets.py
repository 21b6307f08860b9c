"""Games of tricks and of written orders: nothing is warned of that is meant, and a leak that is put in is."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import write
from folders import TESTS

from rulespec.diagnostics.report import Report
from rulespec.load import load_ruleset

QUIET = TESTS / "fixtures" / "quiet"
NAMES = sorted(folder.name for folder in QUIET.iterdir())


def warned(folder: Path) -> list[str]:
    """The codes of what the rules may tell, each with its line."""
    report = Report()
    load_ruleset(str(folder), report)
    results = [d for d in report.diagnostics if d.code.startswith("RS34")]
    lines = (folder / "rules" / "play.rules").read_text("utf-8").split("\n")
    return [f"{d.code} {lines[d.span.line - 1].strip() if d.span is not None else ''}" for d in results]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_meant_is_not_warned_of(name: str) -> None:
    assert warned(QUIET / name) == []


LEAKS = {
    "passed without a word": (
        *("tricks", 'told(passed[p], "HRT-02: who is given cards sees which")', "passed[p]"),
        "RS345 for c in passed[p]:",
    ),
    "some of what was passed": (
        *("tricks", 'for c in told(passed[p], "HRT-02: who is given cards sees which"):'),
        "for c in passed[p] where c.suit == hearts:",
        "RS346 for c in passed[p] where c.suit == hearts:",
    ),
    "the table is covered": (
        "tricks",
        "      table: {index: player}",
        "      table: {index: player, private: true}",
        "",
    ),
    "a hand for the table": ("tricks", "for c in table:\n", "for c in hand:\n", "RS345 for c in hand:"),
    "who has a card": (
        *(
            "tricks",
            "set leader to winner",
            "set leader to first(p in player where card[spades, queen] in hand[p]) ?? winner",
        ),
        "RS345 set leader to first(p in player where card[spades, queen] in hand[p]) ?? winner",
    ),
    "judged before it is read out": (
        "orders",
        "        set now to judging\n        judge()",
        "        judge()",
        "RS34",
    ),
    "judged in the first year as well": (
        *(
            "orders",
            "        write_orders()\n",
            "        if year == 1:\n            judge()\n        write_orders()\n",
            "RS34",
        ),
    ),
    "hidden again": ("orders", "        judge()\n", "        set now to writing\n        judge()\n", "RS34"),
    "hidden while it is judged": (
        *("orders", "            land(p, s)\n", "            set now to writing\n            land(p, s)\n", "RS34"),
    ),
    "open to some": (
        "orders",
        "open: now == judging}}\n      points",
        "open: now == judging and year > 2}}\n      points",
        "RS34",
    ),
}
"""Changes of rulesets: a text, its replacement, and the warnings."""


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_is_warned_of(leak: str, tmp_path: Path) -> None:
    name, old, new, result = LEAKS[leak]
    files = {str(p.relative_to(QUIET / name)): p.read_text("utf-8") for p in (QUIET / name).rglob("*.*")}
    assert sum(old in text for text in files.values()) == 1
    note = warned(write(tmp_path, {file: text.replace(old, new) for file, text in files.items()}))
    assert any(each.startswith(result) for each in note), note
