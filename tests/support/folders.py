"""Paths of the checkout, its games, and the tests' own rulesets."""

from pathlib import Path

TESTS = Path(__file__).parent.parent
ROOT = TESTS.parent
GAMES = ROOT / "games"
RULESETS = TESTS / "rulesets"
SHIPPED = sorted((p.parent for p in GAMES.rglob("game.yaml")), key=lambda p: p.name)
"""The folders of the shipped rulesets, sorted by id."""


def shipped_files(pattern: str) -> list[Path]:
    """The files of the shipped rulesets that match a pattern relative to the ruleset's folder."""
    return sorted(p for folder in SHIPPED for p in folder.glob(pattern))
