"""Tables of speed figures in the documentation, generated from the benchmark's file."""

from __future__ import annotations

import json
from typing import Any

from folders import ROOT

from bench.figures import number
from bench.speed import VERSION

FIGURES = ROOT / "docs" / "explanation" / "speed.json"
_ELSEWHERE = {"guests": "docs/explanation/guests.md"}
"""Sections with tables on the page of another subject."""


def page_of(section: str) -> str:
    """The page with the table of a section."""
    return _ELSEWHERE.get(section, "docs/explanation/speed.md")


def sections() -> dict[str, Any]:
    """Section → its figures, and the environment of the measurement."""
    data = json.loads(FIGURES.read_text("utf-8"))
    assert data["rulespec_speed"] == VERSION
    result: dict[str, Any] = data["sections"]
    return result


def speed_table(name: str) -> str:
    """A section in Markdown: date, commit and machine of the measurement, and the figures."""
    section = sections()[name]
    of = f" at commit {section['commit']}" if section.get("commit") else ""
    on = f" ({section['processor']})" if section.get("processor") else ""
    note = f", {section['note']}" if section["note"] else ""
    where = f"with Python {section['python']} and {section['processors']} processors{on}"
    head = f"Measured on {section['date']}{of}, {where}.\nThere were {section['runs']} runs{note}:"
    rows = [
        ("", "median", "ratio", "beside", "target"),
        ("---",) * 5,
        *(_row(figure) for figure in section["figures"]),
    ]
    return "\n".join([head, "", *(f"| {' | '.join(row)} |".replace("|  |", "| |") for row in rows)])


def _row(figure: dict[str, Any]) -> tuple[str, ...]:
    value, ratio = figure["value"], figure["ratio"]
    median = f"{number(value['median'])} {figure['unit']}" if value else ""
    spread = f" ({number(ratio['low'])} to {number(ratio['high'])})" if ratio and ratio["low"] is not None else ""
    shown = f"{number(ratio['median'])}x{spread}" if ratio else ""
    return figure["name"], median, shown, figure["beside"], figure["target"] or ""
