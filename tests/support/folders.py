"""Where things are: the checkout, its games, and the tests' own rulesets."""

from pathlib import Path

TESTS = Path(__file__).parent.parent
ROOT = TESTS.parent
GAMES = ROOT / "games"
RULESETS = TESTS / "rulesets"
