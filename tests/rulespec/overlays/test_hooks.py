"""Hooks: procedures for what overlays wrap around them."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from cases import write

from rulespec.diagnostics.report import Report
from rulespec.engine.game.game import Game
from rulespec.load import load_ruleset

KINDS = "state: {n: {type: int}}\n"
PLAY = """\
procedure play():
    repeat at most 3:
        for p in player:
            decide step by p:
                option go:
                    moved(p, 2)

{}procedure moved(p: player, x: int): pass
"""
WRAP = "wrap procedure moved(p: player, x: int):\n    original(p, x)\n    set n to n {}\n"


def unused(folder: Path, word: str, overlays: str = "") -> set[str]:
    files = {"kinds.yaml": KINDS, "rules/play.rules": PLAY.format(word)}
    for name, what in (("a", "+ x"), ("b", "* 10"), ("c", "- 1")):
        files[f"variants/{name}.yaml"] = f'id: {name}\ntitle: O\nfor: small\nversion: "1"\n'
        files[f"variants/{name}.rules"] = WRAP.format(what)
    write(folder, files)
    report = Report()
    load_ruleset(f"{folder}{overlays}", report)
    return {d.message for d in report.diagnostics if "parameter" in d.message}


@pytest.mark.parametrize("overlays", ["", "+a", "+a+b"])
def test_the_parameters_of_a_hook_may_be_unused(overlays: str, tmp_path: Path) -> None:
    expected = {"the parameter `p` is never used", "the parameter `x` is never used"}
    assert unused(tmp_path, "", overlays) == expected
    assert unused(tmp_path, "hook ", overlays) == set()


@pytest.mark.parametrize("backend", ["python", "interpreter"])
def test_what_wraps_a_hook_happens_there_in_the_order_of_the_reference(backend: str, tmp_path: Path) -> None:
    unused(tmp_path, "hook ")
    results = []
    for order in permutations("abc"):
        game = Game(load_ruleset("+".join([str(tmp_path), *order])), ["Ann"], backend=backend)  # type: ignore[arg-type]
        game.apply(game.parse("go"))
        results.append(int(game.omniscient.value("n")))
    assert results == [19, 10, 1, -8 + 9, 10 - 0, -8]
