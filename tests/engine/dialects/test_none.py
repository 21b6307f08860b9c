"""Arguments that are none, in foreign logs: null there, and always the last of what an entry may mean."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

from cases import small
from folders import RULESETS
from msgspec.structs import replace
from worlds import WORLD

from rulespec.engine.dialects.dialect import read_dialect
from rulespec.engine.dialects.inverse import FormInverse
from rulespec.engine.dialects.projected import Projection
from rulespec.engine.dialects.projection import Projections
from rulespec.engine.game.game import Game

RULES = """
procedure play():
    decide way by first(player):
        option go(t in town or none, k in 0 .. 3 or none):
            set n to k ?? 9
            if t is some: set t.seen to true
            end game
"""
MATCHES = [
    (("a", "t"), ("b", "k")),
    (("a", "t is none"), ("b", "k")),
    (("a", "(t ?? oak).near"), ("b", "k ?? -1")),
    (("a", "t.tax if t is some else none"), ("b", "k")),
]
VALUES: list[Any] = [None, True, 0, 3, 5, 1.0, -1, "oak", "none", ["elm"], [], ...]


def test_entries_with_null_mean_none(tmp_path: Path) -> None:
    game = Game(small(tmp_path / "small", RULES + WORLD), ["ann", "bob"])
    dialect = read_dialect(RULESETS / "errands" / "dialects" / "postman.yaml")
    state = game.omniscient.numbers.state
    domains = [[0, 1, 2, 3, -1], [0, 1, 2, 3, game.parse("go(oak, none)").args[1]]]
    met = 0
    for match in MATCHES:
        rows = tuple((path, text, False) for path, text in match)
        form = Projection("go", rows, "", "", "", "", "", False)
        projections = Projections(game, replace(dialect, names={}, decisions={"way.go": (form,)}), True)
        (compiled,) = projections.forms["way", "go"]
        inverse = FormInverse(compiled, projections)
        for a, b in product(VALUES, repeat=2):
            record = {key: result for key, result in (("a", a), ("b", b)) if result is not ...}
            alike = [args for args in product(*domains) if projections.equal(args, compiled, record, state)]
            guesses = inverse.guesses(record, state)
            if guesses is not None:
                inside = [g for g in guesses if g[1] in domains[1]]
                assert [g for g in inside if inverse.fits(g, record, state)] == alike, record
                met += len(alike)
    assert met > 20
