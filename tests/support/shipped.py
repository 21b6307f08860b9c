"""The shipped rulesets, alone and with each overlay that they offer, each loaded once, when a test asks for it."""

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
"""They choose bags of more than eight kinds of pieces, which an exported module has no room for (RS727)."""
EXPORTED = [name for name in NAMES if name not in WITHOUT_MODULE]


@cache
def loaded(ref: str) -> tuple[typed.Ruleset, Report]:
    """A shipped ruleset with what is reported of it, also for a test that has others of the same names."""
    report = Report()
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("RULESPEC_PATH", raising=False)
        return load_ruleset(ref, report), report


def _offered() -> Iterator[str]:
    """Every reference to a ruleset and an overlay that it offers. (To load them all would take ten seconds.)"""
    for folder in SHIPPED:
        overlays = yaml.safe_load((folder / "game.yaml").read_text("utf-8")).get("overlays", [])
        yield from (f"{folder.name}+{overlay}" for overlay in overlays)


OFFERED = [*_offered()]
