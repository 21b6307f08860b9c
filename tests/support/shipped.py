"""The shipped rulesets, alone and with each overlay that they offer, loaded once for all tests."""

from __future__ import annotations

from functools import cache

from folders import SHIPPED

from rulespec.diagnostics.report import Report
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

NAMES = [folder.name for folder in SHIPPED]


@cache
def loaded(ref: str) -> tuple[typed.Ruleset, Report]:
    """A ruleset with what is reported of it."""
    report = Report()
    return load_ruleset(ref, report), report


OFFERED = [f"{name}+{overlay}" for name in NAMES for overlay in loaded(name)[0].offered]
