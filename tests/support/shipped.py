"""The shipped rulesets, alone and with each offered overlay, loaded once on demand."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
import yaml
from folders import SHIPPED

from rulespec.diagnostics.report import Report
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

NAMES = [folder.name for folder in SHIPPED]
WITHOUT_MODULE = ["dominion"]
"""Rulesets that cannot be exported as a module, as they choose bags of more than eight kinds of pieces (RS727)."""
EXPORTED = [name for name in NAMES if name not in WITHOUT_MODULE]


@cache
def loaded(ref: str) -> tuple[typed.Ruleset, Report]:
    """A shipped ruleset with its report, even in a test with rulesets of the same names."""
    report = Report()
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("RULESPEC_PATH", raising=False)
        return load_ruleset(ref, report), report


def _offered() -> Iterator[str]:
    """The references of all rulesets with one offered overlay. (Loading them all would take ten seconds.)"""
    for folder in SHIPPED:
        overlays = yaml.safe_load((folder / "game.yaml").read_text("utf-8")).get("overlays", [])
        yield from (f"{folder.name}+{overlay}" for overlay in overlays)


OFFERED = [*_offered()]
