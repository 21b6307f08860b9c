"""Chess with other rules, which mean the same work or less, and may take much more by the sizes of kinds."""

from __future__ import annotations

import shutil
from pathlib import Path

from folders import GAMES

from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

TAKEN = "    let taken = b in own(next(c))\n"
UNSAFE = (
    "rules/play.rules",
    '            require safe(c, a, b)                               "CHS-03: the king would be attacked"\n',
    "",
)
"""Whoever overlooks a check loses: a condition less."""
HELD = [
    ("kinds.yaml", "  clock: {", "  held: {type: set square, start: [a1, b1, c1, d1, e1, f1, g1, h1]}\n  clock: {"),
    ("rules/attacks.rules", "    let men = own(white) | own(black)\n", "    let men = held\n"),
    ("rules/play.rules", TAKEN, f"{TAKEN}    set held to held - {{a}} | {{b}}\n"),
]
"""The occupied squares as a state."""


def chess(folder: Path, *changes: tuple[str, str, str]) -> typed.Ruleset:
    """Chess with other lines: (file, what stands there, what stands there then)."""
    shutil.copytree(GAMES / "gallery" / "chess", folder)
    for name in ("scenarios", "logs", "perft"):
        shutil.rmtree(folder / name)
    for name, before, after in changes:
        file = folder / name
        assert before in file.read_text()
        file.write_text(file.read_text().replace(before, after))
    return load_ruleset(str(folder))
