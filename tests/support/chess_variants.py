"""Chess with modified rules that mean at most the same work, but may cost much more with large kinds."""

from __future__ import annotations

import shutil
from pathlib import Path

from folders import GAMES

from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

MANNED = ", ".join(f"{column}{row}" for row in (1, 2, 7, 8) for column in "abcdefgh")
LOOSE = [
    (
        "rules/play.rules",
        '            require safe(c, a, b)                               "CHS-03: the king would be attacked"\n',
        "",
    ),
    (
        "rules/play.rules",
        "    set clock to 0 if pawn_moves or taken else clock + 1\n",
        "    set clock to 0 if pawn_moves or taken else clock + 1\n"
        "    if count(on(next(c), king)) == 0:\n        end game as mate won by {c}\n",
    ),
    ("rules/invariants.rules", "count(on(c, king)) == 1", "count(on(c, king)) <= 1"),
]
"""A player who overlooks a check loses the king: one condition less."""
HELD = [
    (
        "kinds.yaml",
        "  clock: {",
        f"  held: {{type: set square, start: [{MANNED}]}}\n  clock: {{",
    ),
    ("rules/attacks.rules", "    let men = own(white) | own(black)\n", "    let men = held\n"),
    (
        "rules/moves.rules",
        "    move 1 of man[c, k] from at[a] to at[b]\n",
        "    move 1 of man[c, k] from at[a] to at[b]\n    set held to held - {a, prey} | {b}\n",
    ),
    (
        "rules/play.rules",
        "            move 1 of man[c, rook] from at[r.rook] to at[r.rook_to]\n",
        "            move 1 of man[c, rook] from at[r.rook] to at[r.rook_to]\n"
        "            set held to held - {r.king, r.rook} | {r.king_to, r.rook_to}\n",
    ),
]
"""The occupied squares as a field of the state."""


def chess(folder: Path, *changes: tuple[str, str, str]) -> typed.Ruleset:
    """Chess with replaced lines: file, old text, new text."""
    shutil.copytree(GAMES / "gallery" / "chess", folder)
    for name in ("scenarios", "logs", "perft"):
        shutil.rmtree(folder / name)
    for name, before, after in changes:
        file = folder / name
        assert before in file.read_text()
        file.write_text(file.read_text().replace(before, after))
    return load_ruleset(str(folder))
